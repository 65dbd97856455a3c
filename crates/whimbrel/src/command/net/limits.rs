//! What one core reaches at best, measured in a few milliseconds: the yardstick of a profile.

use std::hint::black_box;
use std::time::Instant;
use whimbrel::Limits;
use whimbrel_kernels::probe::multiply_adds;

/// Times each measurement is repeated; the best counts, since others only slow it down.
const ROUNDS: usize = 20;

/// Arithmetic on registers alone; traffic as copying in memory of `footprint` bytes does it, from the
/// caches' speed to that of the memory behind them.
pub fn measure(footprint: usize) -> Limits {
    Limits { flops: best(|| multiply_adds(100_000)), bytes: copying(footprint) }
}

/// Bytes a second, those read and those written.
fn copying(footprint: usize) -> f64 {
    let half = (footprint / 2).clamp(16 << 10, 32 << 20);
    // Small copies are repeated, so that the clock's own time does not show.
    let repeats = (1 << 20) / half + 1;
    let (src, mut dst) = (vec![1u8; half], vec![0u8; half]);
    best(|| {
        for _ in 0..repeats {
            dst.copy_from_slice(black_box(&src));
            black_box(&mut dst);
        }
        (2 * half * repeats) as f64
    })
}

/// The most a second of what `work` says it did.
fn best(mut work: impl FnMut() -> f64) -> f64 {
    let mut best = 0.0_f64;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let done = work();
        best = best.max(done / start.elapsed().as_secs_f64().max(1e-9));
    }
    best
}
