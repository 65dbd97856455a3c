//! Whether a product is worth a second thread, by the estimate compiled plans go by.

use whimbrel_engine::cpu::{Cpu, WORTH_SHARING};
use whimbrel_engine::{Backend, Options};
use whimbrel_graph::Cost;

use super::Shape;

/// How many pieces to cut a product into for `threads` threads, at most `limit`.
pub fn pieces(shape: Shape, threads: usize, limit: usize) -> usize {
    let cpu = Cpu::new(&Options { threads: 1, ..Options::default() });
    let seconds = cpu.seconds(Cost { flops: shape.flops(), bytes: shape.bytes() });
    if seconds < WORTH_SHARING { 1 } else { threads.min(limit).max(1) }
}
