//! The input gradient of a dense layer: `dx = W^T dy` with the same packed weight as the forward
//! product. The reduction runs over the panels and the sixteen outputs inside each.

use super::macro_tile::{Block, block};
use super::tile::{GROUP, Place, Walk};
use super::{PANEL, Start, packed_len};
use crate::simd::{Isa, Kernel, Simd, run_on};
use std::ops::Range;

/// Sizes of rows `first .. first + rows` of `dx[inputs, lanes] = W[outputs, inputs]^T
/// dy[outputs, lanes]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputGradDims {
    /// Length of the reduction.
    pub outputs: usize,
    /// Rows of the whole `dx`.
    pub inputs: usize,
    /// First row computed.
    pub first: usize,
    /// Rows computed.
    pub rows: usize,
    /// Lanes of the batch.
    pub lanes: usize,
}

/// `dx = W^T dy` for some rows, or `dx += W^T dy` from [`Start::Dst`]; `w` is the whole packed
/// weight, `dy` the whole gradient, `dx` holds only the rows computed.
///
/// # Panics
/// When a slice has another length than the dimensions say or the rows exceed the inputs.
pub fn input_grad(dims: InputGradDims, w: &[f32], dy: &[f32], dx: &mut [f32], start: Start) {
    input_grad_on(Isa::current(), dims, w, dy, dx, start);
}

/// [`input_grad`] on a given instruction set.
///
/// # Panics
/// When a slice has another length than the dimensions say or the rows exceed the inputs.
pub fn input_grad_on(
    isa: Isa,
    dims: InputGradDims,
    w: &[f32],
    dy: &[f32],
    dx: &mut [f32],
    start: Start,
) {
    assert!(dims.first + dims.rows <= dims.inputs, "rows of {dims:?}");
    assert_eq!(w.len(), packed_len(dims.outputs, dims.inputs), "packed weight of {dims:?}");
    assert_eq!(dy.len(), dims.outputs * dims.lanes, "dy of {dims:?}");
    assert_eq!(dx.len(), dims.rows * dims.lanes, "dx of {dims:?}");
    if dims.lanes > 0 {
        run_on(isa, Grad { dims, w, dy, dx, start });
    }
}

/// Elements of `dy` that one block of the reduction keeps in the first cache.
const DY_BLOCK: usize = 8192;
/// Lanes above which a block of `dy` spans several sets of lanes.
const MOST_LANES: usize = 64;

struct Grad<'a> {
    dims: InputGradDims,
    w: &'a [f32],
    dy: &'a [f32],
    dx: &'a mut [f32],
    start: Start,
}

impl Kernel for Grad<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let InputGradDims { outputs, lanes, .. } = self.dims;
        let mut lane = 0;
        while lane < lanes {
            let width = MOST_LANES.min(lanes - lane);
            let panels = DY_BLOCK / (width.next_multiple_of(GROUP) * PANEL);
            let mut start = self.start;
            let mut at = 0;
            loop {
                let end = (at + panels * PANEL).min(outputs);
                // SAFETY: lengths were checked; `at` begins a panel, lanes are inside the rows.
                unsafe { self.pass(s, at..end, lane..lane + width, start) };
                start = Start::Dst;
                at = end;
                if at == outputs {
                    break;
                }
            }
            lane += width;
        }
    }
}

impl Grad<'_> {
    /// All rows asked for and some lanes, over some of the outputs.
    ///
    /// # Safety
    /// `outs` begins at a panel; it and `lanes` lie inside the dimensions.
    #[inline(always)]
    unsafe fn pass<S: Simd>(
        &mut self,
        s: S,
        outs: Range<usize>,
        lanes: Range<usize>,
        start: Start,
    ) {
        let InputGradDims { inputs, first, rows, lanes: row, .. } = self.dims;
        let panels = outs.len().div_ceil(PANEL);
        let walk = Walk {
            outer: panels,
            inner: PANEL,
            last: outs.len() - panels.saturating_sub(1) * PANEL,
            w_outer: inputs * PANEL,
            w_inner: 1,
            w_row: PANEL,
            x_outer: PANEL * row,
            x_inner: row,
            x_group: GROUP,
        };
        let place = Place { row, group: GROUP };
        let b = Block { walk, place, rows, lanes: lanes.len(), start };
        let w = self.w.as_ptr().wrapping_add((outs.start * inputs) + first * PANEL);
        let dy = self.dy.as_ptr().wrapping_add(outs.start * row + lanes.start);
        let dx = self.dx.as_mut_ptr().wrapping_add(lanes.start);
        // SAFETY: panels of the range hold every input row; dy and dx hold the rows and lanes.
        unsafe { block::<S, false>(s, b, |r| w.wrapping_add(r * PANEL), dy, dx) };
    }
}
