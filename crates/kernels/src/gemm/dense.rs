//! The forward product of a dense layer: packed weights times activations in lane layout.
//!
//! Sixteen lanes and more put the vectors along the lanes; fewer put them along the outputs
//! of the panels. The reduction is blocked so that the activations of a block stay in the first or,
//! where tiles have enough to do meanwhile, in the second cache, while all panels pass by.

use super::block::{Block, Panels};
use super::distant::{self, is_distant};
use super::general::evenly;
use super::near::{self, is_near};
use super::quarters;
use super::rearrange::{Sides, copy, spread, transpose};
use super::stack::Stack;
use super::streamed::{self, Streamed};
use super::tile::{Ahead, GROUP, Place, Walk};
use super::turned::{self, Turned};
use super::{PANEL, Start, packed_len};
use crate::simd::{Isa, run_on};
use crate::sizes::elements;
use std::ops::Range;

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
    Product::new(isa, dims, w, x, y, start).run(None);
}

/// [`dense_forward`] that hands out rows of `y` when they are finished, while they are in the first
/// cache where that can be: `finished(rows, y)`, each row once, in order.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn dense_forward_rows(
    dims: DenseDims,
    w: &[f32],
    x: &[f32],
    y: &mut [f32],
    start: Start,
    finished: impl FnMut(Range<usize>, &mut [f32]),
) {
    dense_forward_rows_on(Isa::current(), dims, w, x, y, start, finished);
}

/// [`dense_forward_rows`] on a given instruction set.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn dense_forward_rows_on(
    isa: Isa,
    dims: DenseDims,
    w: &[f32],
    x: &[f32],
    y: &mut [f32],
    start: Start,
    mut finished: impl FnMut(Range<usize>, &mut [f32]),
) {
    Product::new(isa, dims, w, x, y, start).run(Some(&mut finished));
}

/// Takes rows that are finished.
type Finished<'a> = &'a mut dyn FnMut(Range<usize>, &mut [f32]);

/// Rows handed out together.
const TOGETHER_ROWS: usize = 3 * PANEL;
/// Elements of `x` that one block of the reduction keeps in the first cache.
const X_BLOCK: usize = 8192;
/// Elements of `x` that tiles of many chains may find in the second: panels that are read from end to
/// end come from further away without a pause, and results are written once.
const FAR_BLOCK: usize = 8 * X_BLOCK;
/// Lanes above which a block of `x` is copied together, so that its rows do not fall on the
/// same cache sets.
const MOST_LANES: usize = 64;
/// Length of a reduction from which results are worth turning though the lanes would do.
const TURNING_PAYS: usize = 96;
/// Lanes that fill the widest tiles, so that nothing is to be gained by turning results.
const WIDE: usize = 3 * GROUP;
/// Lanes that fill two vectors do not gain either: their tiles have twelve rows.
const TWO_VECTORS: usize = 2 * GROUP;
/// Elements of `x` copied together for results that are turned.
const TOGETHER: usize = 1 << 16;
/// Lanes of a tile, and lanes and steps of all tiles, that stay in the second cache.
const STREAMED_TILE: usize = streamed::IN_PANELS * GROUP;
const STREAMED_LANES: usize = 5 * STREAMED_TILE;
const STREAMED_STEPS: usize = 512;
/// Outputs turned together when vectors lie along them.
const TURNED: usize = 12 * PANEL;

/// Steps of the reduction whose activations make up one block.
fn steps_per_block(lanes: usize) -> usize {
    X_BLOCK / lanes.next_multiple_of(GROUP)
}

struct Product<'a> {
    isa: Isa,
    dims: DenseDims,
    w: &'a [f32],
    x: &'a [f32],
    y: &'a mut [f32],
    start: Start,
}

impl<'a> Product<'a> {
    fn new(
        isa: Isa,
        dims: DenseDims,
        w: &'a [f32],
        x: &'a [f32],
        y: &'a mut [f32],
        start: Start,
    ) -> Product<'a> {
        assert_eq!(w.len(), packed_len(dims.rows, dims.inputs), "packed weight of {dims:?}");
        assert_eq!(x.len(), elements([dims.inputs, dims.lanes]), "x of {dims:?}");
        assert_eq!(y.len(), elements([dims.rows, dims.lanes]), "y of {dims:?}");
        Product { isa, dims, w, x, y, start }
    }

    fn run(&mut self, finished: Option<Finished<'_>>) {
        match self.dims.lanes {
            0 => {}
            1 => self.one_lane(),
            _ if quarters::fits(self.isa, self.dims) => self.quarters(),
            _ if self.turns() => self.turned(),
            lanes if lanes <= GROUP => self.few_lanes(),
            lanes if lanes <= MOST_LANES => return self.one_pass(finished),
            _ if self.streams() => self.streamed(),
            lanes => self.copied_passes(0..lanes),
        }
        if let Some(finished) = finished {
            finished(0..self.dims.rows, self.y);
        }
    }

    /// Whether eight lanes at a time, turned in registers, are the fastest way.
    fn turns(&self) -> bool {
        let DenseDims { rows, inputs, lanes } = self.dims;
        let fits = lanes.is_multiple_of(turned::ROWS) && rows >= 3 * PANEL;
        let fits = fits && inputs * turned::ROWS <= TOGETHER;
        let narrow = lanes < WIDE && lanes != TWO_VECTORS && inputs >= TURNING_PAYS;
        let pays = lanes <= GROUP || narrow;
        self.isa == Isa::Avx512 && fits && pays
    }

    /// Vectors along the outputs of three panels at a time, turned in registers. Rows that fill no
    /// panel are left to the others.
    fn turned(&mut self) {
        let DenseDims { rows, inputs, lanes } = self.dims;
        // Beside panels that pass by, half of the first cache is left.
        if inputs * lanes <= X_BLOCK / 2 || lanes == turned::ROWS {
            let x = self.x.as_ptr();
            // SAFETY: x holds the lanes at every step.
            unsafe { self.turn_lanes(0..lanes, x, lanes, turned::ROWS) };
        } else {
            self.turned_copies();
        }
        self.rest(rows / PANEL * PANEL);
    }

    /// Quarters of vectors along the outputs of three panels at a time.
    fn quarters(&mut self) {
        let Product { dims, w, x, start, .. } = *self;
        // SAFETY: the sizes fit, and those of the slices were checked.
        let done =
            unsafe { quarters::run(dims, w.as_ptr(), x.as_ptr(), self.y.as_mut_ptr(), start) };
        self.rest(done);
    }

    /// The rows from `done` on, a panel's first.
    fn rest(&mut self, done: usize) {
        let DenseDims { rows, inputs, lanes } = self.dims;
        let mut rest = Product {
            dims: DenseDims { rows: rows - done, ..self.dims },
            w: &self.w[done * inputs..],
            y: &mut self.y[done * lanes..],
            ..*self
        };
        rest.run(None);
    }

    /// As many lanes at a time as there is room for, copied so that those of a tile lie together.
    #[inline(never)]
    fn turned_copies(&mut self) {
        let DenseDims { inputs, lanes, .. } = self.dims;
        let mut together = Stack::<TOGETHER>::new();
        let together = together.as_mut_ptr();
        let next = turned::ROWS * inputs;
        for part in blocks(lanes, TOGETHER / next * turned::ROWS) {
            for (tile, at) in part.clone().step_by(turned::ROWS).enumerate() {
                let (src, dst) =
                    (self.x.as_ptr().wrapping_add(at), together.wrapping_add(tile * next));
                let sides = Sides { src, src_row: lanes, dst, dst_row: turned::ROWS };
                // SAFETY: x holds these lanes at every step; there is room for the tiles.
                unsafe { copy(self.isa, inputs, turned::ROWS, sides) };
            }
            // SAFETY: the copies hold these lanes.
            unsafe { self.turn_lanes(part, together, turned::ROWS, next) };
        }
    }

    /// Some lanes of all whole panels. The lanes at one step lie side by side in `x`, steps `step`
    /// apart, every eight lanes `next` further on.
    ///
    /// # Safety
    /// `x` holds these lanes at every step.
    unsafe fn turn_lanes(&mut self, part: Range<usize>, x: *const f32, step: usize, next: usize) {
        let DenseDims { rows, inputs, lanes } = self.dims;
        let walk = Walk {
            outer: 1,
            inner: 0,
            last: inputs,
            w_outer: 0,
            w_inner: step,
            w_row: 1,
            x_outer: 0,
            x_inner: PANEL,
            x_group: inputs * PANEL,
            ahead: Ahead::Nothing,
        };
        let turned = Turned {
            walk,
            w: x,
            w_next: next,
            x: self.w.as_ptr(),
            c: self.y.as_mut_ptr().wrapping_add(part.start),
            c_row: lanes,
            rows: part.len(),
            groups: rows / PANEL,
            start: self.start,
        };
        // SAFETY: w holds the panels, y their rows by lanes; the caller vouches for x.
        unsafe { turned.run(self.isa) };
    }

    /// The matrix-vector product: vectors along the outputs of many panels.
    fn one_lane(&mut self) {
        let y = self.y.as_mut_ptr();
        // SAFETY: y holds every row.
        unsafe { self.along_outputs(0..self.dims.rows, y, 0, self.start) };
    }

    /// Vectors along the outputs of some panels at a time, turned on their way to `y`.
    fn few_lanes(&mut self) {
        let DenseDims { rows, lanes, .. } = self.dims;
        let mut tile = Stack::<{ GROUP * TURNED }>::new();
        let tile = tile.as_mut_ptr();
        for part in blocks(rows, TURNED) {
            let n = part.len();
            let y = self.y[part.start * lanes..].as_mut_ptr();
            // SAFETY: y holds these rows; the tile has room for fewer than sixteen lanes of them.
            unsafe {
                if self.start == Start::Dst {
                    let sides = Sides { src: y, src_row: lanes, dst: tile, dst_row: TURNED };
                    transpose(self.isa, n, lanes, sides);
                }
                self.along_outputs(part, tile, TURNED, self.start);
                let sides = Sides { src: tile, src_row: TURNED, dst: y, dst_row: lanes };
                transpose(self.isa, lanes, n, sides);
            }
        }
    }

    /// Rows `outs` (from a panel's first) of the result, transposed: `c[lane * row + out]`.
    ///
    /// # Safety
    /// `c` is accessible for the lanes and outputs.
    unsafe fn along_outputs(&self, outs: Range<usize>, c: *mut f32, row: usize, start: Start) {
        let DenseDims { inputs, lanes, .. } = self.dims;
        let walk = Walk {
            outer: 1,
            inner: 0,
            last: inputs,
            w_outer: 0,
            w_inner: lanes,
            w_row: 1,
            x_outer: 0,
            x_inner: PANEL,
            x_group: inputs * PANEL,
            ahead: Ahead::Nothing,
        };
        let block = Block {
            walk,
            w: self.x.as_ptr(),
            panels: Panels { rows: PANEL, next: PANEL },
            x: self.w.as_ptr().wrapping_add(outs.start * inputs),
            x_next: walk.x_group,
            tile: None,
            c,
            place: Place { row, group: GROUP },
            rows: lanes,
            lanes: outs.len(),
            start,
        };
        // SAFETY: x holds the lanes at every step, w the panels; the caller vouches for c.
        unsafe {
            if is_distant(lanes, self.w.len()) {
                distant::run(block, self.isa);
            } else if lanes == 1 && is_near(self.isa, self.w.len()) {
                near::run(block, self.isa);
            } else {
                block.run(self.isa);
            }
        }
    }

    /// Vectors along the lanes, activations used where they are. The last steps of the reduction finish
    /// some rows after others.
    fn one_pass(&mut self, mut finished: Option<Finished<'_>>) {
        let DenseDims { rows, inputs, lanes } = self.dims;
        let block = if self.isa == Isa::Avx512 { FAR_BLOCK } else { X_BLOCK };
        for ks in blocks(inputs, block / lanes.next_multiple_of(GROUP)) {
            let x = self.x[ks.start * lanes..].as_ptr();
            let mut finished = finished.as_mut().filter(|_| ks.end == inputs);
            let together = if finished.is_some() { TOGETHER_ROWS } else { rows };
            for part in blocks(rows, together.max(1)) {
                let block = self.block(&ks, x, lanes, 0..lanes).below(part.start);
                let block = Block { rows: part.len(), ..block };
                // SAFETY: panels are padded to sixteen rows and hold the steps; these rows of x, all
                // their lanes; y has the rows and lanes.
                unsafe { block.run(self.isa) };
                if let Some(finished) = &mut finished {
                    let words = part.start * lanes..part.end * lanes;
                    finished(part, &mut self.y[words]);
                }
            }
        }
    }

    /// Vectors along these lanes, activations of some of them at a time copied together.
    fn copied_passes(&mut self, all: Range<usize>) {
        let DenseDims { inputs, lanes, .. } = self.dims;
        let mut together = Stack::<X_BLOCK>::new();
        let together = together.as_mut_ptr();
        for part in blocks(all.len(), MOST_LANES) {
            let part = all.start + part.start..all.start + part.end;
            let row = part.len().next_multiple_of(GROUP);
            for ks in blocks(inputs, steps_per_block(row)) {
                let src = self.x.as_ptr().wrapping_add(ks.start * lanes + part.start);
                let sides = Sides { src, src_row: lanes, dst: together, dst_row: row };
                // SAFETY: x holds these steps and lanes; the block has room for them, each step
                // padded to whole groups.
                unsafe {
                    copy(self.isa, ks.len(), part.len(), sides);
                    self.pass(ks, together, row, part.clone());
                }
            }
        }
    }

    /// Whether activations stay in the second cache rather than the first: results then are read and
    /// written once in four times as many steps. Few steps read them hardly again.
    fn streams(&self) -> bool {
        let DenseDims { rows, inputs, .. } = self.dims;
        self.isa == Isa::Avx512 && rows >= PANEL && inputs > 2 * steps_per_block(MOST_LANES)
    }

    /// Activations of some lanes copied tile by tile, while panels pass by where they are. Lanes that
    /// fill no tile are left to the others.
    #[inline(never)]
    fn streamed(&mut self) {
        let DenseDims { inputs, lanes, .. } = self.dims;
        let mut tiles = Stack::<{ STREAMED_LANES * STREAMED_STEPS }>::new();
        let tiles = tiles.as_mut_ptr();
        // One group alone would make narrow tiles; beside a tile's it makes wide ones.
        let rest = match lanes % STREAMED_TILE {
            rest @ 1..=GROUP => rest + STREAMED_TILE,
            rest => rest,
        };
        for part in blocks(lanes - rest, STREAMED_LANES) {
            for ks in evenly(inputs, STREAMED_STEPS) {
                let src = self.x.as_ptr().wrapping_add(ks.start * lanes + part.start);
                let sides = Sides { src, src_row: lanes, dst: tiles, dst_row: STREAMED_TILE };
                // SAFETY: x holds these steps and lanes; there is room for the tiles, which hold them.
                unsafe {
                    spread(self.isa, ks.len(), part.len(), sides);
                    self.stream(ks, tiles, part.clone());
                }
            }
        }
        if rest > 0 {
            self.copied_passes(lanes - rest..lanes);
        }
    }

    /// All rows and some lanes, whole tiles, over steps `ks`.
    ///
    /// # Safety
    /// `x` holds the steps of the lanes tile by tile.
    unsafe fn stream(&mut self, ks: Range<usize>, x: *const f32, lanes: Range<usize>) {
        let mut block = self.block(&ks, x, STREAMED_TILE, lanes);
        block.x_next = GROUP * ks.len();
        block.tile = Some(STREAMED_TILE / GROUP);
        let done = run_on(self.isa, Streamed(block));
        // SAFETY: as for `pass`.
        unsafe { block.below(done).run(self.isa) };
    }

    /// All rows and some lanes of the result over steps `ks` of the reduction.
    ///
    /// # Safety
    /// `x` holds the steps, `x_row` elements apart, each with as many lanes as `lanes` names.
    unsafe fn pass(&mut self, ks: Range<usize>, x: *const f32, x_row: usize, lanes: Range<usize>) {
        // SAFETY: panels are padded to sixteen rows and hold the steps; y has the rows and lanes.
        unsafe { self.block(&ks, x, x_row, lanes).run(self.isa) };
    }

    fn block(
        &mut self,
        ks: &Range<usize>,
        x: *const f32,
        x_row: usize,
        lanes: Range<usize>,
    ) -> Block {
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
            ahead: Ahead::Nothing,
        };
        Block {
            walk,
            w: self.w.as_ptr().wrapping_add(ks.start * PANEL),
            panels: Panels { rows: PANEL, next: inputs * PANEL },
            x,
            x_next: GROUP,
            tile: None,
            c: self.y.as_mut_ptr().wrapping_add(lanes.start),
            place: Place { row: y_row, group: GROUP },
            rows,
            lanes: lanes.len(),
            start: if ks.start == 0 { self.start } else { Start::Dst },
        }
    }
}

/// Ranges of at most `most` that make up `0 .. n`, in order; one empty range for none.
pub(super) fn blocks(n: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n.max(1)).step_by(most).map(move |at| at..n.min(at + most))
}
