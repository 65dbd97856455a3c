//! The weight gradient of a dense layer, produced in packed form: `dW = sum of dy x^T` over the
//! lanes of all blocks of the batch, block by block, lane by lane.
//!
//! `dy` is turned in small pieces so that vectors lie along the outputs of a panel. Finished
//! runs can be handed to a callback while they are in the first cache, which lets an optimiser
//! update its parameters without the gradient ever being stored.

use super::block::{Block, Panels};
use super::dense::blocks;
use super::rearrange::{Sides, transpose};
use super::stack::Stack;
use super::tile::{Ahead, GROUP, Place, Walk};
use super::{PANEL, Start, packed_len};
use crate::simd::Isa;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Sizes of `dW[rows, inputs] = sum over blocks b, lanes l of dy[b][row][l] x[b][input][l]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightGradDims {
    /// Output rows: all of the weight's, or those of some panels (`dy` begins at their first).
    pub rows: usize,
    /// Inputs of the layer.
    pub inputs: usize,
    /// Lanes of one block.
    pub lanes: usize,
    /// Blocks of the batch (or time steps).
    pub blocks: usize,
    /// Elements from one block of `dy` to the next.
    pub dy_block: usize,
    /// Elements from one block of `x` to the next.
    pub x_block: usize,
}

impl WeightGradDims {
    fn check(&self, dy: &[f32], x: &[f32]) {
        if self.blocks > 0 {
            let last = self.blocks - 1;
            assert!(dy.len() >= last * self.dy_block + self.rows * self.lanes, "dy of {self:?}");
            assert!(x.len() >= last * self.x_block + self.inputs * self.lanes, "x of {self:?}");
        }
    }
}

/// Stores the gradient in packed form; see [`WeightGradDims`].
///
/// # Panics
/// When `dy` or `x` is too short or `dw` has another length than the dimensions say.
pub fn weight_grad(dims: WeightGradDims, dy: &[f32], x: &[f32], dw: &mut [f32], start: Start) {
    weight_grad_on(Isa::current(), dims, dy, x, dw, start);
}

/// [`weight_grad`] on a given instruction set.
///
/// # Panics
/// When `dy` or `x` is too short or `dw` has another length than the dimensions say.
pub fn weight_grad_on(
    isa: Isa,
    dims: WeightGradDims,
    dy: &[f32],
    x: &[f32],
    dw: &mut [f32],
    start: Start,
) {
    dims.check(dy, x);
    assert_eq!(dw.len(), packed_len(dims.rows, dims.inputs), "dw of {dims:?}");
    if dw.is_empty() {
        return;
    }
    let grad = Grad { isa, dims, dy, x };
    let mut turned = Turned::new();
    for panels in blocks(dims.rows.div_ceil(PANEL), PANELS) {
        let dst = dw[panels.start * dims.inputs * PANEL..].as_mut_ptr();
        let mut start = start;
        for piece in grad.pieces() {
            grad.turn(&piece, panels.clone(), &mut turned);
            let run = Run { panels: panels.len(), inputs: 0..dims.inputs, start };
            // SAFETY: dw holds these panels whole.
            unsafe { grad.reduce(&piece, &turned, run, dst, dims.inputs * PANEL) };
            start = Start::Dst;
        }
    }
}

/// Hands the gradient out in finished runs: `sink(offset, run)` where `run` are the elements of
/// the packed form from `offset` on. Runs come in no promised order, each element once.
///
/// # Panics
/// When `dy` or `x` is too short for the dimensions.
pub fn weight_grad_tiles(
    dims: WeightGradDims,
    dy: &[f32],
    x: &[f32],
    sink: impl FnMut(usize, &[f32]),
) {
    weight_grad_tiles_on(Isa::current(), dims, dy, x, sink);
}

/// [`weight_grad_tiles`] on a given instruction set.
///
/// # Panics
/// When `dy` or `x` is too short for the dimensions.
pub fn weight_grad_tiles_on(
    isa: Isa,
    dims: WeightGradDims,
    dy: &[f32],
    x: &[f32],
    mut sink: impl FnMut(usize, &[f32]),
) {
    dims.check(dy, x);
    if packed_len(dims.rows, dims.inputs) == 0 {
        return;
    }
    let grad = Grad { isa, dims, dy, x };
    let mut turned = Turned::new();
    let mut runs = Stack::<{ PANELS * LONG_RUN * PANEL }>::new();
    let runs = runs.as_mut_ptr();
    let once = dims.lanes * dims.blocks <= STEPS;
    let length = if once { SHORT_RUN } else { LONG_RUN };
    for panels in blocks(dims.rows.div_ceil(PANEL), PANELS) {
        for inputs in blocks(dims.inputs, length) {
            let n = inputs.len() * PANEL;
            let mut start = Start::Zero;
            for piece in grad.pieces() {
                if !once || inputs.start == 0 {
                    grad.turn(&piece, panels.clone(), &mut turned);
                }
                let run = Run { panels: panels.len(), inputs: inputs.clone(), start };
                // SAFETY: the buffer has room for the panels of a run of this length.
                unsafe { grad.reduce(&piece, &turned, run, runs, n) };
                start = Start::Dst;
            }
            for (i, panel) in panels.clone().enumerate().filter(|_| n > 0) {
                // SAFETY: the pieces, at least one, have written every panel of the run.
                let run = unsafe { std::slice::from_raw_parts(runs.add(i * n), n) };
                sink((panel * dims.inputs + inputs.start) * PANEL, run);
            }
        }
    }
}

/// Panels turned and reduced together.
const PANELS: usize = 4;
/// Steps of the reduction in one turned piece.
const STEPS: usize = 128;
/// Inputs of one run when the reduction is a single piece, and when it takes several: then the
/// run is longer, to turn `dy` less often.
const SHORT_RUN: usize = 48;
const LONG_RUN: usize = 144;

/// Part of the reduction: lanes `lanes` of blocks `blocks`; several blocks only with all their
/// lanes.
struct Piece {
    blocks: Range<usize>,
    lanes: Range<usize>,
}

/// Inputs of some panels whose chains go on, or start.
struct Run {
    panels: usize,
    inputs: Range<usize>,
    start: Start,
}

/// A turned piece of `dy`: `[step][panels][16]`.
#[repr(align(64))]
struct Turned([MaybeUninit<f32>; STEPS * PANELS * PANEL]);

impl Turned {
    fn new() -> Self {
        Turned([MaybeUninit::uninit(); STEPS * PANELS * PANEL])
    }
}

struct Grad<'a> {
    isa: Isa,
    dims: WeightGradDims,
    dy: &'a [f32],
    x: &'a [f32],
}

impl Grad<'_> {
    /// The reduction in pieces of at most `STEPS` steps, in order. An empty reduction is one
    /// empty piece, so that results are always written.
    fn pieces(&self) -> impl Iterator<Item = Piece> {
        let WeightGradDims { lanes: wide, blocks: count, .. } = self.dims;
        let together = (STEPS / wide.max(1)).max(1);
        blocks(count, together).flat_map(move |blocks_| {
            blocks(wide, STEPS).map(move |lanes| Piece { blocks: blocks_.clone(), lanes })
        })
    }

    /// Turns the rows of some panels in a piece into `[step][panels][16]`; rows past the last
    /// output become zero.
    fn turn(&self, piece: &Piece, panels: Range<usize>, turned: &mut Turned) {
        let WeightGradDims { rows, lanes, dy_block, .. } = self.dims;
        let row = PANELS * PANEL;
        let wide = piece.lanes.len();
        let first = panels.start * PANEL;
        let n = (rows - first).min(row);
        for (i, b) in piece.blocks.clone().enumerate() {
            let src = &self.dy[b * dy_block + first * lanes + piece.lanes.start..];
            let dst = &mut turned.0[i * wide * row..][..wide * row];
            let (src, to) = (src.as_ptr(), dst.as_mut_ptr().cast());
            let sides = Sides { src, src_row: lanes, dst: to, dst_row: row };
            // SAFETY: n rows of dy, checked at entry, `lanes` apart; dst has `wide` rows.
            unsafe { transpose(self.isa, n, wide, sides) };
            if n < row {
                for step in dst.chunks_exact_mut(row) {
                    step[n..].fill(MaybeUninit::new(0.0));
                }
            }
        }
    }

    /// Adds a turned piece to a run.
    ///
    /// # Safety
    /// `dst` is accessible for the run's panels, `dst_panel` apart, each `[inputs][16]`; the
    /// panels of the piece have been turned.
    unsafe fn reduce(
        &self,
        piece: &Piece,
        turned: &Turned,
        run: Run,
        dst: *mut f32,
        dst_panel: usize,
    ) {
        let WeightGradDims { lanes, x_block, .. } = self.dims;
        let steps = piece.lanes.len();
        let row = PANELS * PANEL;
        let walk = Walk {
            outer: piece.blocks.len(),
            inner: steps,
            last: steps,
            w_outer: x_block,
            w_inner: 1,
            w_row: lanes,
            x_outer: steps * row,
            x_inner: row,
            x_group: PANEL,
            ahead: Ahead::Nothing,
        };
        let first = piece.blocks.start * x_block + run.inputs.start * lanes + piece.lanes.start;
        let block = Block {
            walk,
            w: self.x.as_ptr().wrapping_add(first),
            panels: Panels { rows: PANEL, next: PANEL * lanes },
            x: turned.0.as_ptr().cast(),
            x_next: PANEL,
            tile: None,
            c: dst,
            place: Place { row: PANEL, group: dst_panel },
            rows: run.inputs.len(),
            lanes: run.panels * GROUP,
            start: run.start,
        };
        // SAFETY: x holds the lanes of the inputs in every block, checked at entry; the turned
        // piece holds all steps; the caller vouches for dst.
        unsafe { block.run(self.isa) };
    }
}
