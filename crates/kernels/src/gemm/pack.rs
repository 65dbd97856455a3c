//! Packed weights: `[out, in]` as panels of sixteen outputs, `[ceil(out / 16)][in][16]`, outputs
//! past the last one zero. Any number of leading panels is itself a packed weight.

use super::dense::blocks;
use super::rearrange::{Sides, transpose};
use crate::simd::Isa;
use crate::sizes::elements;

/// Outputs of one panel, on every instruction set.
pub const PANEL: usize = 16;

/// Elements of the packed form of a weight `[outputs, inputs]`.
pub fn packed_len(outputs: usize, inputs: usize) -> usize {
    elements([outputs.div_ceil(PANEL), inputs, PANEL])
}

/// Packs a row-major weight `[outputs, inputs]`.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn pack(outputs: usize, inputs: usize, w: &[f32], packed: &mut [f32]) {
    assert_eq!(w.len(), elements([outputs, inputs]));
    assert_eq!(packed.len(), packed_len(outputs, inputs));
    if inputs == 0 {
        return;
    }
    for (p, panel) in packed.chunks_exact_mut(inputs * PANEL).enumerate() {
        for (k, outs) in panel.chunks_exact_mut(PANEL).enumerate() {
            for (j, out) in outs.iter_mut().enumerate() {
                let row = p * PANEL + j;
                *out = if row < outputs { w[row * inputs + k] } else { 0.0 };
            }
        }
    }
}

/// The row-major weight `[outputs, inputs]` of a packed one.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn unpack(outputs: usize, inputs: usize, packed: &[f32], w: &mut [f32]) {
    assert_eq!(w.len(), elements([outputs, inputs]));
    assert_eq!(packed.len(), packed_len(outputs, inputs));
    if inputs == 0 {
        return;
    }
    for (row, values) in w.chunks_exact_mut(inputs).enumerate() {
        let panel = &packed[row / PANEL * inputs * PANEL..];
        for (value, outs) in values.iter_mut().zip(panel.chunks_exact(PANEL)) {
            *value = outs[row % PANEL];
        }
    }
}

/// The packed form of the transpose `[inputs, outputs]` of a packed weight `[outputs, inputs]`.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn turn(outputs: usize, inputs: usize, packed: &[f32], turned: &mut [f32]) {
    assert_eq!(packed.len(), packed_len(outputs, inputs));
    assert_eq!(turned.len(), packed_len(inputs, outputs));
    if outputs == 0 {
        return;
    }
    let panels = turned.chunks_exact_mut(outputs * PANEL);
    for (ins, panel) in blocks(inputs, PANEL).zip(panels) {
        if ins.len() < PANEL {
            panel.fill(0.0);
        }
        for outs in blocks(outputs, PANEL) {
            let src = &packed[outs.start * inputs + ins.start * PANEL..][..ins.len() * PANEL];
            let dst = &mut panel[outs.start * PANEL..outs.end * PANEL];
            let (src, dst) = (src.as_ptr(), dst.as_mut_ptr());
            let sides = Sides { src, src_row: PANEL, dst, dst_row: PANEL };
            // SAFETY: the slices hold these rows of sixteen.
            unsafe { transpose(Isa::current(), ins.len(), outs.len(), sides) };
        }
    }
}
