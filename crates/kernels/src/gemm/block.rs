//! A block of a result cut into register tiles: which tile shapes each instruction set uses and
//! how rows and lanes that fill no tile are covered. The cut never changes bits.
//!
//! A tile of `r` rows and `v` groups takes `r + v` loads for `r * v` multiplications: wide tiles
//! (6 by 4, 8 by 3) leave the load ports idle, so they are preferred; few rows take many groups,
//! so that enough chains run side by side.
//!
//! Drivers describe blocks with plain numbers and [`Block::run`] them, so that each tile shape is
//! compiled once, not once a driver.

use super::streamed::{self, Streamed};
use super::tile::{Ahead, GROUP, Place, Walk, load, reduce, row_offsets, store, zeros};
use super::{PANEL, Start};
use crate::simd::{Isa, Kernel, Portable, Simd, run_on};
use std::any::TypeId;
use std::marker::PhantomData;

/// How the rows of the scalars lie: so many in a panel, `walk.w_row` apart, and so many elements
/// from one panel to the next.
#[derive(Clone, Copy)]
pub(super) struct Panels {
    pub rows: usize,
    pub next: usize,
}

/// A block `[rows, lanes]` of a result: scalars broadcast along its rows, vectors along its lanes.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub walk: Walk,
    pub w: *const f32,
    pub panels: Panels,
    pub x: *const f32,
    /// Elements from a tile's vectors to the next tile's, for each group of lanes between them.
    pub x_next: usize,
    /// Groups of a tile, where the vectors are laid out for them.
    pub tile: Option<usize>,
    pub c: *mut f32,
    pub place: Place,
    pub rows: usize,
    pub lanes: usize,
    pub start: Start,
}

impl Block {
    /// Computes the block on `isa`.
    ///
    /// # Safety
    /// Every scalar and lane of the walk is readable; the block is writable at `c`, and readable
    /// where chains start there.
    pub(super) unsafe fn run(mut self, isa: Isa) {
        while self.lanes > 0 {
            let all = self.lanes.div_ceil(GROUP);
            let (groups, count) = match self.tile {
                Some(tile) if self.lanes >= tile * GROUP => {
                    (tile, self.lanes / GROUP / tile * tile)
                }
                Some(tile) => (tile, all),
                None => segment(isa, self.rows, all),
            };
            let lanes = self.lanes.min(count * GROUP);
            let part = Block { lanes, ..self };
            // Strides known to the compiler leave it registers for taller tiles.
            let done = match (self.walk.w_row, self.walk.w_inner) {
                _ if self.tile == Some(streamed::width(isa)) && lanes == count * GROUP => {
                    run_on(isa, Streamed(part))
                }
                (1, PANEL) => run_on(isa, Tall::<Packed>::new(part, groups)),
                (PANEL, 1) => run_on(isa, Tall::<Across>::new(part, groups)),
                _ => 0,
            };
            if done < self.rows {
                run_on(isa, Any { block: part.below(done), groups });
            }
            self.x = self.x.wrapping_add(count * self.x_next);
            self.c = self.c.wrapping_add(count * self.place.group);
            self.lanes -= lanes;
        }
    }

    /// The rows from `done` on.
    pub(super) fn below(self, done: usize) -> Self {
        let c = self.c.wrapping_add(done * self.place.row);
        Block { w: self.w_at(done), c, rows: self.rows - done, ..self }
    }

    #[inline(always)]
    pub(super) fn w_at(&self, row: usize) -> *const f32 {
        let Panels { rows, next } = self.panels;
        self.w.wrapping_add(row / rows * next + row % rows * self.walk.w_row)
    }

    /// One tile: `rows <= MR` rows from `at`, groups from `g`.
    ///
    /// # Safety
    /// As for [`Block::run`]; the block has the rows, and they lie `w_row` apart; all groups but
    /// the last one are whole.
    #[inline(always)]
    unsafe fn tile<S: Simd, W: Scalars, const MR: usize, const NV: usize>(
        &self,
        s: S,
        at: usize,
        rows: usize,
        g: usize,
    ) {
        // SAFETY: promised by the caller.
        unsafe {
            if (g + NV) * GROUP <= self.lanes {
                self.finish::<S, W, MR, NV, false>(s, at, rows, g);
            } else {
                self.finish::<S, W, MR, NV, true>(s, at, rows, g);
            }
        }
    }

    /// # Safety
    /// As for [`Block::tile`]; `PARTIAL` when the last group is not whole.
    #[inline(always)]
    unsafe fn finish<S: Simd, W: Scalars, const MR: usize, const NV: usize, const PARTIAL: bool>(
        &self,
        s: S,
        at: usize,
        rows: usize,
        g: usize,
    ) {
        let lanes = if PARTIAL { self.lanes - (g + NV - 1) * GROUP } else { GROUP };
        let x = self.x.wrapping_add(g * self.x_next);
        let c = self.c.wrapping_add(at * self.place.row + g * self.place.group);
        let walk = Walk { ahead: W::ahead::<S, MR>(self, at), ..W::known(self.walk) };
        let offsets = W::offsets(rows, walk.w_row, self.panels);
        // SAFETY: promised by the caller; rows past the last one repeat it.
        unsafe {
            let acc = match self.start {
                Start::Zero => zeros(s),
                Start::Dst => load::<S, MR, NV, PARTIAL>(s, self.place, c, rows, lanes),
            };
            let w = self.w_at(at);
            let acc = reduce::<S, MR, NV, PARTIAL>(s, walk, w, &offsets, x, lanes, acc);
            store::<S, MR, NV, PARTIAL>(s, self.place, c, rows, lanes, acc);
        }
    }
}

/// What the compiler knows about the strides of the scalars, and what a tile asks the caches for.
trait Scalars {
    /// Distance of neighbouring rows and of neighbouring steps, where they are known.
    const STRIDES: Option<(usize, usize)>;
    /// The same for a tile that begins a panel.
    type First: Scalars;

    #[inline(always)]
    fn known(walk: Walk) -> Walk {
        let (w_row, w_inner) = Self::STRIDES.unwrap_or((walk.w_row, walk.w_inner));
        Walk { w_row, w_inner, ..walk }
    }

    /// What a tile of `MR` rows at row `at` asks for.
    #[inline(always)]
    fn ahead<S: Simd, const MR: usize>(_: &Block, _at: usize) -> Ahead {
        Ahead::Nothing
    }

    /// Where the scalars of a tile's rows lie.
    #[inline(always)]
    fn offsets<const MR: usize>(rows: usize, w_row: usize, _: Panels) -> [usize; MR] {
        row_offsets(rows, w_row)
    }
}

/// Only what the walk says.
struct Runtime;

impl Scalars for Runtime {
    const STRIDES: Option<(usize, usize)> = None;
    type First = Runtime;
}

/// Panels of sixteen rows.
struct Packed;

impl Scalars for Packed {
    const STRIDES: Option<(usize, usize)> = Some((1, PANEL));
    type First = Beginning;
}

/// Panels of sixteen rows, of which the tile is the first: it asks for the next panel. What two
/// threads read of a weight comes from the other core's cache, which is further away than the
/// processor looks ahead.
struct Beginning;

impl Scalars for Beginning {
    const STRIDES: Option<(usize, usize)> = Packed::STRIDES;
    type First = Beginning;

    #[inline(always)]
    fn ahead<S: Simd, const MR: usize>(block: &Block, at: usize) -> Ahead {
        Ahead::Lines(block.w_at(at + PANEL))
    }
}

/// Panels of sixteen rows, where all rows of a tile but its first `FIRST` lie in the next one.
struct Crossing<const FIRST: usize>;

impl<const FIRST: usize> Scalars for Crossing<FIRST> {
    const STRIDES: Option<(usize, usize)> = Packed::STRIDES;
    type First = Self;

    #[inline(always)]
    fn offsets<const MR: usize>(rows: usize, w_row: usize, panels: Panels) -> [usize; MR] {
        let mut offsets = row_offsets(rows, w_row);
        for offset in offsets.iter_mut().skip(FIRST) {
            // Panels of no steps have no length, and nobody reads them.
            *offset = offset.wrapping_add(panels.next).wrapping_sub(PANEL);
        }
        offsets
    }
}

/// Panels of sixteen steps, a row of which is a line. A tile reads some lines of every panel, too far apart for
/// the processor to look ahead, so where arithmetic is fast it asks for sixteen from the next tile's first on.
struct Across;

impl Scalars for Across {
    const STRIDES: Option<(usize, usize)> = Some((PANEL, 1));
    type First = Across;

    #[inline(always)]
    fn ahead<S: Simd, const MR: usize>(_: &Block, _at: usize) -> Ahead {
        if S::REGISTERS >= 32 { Ahead::Scalars(MR * PANEL) } else { Ahead::Nothing }
    }
}

/// Groups a tile of so many rows takes, and how many groups from here on such tiles cover.
pub(super) fn segment(isa: Isa, rows: usize, groups: usize) -> (usize, usize) {
    let whole = |n: usize| (n, groups / n * n);
    match (isa, rows) {
        (Isa::Avx512, 0..=2) if groups >= 8 => whole(8),
        (Isa::Avx512, 0..=4) if groups >= 4 => whole(4),
        (Isa::Avx512, 5..=8) if groups > 4 && groups % 3 == 1 => (3, groups - 4),
        (Isa::Avx512, 5..=8) if groups == 4 => whole(2),
        (Isa::Avx512, 5..=8) if groups >= 3 => whole(3),
        (Isa::Avx512, 9..) if groups == 5 => (3, 3),
        (Isa::Avx512, 5..) if groups >= 4 => match groups % 4 {
            1 => (4, groups - 5),
            _ => whole(4),
        },
        (Isa::Avx512, 5..) if groups == 3 => (3, 3),
        (Isa::Avx512, _) if groups >= 2 => whole(2),
        (Isa::Avx2, 0..=1) if groups >= 4 => whole(4),
        (Isa::Avx2, 0..=2) if groups >= 2 => whole(2),
        _ => (1, groups),
    }
}

/// As many rows as whole tiles cover. Gives the rows done.
struct Tall<W> {
    block: Block,
    groups: usize,
    scalars: PhantomData<W>,
}

impl<W: Scalars> Kernel for Tall<W> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> usize {
        if S::REGISTERS >= 32 {
            match self.groups {
                4 => self.column::<S, 6, 4>(s),
                3 => self.column::<S, 8, 3>(s),
                2 if Self::SIDE_BY_SIDE => self.three_panels::<S, 2>(s),
                2 => self.column::<S, 12, 2>(s),
                1 => self.column::<S, 16, 1>(s),
                _ => 0,
            }
        } else if TypeId::of::<S>() == TypeId::of::<Portable>() {
            self.column::<S, 2, 1>(s)
        } else {
            self.column::<S, 6, 1>(s)
        }
    }
}

impl<W: Scalars> Tall<W> {
    /// Whether the rows of a panel lie side by side.
    const SIDE_BY_SIDE: bool = matches!(W::STRIDES, Some((1, _)));

    fn new(block: Block, groups: usize) -> Self {
        Tall { block, groups, scalars: PhantomData }
    }

    /// Tiles of `MR` rows. Where `MR` does not divide the sixteen rows of a panel, two tiles and
    /// four rows make it up.
    #[inline(always)]
    fn column<S: Simd, const MR: usize, const NV: usize>(&self, s: S) -> usize {
        let Block { rows, lanes, .. } = self.block;
        let split = Self::SIDE_BY_SIDE && !PANEL.is_multiple_of(MR);
        let mut done = 0;
        for g in (0..lanes.div_ceil(GROUP)).step_by(NV) {
            done = 0;
            // SAFETY: promised to Block::run; the rows of each tile lie in one panel.
            unsafe {
                loop {
                    if split && done % PANEL == 12 && done + 4 <= rows {
                        self.block.tile::<S, W, 4, NV>(s, done, 4, g);
                        done += 4;
                    } else if done + MR <= rows && !(split && done % PANEL == 12) {
                        if split && g == 0 && done.is_multiple_of(PANEL) {
                            self.block.tile::<S, W::First, MR, NV>(s, done, MR, g);
                        } else {
                            self.block.tile::<S, W, MR, NV>(s, done, MR, g);
                        }
                        done += MR;
                    } else {
                        break;
                    }
                }
            }
        }
        done
    }
}

impl<W: Scalars> Tall<W> {
    /// Tiles of twelve rows, which need fewer loads than those of eight: four make up three panels.
    /// Panels beyond the last three are left to tiles of eight.
    #[inline(always)]
    fn three_panels<S: Simd, const NV: usize>(&self, s: S) -> usize {
        let Block { rows, lanes, .. } = self.block;
        let tall = rows / (3 * PANEL) * 3 * PANEL;
        for g in (0..lanes.div_ceil(GROUP)).step_by(NV) {
            // SAFETY: promised to Block::run; the rows lie where each kind of scalars says.
            unsafe {
                for at in (0..tall).step_by(3 * PANEL) {
                    self.block.tile::<S, Packed, 12, NV>(s, at, 12, g);
                    self.block.tile::<S, Crossing<4>, 12, NV>(s, at + 12, 12, g);
                    self.block.tile::<S, Crossing<8>, 12, NV>(s, at + 24, 12, g);
                    self.block.tile::<S, Packed, 12, NV>(s, at + 36, 12, g);
                }
                for at in (tall..rows / 8 * 8).step_by(8) {
                    self.block.tile::<S, Packed, 8, NV>(s, at, 8, g);
                }
            }
        }
        rows / 8 * 8
    }
}

/// Any number of rows, any distance between scalars.
struct Any {
    block: Block,
    groups: usize,
}

impl Kernel for Any {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        if S::REGISTERS >= 32 {
            match self.groups {
                8 => self.column::<S, 2, 8>(s),
                4 => self.column::<S, 6, 4>(s),
                3 => self.column::<S, 8, 3>(s),
                2 => self.column::<S, 8, 2>(s),
                _ => self.column::<S, 8, 1>(s),
            }
        } else {
            match self.groups {
                4 => self.column::<S, 1, 4>(s),
                2 => self.column::<S, 2, 2>(s),
                _ => self.column::<S, 4, 1>(s),
            }
        }
    }
}

impl Any {
    /// Tiles of at most `MR` rows.
    #[inline(always)]
    fn column<S: Simd, const MR: usize, const NV: usize>(&self, s: S) {
        let Block { rows, lanes, walk, panels, .. } = self.block;
        let evenly = panels.next == panels.rows * walk.w_row;
        for g in (0..lanes.div_ceil(GROUP)).step_by(NV) {
            let mut at = 0;
            while at < rows {
                let in_panel = if evenly { rows } else { panels.rows - at % panels.rows };
                let left = (rows - at).min(in_panel);
                // SAFETY: promised to Block::run; no tile exceeds the rows left in its panel, or
                // all rows lie evenly apart.
                at += unsafe {
                    if left >= MR {
                        self.block.tile::<S, Runtime, MR, NV>(s, at, MR, g);
                        MR
                    } else if MR > 4 && left > 4 {
                        let n = left;
                        self.block.tile::<S, Runtime, MR, NV>(s, at, n, g);
                        n
                    } else if MR > 2 && left > 2 {
                        let n = left.min(4);
                        self.block.tile::<S, Runtime, 4, NV>(s, at, n, g);
                        n
                    } else if MR > 1 && left > 1 {
                        self.block.tile::<S, Runtime, 2, NV>(s, at, 2, g);
                        2
                    } else {
                        self.block.tile::<S, Runtime, 1, NV>(s, at, 1, g);
                        1
                    }
                };
            }
        }
    }
}
