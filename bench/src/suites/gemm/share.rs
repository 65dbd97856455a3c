//! Whether a product is worth a second thread, by the estimate compiled plans go by.

use whimbrel_engine::cpu::Cpu;
use whimbrel_engine::{Backend, Options};
use whimbrel_graph::Cost;

use super::Shape;

/// Work below this many seconds on one core is not shared: the meeting of the threads would cost
/// what their help saves. The engine's plans hold to the same figure.
const WORTH_SHARING: f64 = 6e-6;

/// How many pieces to cut a product into for `threads` threads, at most `limit`.
pub fn pieces(shape: Shape, threads: usize, limit: usize) -> usize {
    let cpu = Cpu::new(&Options { threads: 1, ..Options::default() });
    let seconds = cpu.seconds(Cost { flops: shape.flops(), bytes: shape.bytes() });
    if seconds < WORTH_SHARING { 1 } else { threads.min(limit).max(1) }
}
