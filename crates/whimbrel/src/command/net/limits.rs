//! What one core reaches at best, measured in a few milliseconds: the yardstick of a profile.

use std::hint::black_box;
use std::time::Instant;
use whimbrel::{Builder, EngineError, Init, Limits, Options, Session};

/// Times each measurement is repeated; the best counts, since others only slow it down.
const ROUNDS: usize = 20;
/// Sizes of the product: in cache, and a multiple of every tile.
const SIZE: usize = 256;

/// Arithmetic as the engine's own product reaches it; traffic as copying in memory of `footprint`
/// bytes does, from the caches' speed to that of the memory behind them.
pub fn measure(footprint: usize) -> Result<Limits, EngineError> {
    Ok(Limits { flops: product()?, bytes: copying(footprint) })
}

/// Floating point operations a second of a dense product on one core.
fn product() -> Result<f64, EngineError> {
    let g = Builder::new();
    let x = g.batch("x", [SIZE, SIZE])?;
    g.output("y", g.parameter("w", [SIZE, SIZE], Init::Constant(0.5))?.dot(x)?);
    let options = Options { threads: 1, ..Options::default() };
    let mut session = Session::with_options(&[g.finish()?], &options)?;
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        session.run()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(2.0 * (SIZE * SIZE * SIZE) as f64 / best)
}

/// Bytes a second, those read and those written.
fn copying(footprint: usize) -> f64 {
    let half = (footprint / 2).clamp(16 << 10, 32 << 20);
    // Small copies are repeated, so that the clock's own time does not show.
    let repeats = (1 << 20) / half + 1;
    let (src, mut dst) = (vec![1u8; half], vec![0u8; half]);
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..repeats {
            dst.copy_from_slice(black_box(&src));
            black_box(&mut dst);
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    (2 * half * repeats) as f64 / best
}
