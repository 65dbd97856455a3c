//! The input gradient of a dense layer: `dx = W^T dy` with the same packed weight as the forward
//! product. The reduction runs over the panels and the sixteen outputs inside each.

use super::block::{Block, Panels};
use super::dense::blocks;
use super::tile::{Ahead, GROUP, Place, Walk};
use super::{PANEL, Start, packed_len};
use crate::simd::Isa;
use crate::sizes::elements;
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
    let rows = dims.inputs.checked_sub(dims.first);
    assert!(rows.is_some_and(|left| dims.rows <= left), "rows of {dims:?}");
    assert_eq!(w.len(), packed_len(dims.outputs, dims.inputs), "packed weight of {dims:?}");
    assert_eq!(dy.len(), elements([dims.outputs, dims.lanes]), "dy of {dims:?}");
    assert_eq!(dx.len(), elements([dims.rows, dims.lanes]), "dx of {dims:?}");
    let mut grad = Grad { isa, dims, w, dy, dx, start };
    for lanes in blocks(dims.lanes, MOST_LANES) {
        let panels = DY_BLOCK / (lanes.len().max(GROUP).next_multiple_of(GROUP) * PANEL);
        for outs in blocks(dims.outputs, panels * PANEL) {
            grad.pass(outs, lanes.clone());
        }
    }
}

/// Elements of `dy` that one block of the reduction keeps in the first cache.
const DY_BLOCK: usize = 8192;
/// Lanes of one block.
const MOST_LANES: usize = 64;

struct Grad<'a> {
    isa: Isa,
    dims: InputGradDims,
    w: &'a [f32],
    dy: &'a [f32],
    dx: &'a mut [f32],
    start: Start,
}

impl Grad<'_> {
    /// All rows asked for and some lanes, over some of the outputs; `outs` begins at a panel.
    fn pass(&mut self, outs: Range<usize>, lanes: Range<usize>) {
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
            ahead: Ahead::Nothing,
        };
        let block = Block {
            walk,
            w: self.w.as_ptr().wrapping_add(outs.start * inputs + first * PANEL),
            panels: Panels { rows: PANEL, next: PANEL * PANEL },
            x: self.dy.as_ptr().wrapping_add(outs.start * row + lanes.start),
            x_next: GROUP,
            tile: None,
            c: self.dx.as_mut_ptr().wrapping_add(lanes.start),
            place: Place { row, group: GROUP },
            rows,
            lanes: lanes.len(),
            start: if outs.start == 0 { self.start } else { Start::Dst },
        };
        // SAFETY: lengths were checked at entry; the panels of the range hold every input row, dy
        // and dx the rows and lanes.
        unsafe { block.run(self.isa) };
    }
}
