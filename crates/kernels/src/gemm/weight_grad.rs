//! The weight gradient of a dense layer, produced in packed form: `dW = sum of dy x^T` over the
//! lanes of all blocks of the batch, block by block, lane by lane.
//!
//! `dy` is turned in small pieces so that vectors lie along the outputs of a panel. Parameters can
//! follow finished runs or tiles while these are in the first cache; the gradient is then never
//! stored.

use super::block::{Block, Panels};
use super::dense::blocks;
use super::followed::{self, Followed};
use super::rearrange::{Sides, transpose};
use super::stack::Stack;
use super::tile::{Ahead, GROUP, Place, Walk};
use super::{PANEL, Start, packed_len};
use crate::optim::{Follow, Ruled, States, update_some};
use crate::simd::Isa;
use crate::sizes::elements;
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
        // The steps of the reduction, which nothing else counts.
        elements([self.lanes, self.blocks]);
        let fits = |rows: usize, block: usize, slice: &[f32]| {
            let one = elements([rows, self.lanes]);
            let before = self.blocks.checked_sub(1).map(|blocks| elements([blocks, block]));
            before.is_none_or(|before| before <= slice.len() && one <= slice.len() - before)
        };
        assert!(fits(self.rows, self.dy_block, dy), "dy of {self:?}");
        assert!(fits(self.inputs, self.x_block, x), "x of {self:?}");
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
    let mut turned = Stack::<{ STEPS * ROW }>::new();
    let turned = turned.as_mut_ptr();
    for panels in blocks(dims.rows.div_ceil(PANEL), PANELS) {
        let dst = dw[panels.start * dims.inputs * PANEL..].as_mut_ptr();
        let mut start = start;
        for piece in grad.pieces() {
            let run = Run { panels: panels.len(), inputs: 0..dims.inputs, start };
            // SAFETY: there is room for a turned piece; dw holds these panels whole.
            unsafe {
                grad.turn(&piece, panels.clone(), turned);
                grad.reduce(&piece, turned, run, dst, dims.inputs * PANEL);
            }
            start = Start::Dst;
        }
    }
}

/// Updates parameters in packed form by the gradient, which is never stored.
///
/// # Panics
/// When `dy` or `x` is too short for the dimensions, or there are not as many parameters.
pub fn weight_grad_update(dims: WeightGradDims, dy: &[f32], x: &[f32], states: &mut States) {
    let isa = Isa::current();
    match &mut states.0 {
        Ruled::Adam(states) => followed_on(isa, dims, dy, x, states),
        Ruled::Sgd(states) => followed_on(isa, dims, dy, x, states),
    }
}

/// [`weight_grad_update`] on a given instruction set, of any rule.
pub(super) fn followed_on(
    isa: Isa,
    dims: WeightGradDims,
    dy: &[f32],
    x: &[f32],
    states: &mut impl Follow,
) {
    let grad = Grad::new(isa, dims, dy, x, states);
    let panels = 0..dims.rows.div_ceil(PANEL);
    match dims.lanes * dims.blocks {
        _ if states.parameters().is_empty() => {}
        1..=TILED if isa == Isa::Avx512 && dims.inputs >= followed::MR => grad.by_tiles(states),
        0..=STEPS => grad.with_room_for_one(panels, SHORT_RUN, states),
        0..=KEPT if dims.inputs > LONG_RUN => grad.with_room_for_all(panels, states),
        _ => grad.with_room_for_one(panels, LONG_RUN, states),
    }
}

/// Panels reduced together, and their outputs.
const PANELS: usize = 4;
const ROW: usize = PANELS * PANEL;
/// Steps of the reduction in one turned piece.
const STEPS: usize = 128;
/// Steps of the longest reduction that gains by tiles: more turned rows leave the first cache too
/// little room for states.
const TILED: usize = 64;
const _: () = assert!(TILED <= STEPS && followed::NV == PANELS);
/// Steps of a reduction whose turned pieces are kept in the second cache, of so many times four
/// panels: inputs are read once for all of them.
const KEPT: usize = 1024;
const KEPT_GROUPS: usize = 2;
/// Inputs of one run when the reduction is a single piece, and when it takes several: then the
/// run is longer, to read or turn pieces less often.
const SHORT_RUN: usize = 48;
const LONG_RUN: usize = 144;

/// Part of the reduction: lanes `lanes` of blocks `blocks`; several blocks only with all their
/// lanes.
struct Piece {
    blocks: Range<usize>,
    lanes: Range<usize>,
    /// The first step.
    at: usize,
}

/// Inputs of some panels whose chains go on, or start.
struct Run {
    panels: usize,
    inputs: Range<usize>,
    start: Start,
}

pub(super) struct Grad<'a> {
    isa: Isa,
    dims: WeightGradDims,
    dy: &'a [f32],
    x: &'a [f32],
}

/// Room for turned pieces and for the runs of some panels, and how both are cut.
struct Room {
    /// `[group][step][4 panels][16]`.
    turned: *mut f32,
    /// Steps that there is room for.
    steps: usize,
    /// `[panel][input][16]`.
    runs: *mut f32,
    panels: usize,
    inputs: usize,
}

impl<'a> Grad<'a> {
    /// The gradient that `states` will follow.
    pub(super) fn new(
        isa: Isa,
        dims: WeightGradDims,
        dy: &'a [f32],
        x: &'a [f32],
        states: &impl Follow,
    ) -> Grad<'a> {
        dims.check(dy, x);
        let len = packed_len(dims.rows, dims.inputs);
        assert_eq!(len, states.parameters().len(), "parameters of {dims:?}");
        Grad { isa, dims, dy, x }
    }

    /// Whole groups of four panels tile by tile, the rest in runs; there are a tile's inputs, and 1 to
    /// `TILED` steps, which are one piece.
    pub(super) fn by_tiles(&self, states: &mut impl Follow) {
        let WeightGradDims { rows, inputs, .. } = self.dims;
        let panels = rows.div_ceil(PANEL);
        let whole = panels / PANELS * PANELS;
        let mut turned = Stack::<{ TILED * ROW }>::new();
        let turned = turned.as_mut_ptr();
        for piece in self.pieces() {
            let (walk, x) = (self.walk(&piece), self.x.as_ptr());
            for first in (0..whole).step_by(PANELS) {
                // SAFETY: there is room for all steps; x holds all inputs, and there are as many
                // states as in all panels: checked at entry.
                unsafe {
                    self.turn(&piece, first..first + PANELS, turned);
                    Followed { walk, turned, x, inputs, first, states }.run(self.isa);
                }
            }
        }
        self.with_room_for_one(whole..panels, SHORT_RUN, states);
    }

    /// Runs of at most `inputs` inputs and four panels, with room for one turned piece.
    fn with_room_for_one(&self, panels: Range<usize>, inputs: usize, states: &mut impl Follow) {
        let mut turned = Stack::<{ STEPS * ROW }>::new();
        let mut runs = Stack::<{ LONG_RUN * ROW }>::new();
        let (turned, runs) = (turned.as_mut_ptr(), runs.as_mut_ptr());
        let room = Room { turned, steps: STEPS, runs, panels: PANELS, inputs };
        // SAFETY: the room is as large as it says.
        unsafe { self.runs(&room, panels, states) };
    }

    /// Long runs of more panels, with room for all turned pieces.
    #[inline(never)]
    fn with_room_for_all(&self, all: Range<usize>, states: &mut impl Follow) {
        let mut turned = Stack::<{ KEPT * KEPT_GROUPS * ROW }>::new();
        let mut runs = Stack::<{ LONG_RUN * KEPT_GROUPS * ROW }>::new();
        let (turned, runs) = (turned.as_mut_ptr(), runs.as_mut_ptr());
        let panels = KEPT_GROUPS * PANELS;
        let room = Room { turned, steps: KEPT, runs, panels, inputs: LONG_RUN };
        // SAFETY: the room is as large as it says.
        unsafe { self.runs(&room, all, states) };
    }

    /// The gradient of some panels, run by run. Pieces are turned for the first run and kept for the
    /// others, if there is room for all of them.
    ///
    /// # Safety
    /// The room is writable.
    unsafe fn runs(&self, room: &Room, all: Range<usize>, states: &mut impl Follow) {
        let dims = self.dims;
        let keeps = dims.lanes * dims.blocks <= room.steps;
        for first in all.clone().step_by(room.panels) {
            let panels = first..all.end.min(first + room.panels);
            for inputs in blocks(dims.inputs, room.inputs) {
                let n = inputs.len() * PANEL;
                for piece in self.pieces() {
                    let start = if piece.at == 0 { Start::Zero } else { Start::Dst };
                    let at = if keeps { piece.at } else { 0 };
                    for group in (0..panels.len()).step_by(PANELS) {
                        let first = panels.start + group;
                        let group_panels = first..panels.end.min(first + PANELS);
                        let turned =
                            room.turned.wrapping_add((group / PANELS * room.steps + at) * ROW);
                        let runs = room.runs.wrapping_add(group * n);
                        let run = Run { panels: group_panels.len(), inputs: inputs.clone(), start };
                        // SAFETY: promised by the caller.
                        unsafe {
                            if !keeps || inputs.start == 0 {
                                self.turn(&piece, group_panels, turned);
                            }
                            self.reduce(&piece, turned, run, runs, n);
                        }
                    }
                }
                for (i, panel) in panels.clone().enumerate().filter(|_| n > 0) {
                    // SAFETY: the pieces, at least one, have written every panel of the run.
                    let run = unsafe { std::slice::from_raw_parts(room.runs.add(i * n), n) };
                    update_some(
                        self.isa,
                        states,
                        (panel * dims.inputs + inputs.start) * PANEL,
                        run,
                    );
                }
            }
        }
    }

    /// The reduction in pieces of at most `STEPS` steps, in order. An empty reduction is one
    /// empty piece, so that results are always written.
    fn pieces(&self) -> impl Iterator<Item = Piece> {
        let WeightGradDims { lanes: wide, blocks: count, .. } = self.dims;
        let together = (STEPS / wide.max(1)).max(1);
        blocks(count, together).flat_map(move |blocks_| {
            blocks(wide, STEPS).map(move |lanes| {
                let at = blocks_.start * wide + lanes.start;
                Piece { blocks: blocks_.clone(), lanes, at }
            })
        })
    }

    /// Turns the rows of some panels in a piece into `[step][panels][16]`; rows past the last
    /// output become zero.
    ///
    /// # Safety
    /// There is room for the steps of the piece.
    unsafe fn turn(&self, piece: &Piece, panels: Range<usize>, turned: *mut f32) {
        let WeightGradDims { rows, lanes, dy_block, .. } = self.dims;
        let wide = piece.lanes.len();
        let first = panels.start * PANEL;
        let n = (rows - first).min(ROW);
        for (i, b) in piece.blocks.clone().enumerate() {
            let src = self.dy[b * dy_block + first * lanes + piece.lanes.start..].as_ptr();
            let dst = turned.wrapping_add(i * wide * ROW);
            let sides = Sides { src, src_row: lanes, dst, dst_row: ROW };
            // SAFETY: n rows of dy, checked at entry, `lanes` apart; the caller vouches for `wide`
            // rows of dst.
            unsafe {
                transpose(self.isa, n, wide, sides);
                for step in (0..wide).filter(|_| n < ROW) {
                    dst.add(step * ROW + n).write_bytes(0, ROW - n);
                }
            }
        }
    }

    /// How inputs and the turned rows of a piece are walked.
    fn walk(&self, piece: &Piece) -> Walk {
        let steps = piece.lanes.len();
        Walk {
            outer: piece.blocks.len(),
            inner: steps,
            last: steps,
            w_outer: self.dims.x_block,
            w_inner: 1,
            w_row: self.dims.lanes,
            x_outer: steps * ROW,
            x_inner: ROW,
            x_group: PANEL,
            ahead: Ahead::Nothing,
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
        turned: *const f32,
        run: Run,
        dst: *mut f32,
        dst_panel: usize,
    ) {
        let WeightGradDims { lanes, x_block, .. } = self.dims;
        let first = piece.blocks.start * x_block + run.inputs.start * lanes + piece.lanes.start;
        let block = Block {
            walk: self.walk(piece),
            w: self.x.as_ptr().wrapping_add(first),
            panels: Panels { rows: PANEL, next: PANEL * lanes },
            x: turned,
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
