//! The forward product of a dense layer: packed weights times activations in lane layout.
//!
//! Sixteen lanes and more put the vectors along the lanes; fewer put them along the outputs
//! (`few_lanes`). The reduction is blocked so that the activations of a block stay in the first
//! cache while all panels pass by.

use super::macro_tile::{Block, block};
use super::tile::{GROUP, Place, Walk};
use super::{PANEL, Start, few_lanes, packed_len};
use crate::simd::{Isa, Kernel, Simd, run_on};
use std::mem::MaybeUninit;

/// Sizes of `y[rows, lanes] = W[rows, inputs] x[inputs, lanes]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DenseDims {
    /// Output rows: all of the weight's, or those of the panels given.
    pub rows: usize,
    /// Length of the reduction.
    pub inputs: usize,
    /// Lanes of the batch.
    pub lanes: usize,
}

/// `y = W x`, or `y += W x` from [`Start::Dst`]; `w` is packed, `x` and `y` are in lane layout.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn dense_forward(dims: DenseDims, w: &[f32], x: &[f32], y: &mut [f32], start: Start) {
    dense_forward_on(Isa::current(), dims, w, x, y, start);
}

/// [`dense_forward`] on a given instruction set.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn dense_forward_on(
    isa: Isa,
    dims: DenseDims,
    w: &[f32],
    x: &[f32],
    y: &mut [f32],
    start: Start,
) {
    assert_eq!(w.len(), packed_len(dims.rows, dims.inputs), "packed weight of {dims:?}");
    assert_eq!(x.len(), dims.inputs * dims.lanes, "x of {dims:?}");
    assert_eq!(y.len(), dims.rows * dims.lanes, "y of {dims:?}");
    if dims.lanes >= GROUP {
        run_on(isa, Wide { dims, w, x, y, start });
    } else if dims.lanes > 0 {
        run_on(isa, few_lanes::Forward { dims, w, x, y, start });
    }
}

/// Elements of `x` that one block of the reduction keeps in the first cache.
const X_BLOCK: usize = 8192;
/// Lanes above which a block of `x` is copied together, so that its rows do not fall on the
/// same cache sets.
const MOST_LANES: usize = 64;

struct Wide<'a> {
    dims: DenseDims,
    w: &'a [f32],
    x: &'a [f32],
    y: &'a mut [f32],
    start: Start,
}

impl Kernel for Wide<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let DenseDims { inputs, lanes, .. } = self.dims;
        if lanes <= MOST_LANES {
            let steps = steps_per_block(lanes);
            let mut start = self.start;
            let mut k = 0;
            loop {
                let n = steps.min(inputs - k);
                let x = self.x[k * lanes..].as_ptr();
                // SAFETY: lengths were checked; n rows of x from k, all lanes.
                unsafe { self.pass(s, k..k + n, x, lanes, 0..lanes, start) };
                k += n;
                start = Start::Dst;
                if k == inputs {
                    return;
                }
            }
        }
        let mut copy = [MaybeUninit::<f32>::uninit(); X_BLOCK];
        let copy = copy.as_mut_ptr().cast::<f32>();
        let mut lane = 0;
        while lane < lanes {
            let width = MOST_LANES.min(lanes - lane);
            let row = width.next_multiple_of(GROUP);
            let steps = steps_per_block(width);
            let mut start = self.start;
            let mut k = 0;
            loop {
                let n = steps.min(inputs - k);
                for i in 0..n {
                    let src = self.x[(k + i) * lanes + lane..][..width].as_ptr();
                    // SAFETY: row i of the copy has room for width <= row elements: n rows of
                    // `row` elements are at most X_BLOCK.
                    unsafe { src.copy_to_nonoverlapping(copy.add(i * row), width) };
                }
                // SAFETY: n rows of the copy are filled for the lanes of this part.
                unsafe { self.pass(s, k..k + n, copy, row, lane..lane + width, start) };
                k += n;
                start = Start::Dst;
                if k == inputs {
                    break;
                }
            }
            lane += width;
        }
    }
}

/// Steps of the reduction whose activations make up one block.
fn steps_per_block(lanes: usize) -> usize {
    X_BLOCK / lanes.next_multiple_of(GROUP)
}

impl Wide<'_> {
    /// All rows and some lanes of the result over steps `ks` of the reduction.
    ///
    /// # Safety
    /// `x` holds the steps, `x_row` elements apart, each with as many lanes as `lanes` names.
    #[inline(always)]
    unsafe fn pass<S: Simd>(
        &mut self,
        s: S,
        ks: std::ops::Range<usize>,
        x: *const f32,
        x_row: usize,
        lanes: std::ops::Range<usize>,
        start: Start,
    ) {
        let DenseDims { rows, inputs, lanes: y_row } = self.dims;
        let walk = Walk {
            outer: 1,
            inner: 0,
            last: ks.len(),
            w_outer: 0,
            w_inner: PANEL,
            w_row: 1,
            x_outer: 0,
            x_inner: x_row,
            x_group: GROUP,
        };
        let place = Place { row: y_row, group: GROUP };
        let b = Block { walk, place, rows, lanes: lanes.len(), start };
        let w = self.w.as_ptr().wrapping_add(ks.start * PANEL);
        let panel = |row| w.wrapping_add(row / PANEL * inputs * PANEL + row % PANEL);
        let y = self.y.as_mut_ptr().wrapping_add(lanes.start);
        // SAFETY: panels are padded to sixteen rows and hold the steps; y has the rows and lanes,
        // and this kernel holds it exclusively.
        unsafe { block::<S, true>(s, b, panel, x, y) };
    }
}
