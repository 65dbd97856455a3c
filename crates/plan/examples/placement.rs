//! Prints how close placements come to their lower bound, and how long they take:
//! `cargo run --release -p whimbrel-plan --example placement`.

#[path = "../tests/training_graphs/mod.rs"]
mod training_graphs;

use std::time::{Duration, Instant};

use training_graphs::{Random, scattered, training_graph};
use whimbrel_plan::{Lifetime, Overlap, place, validate};

fn main() -> Result<(), Overlap> {
    let mut random = Random(1);
    let mut ratios = Vec::new();
    let mut times = Vec::new();
    for _ in 0..1000 {
        let ops = random.between(4, 200);
        let (ratio, time) = measure(&training_graph(&mut random, ops))?;
        ratios.push(ratio);
        times.push(time);
    }
    ratios.sort_by(f64::total_cmp);
    times.sort();
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let [median, p99] = [500, 990].map(|rank| ratios[rank]);
    println!("1000 training graphs of 4 to 200 operations");
    println!(
        "  total / lower bound: mean {mean:.4} median {median:.4} p99 {p99:.4} max {:.4}",
        ratios[999]
    );
    println!("  time: median {:.2?} p99 {:.2?} max {:.2?}", times[500], times[990], times[999]);

    println!("10000 buffers");
    for seed in 1..=4 {
        let mut buffers = training_graph(&mut Random(seed), 3600);
        buffers.truncate(10_000);
        let (ratio, time) = measure(&buffers)?;
        println!("  training graph, seed {seed}: total / lower bound {ratio:.4}, {time:.2?}");
    }
    for longest in [20, 1000, 10_000] {
        let (ratio, time) = measure(&scattered(&mut Random(1), 10_000, longest))?;
        println!("  scattered, up to {longest} steps: total / lower bound {ratio:.4}, {time:.2?}");
    }
    Ok(())
}

/// Total over lower bound, and the shortest time of three.
fn measure(buffers: &[Lifetime]) -> Result<(f64, Duration), Overlap> {
    let mut shortest = Duration::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        std::hint::black_box(place(buffers));
        shortest = shortest.min(start.elapsed());
    }
    let placement = place(buffers);
    validate(buffers, &placement)?;
    Ok((placement.total as f64 / placement.lower_bound as f64, shortest))
}
