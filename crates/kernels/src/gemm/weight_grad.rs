//! The weight gradient of a dense layer, produced in packed form: `dW = sum of dy x^T` over the
//! lanes of all blocks of the batch, block by block, lane by lane.
//!
//! `dy` is turned in small pieces so that vectors lie along the outputs of a panel. Finished
//! runs can be handed to a callback while they are in the first cache, which lets an optimiser
//! update its parameters without the gradient ever being stored.

use super::macro_tile::{Block, block};
use super::tile::{GROUP, Place, Walk};
use super::transpose::transpose;
use super::{PANEL, Start, packed_len};
use crate::simd::{Isa, Kernel, Simd, run_on};
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
    run_on(isa, Whole { operands: Operands { dims, dy, x }, dw, start });
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
    run_on(isa, Tiles { operands: Operands { dims, dy, x }, sink: &mut sink });
}

/// Panels turned and reduced together.
const PANELS: usize = 2;
/// Steps of the reduction in one turned piece.
const STEPS: usize = 128;
/// Inputs of one run when the reduction is a single piece, and when it takes several: then the
/// run is longer, to turn `dy` less often.
const SHORT_RUN: usize = 64;
const LONG_RUN: usize = 256;

struct Operands<'a> {
    dims: WeightGradDims,
    dy: &'a [f32],
    x: &'a [f32],
}

/// Part of the reduction: lanes `lanes` of blocks `blocks`; more than one block only with all
/// their lanes.
struct Piece {
    blocks: Range<usize>,
    lanes: Range<usize>,
}

impl Operands<'_> {
    /// Cuts the reduction into pieces of at most `STEPS` steps, in order. An empty reduction is
    /// one empty piece, so that results are always written.
    #[inline(always)]
    fn pieces(&self, mut each: impl FnMut(Piece)) {
        let WeightGradDims { lanes, blocks, .. } = self.dims;
        if lanes == 0 || blocks == 0 {
            each(Piece { blocks: 0..0, lanes: 0..0 });
        } else if lanes <= STEPS {
            let most = STEPS / lanes;
            for at in (0..blocks).step_by(most) {
                each(Piece { blocks: at..blocks.min(at + most), lanes: 0..lanes });
            }
        } else {
            for b in 0..blocks {
                for at in (0..lanes).step_by(STEPS) {
                    each(Piece { blocks: b..b + 1, lanes: at..lanes.min(at + STEPS) });
                }
            }
        }
    }

    #[inline(always)]
    fn is_one_piece(&self) -> bool {
        self.dims.lanes * self.dims.blocks <= STEPS
    }

    /// Turns the rows of panels `panel ..` in a piece into `[step][panels][16]`; rows past the
    /// last output become zero.
    #[inline(always)]
    fn turn<S: Simd>(&self, s: S, piece: &Piece, panel: usize, turned: &mut Turned) {
        let WeightGradDims { rows, lanes, dy_block, .. } = self.dims;
        let row = PANELS * PANEL;
        let wide = piece.lanes.len();
        for (i, b) in piece.blocks.clone().enumerate() {
            let first = panel * PANEL;
            let n = (rows - first).min(row);
            let src = &self.dy[b * dy_block + first * lanes + piece.lanes.start..];
            let dst = &mut turned.0[i * wide * row..][..wide * row];
            // SAFETY: n rows of dy, checked at entry, `lanes` apart; dst holds wide rows of 32.
            unsafe { transpose(s, (n, wide), src.as_ptr(), lanes, dst.as_mut_ptr(), row) };
            if n < row {
                for step in dst.chunks_exact_mut(row) {
                    step[n..].fill(0.0);
                }
            }
        }
    }

    /// Adds a piece to the gradient of inputs `inputs` for the panels turned.
    ///
    /// # Safety
    /// `dst` is writable for `panels` panels `dst_panel` apart, each `[inputs][16]`.
    #[allow(clippy::too_many_arguments, reason = "one call site per driver")]
    #[inline(always)]
    unsafe fn reduce<S: Simd>(
        &self,
        s: S,
        piece: &Piece,
        turned: &Turned,
        inputs: Range<usize>,
        panels: usize,
        dst: *mut f32,
        dst_panel: usize,
        start: Start,
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
        };
        let place = Place { row: PANEL, group: dst_panel };
        let b = Block { walk, place, rows: inputs.len(), lanes: panels * GROUP, start };
        let first = piece.blocks.start * x_block + inputs.start * lanes + piece.lanes.start;
        let x = self.x.as_ptr().wrapping_add(first);
        let turned = turned.0.as_ptr();
        // SAFETY: x holds the lanes of the inputs in every block, checked at entry; the turned
        // piece holds all steps; the caller vouches for dst.
        unsafe { block::<S, false>(s, b, |input| x.wrapping_add(input * lanes), turned, dst) };
    }
}

/// A turned piece of `dy`: `[step][panels][16]`.
#[repr(align(64))]
struct Turned([f32; STEPS * PANELS * PANEL]);

struct Whole<'a> {
    operands: Operands<'a>,
    dw: &'a mut [f32],
    start: Start,
}

impl Kernel for Whole<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let WeightGradDims { rows, inputs, .. } = self.operands.dims;
        let mut turned = Turned([0.0; STEPS * PANELS * PANEL]);
        let all = rows.div_ceil(PANEL);
        for panel in (0..all).step_by(PANELS) {
            let panels = PANELS.min(all - panel);
            let dst = self.dw[panel * inputs * PANEL..].as_mut_ptr();
            let mut start = self.start;
            self.operands.pieces(|piece| {
                self.operands.turn(s, &piece, panel, &mut turned);
                let (ops, dst_panel) = (&self.operands, inputs * PANEL);
                // SAFETY: dw holds these panels whole.
                unsafe {
                    ops.reduce(s, &piece, &turned, 0..inputs, panels, dst, dst_panel, start);
                };
                start = Start::Dst;
            });
        }
    }
}

struct Tiles<'a> {
    operands: Operands<'a>,
    sink: &'a mut dyn FnMut(usize, &[f32]),
}

impl Kernel for Tiles<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let WeightGradDims { rows, inputs, .. } = self.operands.dims;
        let mut turned = Turned([0.0; STEPS * PANELS * PANEL]);
        let mut runs = [0.0f32; PANELS * LONG_RUN * PANEL];
        let once = self.operands.is_one_piece();
        let length = if once { SHORT_RUN } else { LONG_RUN };
        let all = rows.div_ceil(PANEL);
        for panel in (0..all).step_by(PANELS) {
            let panels = PANELS.min(all - panel);
            for at in (0..inputs).step_by(length) {
                let n = length.min(inputs - at);
                let mut start = Start::Zero;
                self.operands.pieces(|piece| {
                    if !once || at == 0 {
                        self.operands.turn(s, &piece, panel, &mut turned);
                    }
                    let (ops, dst) = (&self.operands, runs.as_mut_ptr());
                    // SAFETY: the buffer has room for the panels of a run of this length.
                    unsafe {
                        ops.reduce(s, &piece, &turned, at..at + n, panels, dst, n * PANEL, start);
                    };
                    start = Start::Dst;
                });
                for (p, run) in runs.chunks_exact(n * PANEL).take(panels).enumerate() {
                    (self.sink)(((panel + p) * inputs + at) * PANEL, run);
                }
            }
        }
    }
}
