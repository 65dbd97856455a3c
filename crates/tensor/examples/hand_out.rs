//! Prints what it costs, in ns, to enter a piece of an opened arena and to make a step's slices:
//! `cargo run --release -p whimbrel-tensor --example hand_out`.

use std::hint::black_box;
use std::time::Instant;
use whimbrel_tensor::Arena;
use whimbrel_tensor::arena::{Access, Span, Stages};

const PIECES: usize = 1000;
const STEPS: usize = 100;
const ROUNDS: usize = 200;

/// The median over rounds of the ns that one of `count` operations took.
fn median_ns(count: usize, mut round: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            round();
            start.elapsed().as_nanos() as f64 / count as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let word = |offset| Span::new(offset, 1);
    let step = |piece| Access::new([word(PIECES + piece), word(2 * PIECES + piece)], [word(piece)]);

    for (name, stages) in [
        ("one stage of 1000 pieces", vec![(0..PIECES).map(|i| vec![step(i)]).collect()]),
        ("1000 stages of one piece", (0..PIECES).map(|i| vec![vec![step(i)]]).collect::<Vec<_>>()),
    ] {
        let stages = Stages::prove(3 * PIECES, stages)?;
        let mut arena = Arena::new(3 * PIECES)?;
        let ns = median_ns(PIECES, || {
            let Ok(open) = arena.open(&stages) else { return };
            for stage in 0..stages.len() {
                for piece in 0..stages.pieces(stage) {
                    black_box(open.enter(stage, piece));
                }
            }
        });
        println!("enter and leave a piece, {name}: {ns:.1} ns");
    }

    let stages = Stages::prove(3 * PIECES, vec![vec![(0..STEPS).map(step).collect()]])?;
    let mut arena = Arena::new(3 * PIECES)?;
    let ns = median_ns(STEPS, || {
        let Ok(open) = arena.open(&stages) else { return };
        let Some(mut guard) = open.enter(0, 0) else { return };
        for index in 0..guard.steps() {
            let ([x, y], [z]) = guard.step(index).get();
            black_box((x, y, z));
        }
    });
    println!("the slices of a step, two reads and a write: {ns:.1} ns");

    let stage = || (0..PIECES).map(|i| vec![step(i)]).collect();
    let ns = median_ns(3 * PIECES, || drop(black_box(Stages::prove(3 * PIECES, vec![stage()]))));
    println!("proving, a span: {ns:.1} ns");
    Ok(())
}
