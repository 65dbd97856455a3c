//! Prints how long a region, a barrier and shared pieces take, in nanoseconds: median and 90th percentile.
//!
//! `cargo run --release -p whimbrel-threads --example fork_join [threads]...`

use std::time::Instant;

use whimbrel_threads::{Pool, available_cores, default_size};

const SAMPLES: usize = 401;

/// Time of one of `repeat` runs, over samples; the first tenth warms up.
fn measure(name: &str, repeat: usize, mut run: impl FnMut()) {
    let mut samples: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_nanos() as f64 / repeat as f64
        })
        .skip(SAMPLES / 10)
        .collect();
    samples.sort_by(f64::total_cmp);
    let at = |share: usize| samples[samples.len() * share / 100];
    println!("  {name:<34} {:>10.1} {:>10.1}", at(50), at(90));
}

fn main() {
    let asked: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let sizes = if asked.is_empty() { vec![1, default_size(), 8] } else { asked };
    println!("{} cores available; nanoseconds: median, 90th percentile", available_cores());
    for size in sizes {
        let pool = Pool::new(size);
        println!("{size} threads");
        const REPEAT: usize = 100;
        measure("region (fork-join)", REPEAT, || {
            for _ in 0..REPEAT {
                pool.region(|_| ());
            }
        });
        measure("pool.pieces(size)", REPEAT, || {
            for _ in 0..REPEAT {
                pool.pieces(size, |i| {
                    std::hint::black_box(i);
                });
            }
        });
        measure("barrier in a region", REPEAT, || {
            pool.region(|worker| (0..REPEAT).for_each(|_| worker.barrier()));
        });
        measure("worker.pieces(size) in a region", REPEAT, || {
            pool.region(|worker| {
                for _ in 0..REPEAT {
                    worker.pieces(size, |i| {
                        std::hint::black_box(i);
                    });
                }
            });
        });
        measure("worker.pieces(64) in a region", REPEAT, || {
            pool.region(|worker| {
                for _ in 0..REPEAT {
                    worker.pieces(64, |i| {
                        std::hint::black_box(i);
                    });
                }
            });
        });
    }
}
