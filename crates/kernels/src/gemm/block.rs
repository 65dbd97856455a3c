//! A block of a result cut into register tiles: which tile shapes each instruction set uses and
//! how rows and lanes that fill no tile are covered. The cut never changes bits.
//!
//! Drivers describe blocks with plain numbers and [`Block::run`] them, so that each tile shape is
//! compiled once, not once a driver.

use super::tile::{GROUP, Place, Walk, load, reduce, store, zeros};
use super::{PANEL, Start};
use crate::simd::{Isa, Kernel, Simd, run_on};

/// A block `[rows, lanes]` of a result: scalars broadcast along its rows, vectors along its lanes.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub walk: Walk,
    /// Scalars of row `r` begin at `w_panel * (r / 16) + walk.w_row * (r % 16)` from here.
    pub w: *const f32,
    pub w_panel: usize,
    pub x: *const f32,
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
        if self.lanes == 0 {
            return;
        }
        // Packed weights have their rows side by side, or sixteen apart when walked along the
        // inputs: strides known to the compiler leave it the registers for taller tiles.
        let done = match self.walk.w_row {
            1 => run_on(isa, Tall::<1>(self)),
            PANEL => run_on(isa, Tall::<PANEL>(self)),
            _ => 0,
        };
        if done < self.rows {
            self.w = self.w_at(done);
            self.c = self.c.wrapping_add(done * self.place.row);
            self.rows -= done;
            run_on(isa, Any(self));
        }
    }

    #[inline(always)]
    fn w_at(&self, row: usize) -> *const f32 {
        self.w
            .wrapping_add(row / PANEL * self.w_panel + row % PANEL * self.walk.w_row)
    }

    /// One tile: rows from `at`, groups from `g`. With `PARTIAL` its last group is the last of the
    /// block and not whole.
    ///
    /// # Safety
    /// As for [`Block::run`]; the tile's rows lie in one panel.
    #[inline(always)]
    unsafe fn tile<S: Simd, const MR: usize, const NV: usize, const PARTIAL: bool>(
        &self,
        s: S,
        at: usize,
        g: usize,
    ) {
        let rows = (self.rows - at).min(MR);
        let lanes = if PARTIAL {
            self.lanes - (g + NV - 1) * GROUP
        } else {
            GROUP
        };
        let x = self.x.wrapping_add(g * self.walk.x_group);
        let c = self
            .c
            .wrapping_add(at * self.place.row + g * self.place.group);
        // SAFETY: promised by the caller; rows past the last one repeat it.
        unsafe {
            let acc = match self.start {
                Start::Zero => zeros(s),
                Start::Dst => load::<S, MR, NV, PARTIAL>(s, self.place, c, rows, lanes),
            };
            let w = self.w_at(at);
            let acc = reduce::<S, MR, NV, PARTIAL>(s, &self.walk, w, rows, x, lanes, acc);
            store::<S, MR, NV, PARTIAL>(s, self.place, c, rows, lanes, acc);
        }
    }
}

/// As many rows as whole tiles cover, scalars `ROW` apart. Gives the rows done.
struct Tall<const ROW: usize>(Block);

impl<const ROW: usize> Kernel for Tall<ROW> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) -> usize {
        self.0.walk.w_row = ROW;
        let mut at = 0;
        if S::REGISTERS >= 32 {
            if self.0.lanes <= GROUP {
                while at + 16 <= self.0.rows {
                    self.one::<S, 16, 1>(s, at, 0);
                    at += 16;
                }
            }
            while at + 8 <= self.0.rows {
                self.groups(s, at);
                at += 8;
            }
        } else {
            while at + 4 <= self.0.rows {
                for g in 0..self.0.lanes.div_ceil(GROUP) {
                    self.one::<S, 4, 1>(s, at, g);
                }
                at += 4;
            }
        }
        at
    }
}

impl<const ROW: usize> Tall<ROW> {
    /// One row of tiles of one to three groups, leaving no single group over but the only one.
    #[inline(always)]
    fn groups<S: Simd>(&self, s: S, at: usize) {
        let groups = self.0.lanes.div_ceil(GROUP);
        let mut g = 0;
        while g < groups {
            g += match groups - g {
                1 => self.one::<S, 8, 1>(s, at, g),
                3 | 5 => self.one::<S, 8, 3>(s, at, g),
                _ => self.one::<S, 8, 2>(s, at, g),
            };
        }
    }

    #[inline(always)]
    fn one<S: Simd, const MR: usize, const NV: usize>(&self, s: S, at: usize, g: usize) -> usize {
        // SAFETY: promised to Block::run; MR rows from a multiple of MR lie in one panel.
        unsafe {
            if (g + NV) * GROUP <= self.0.lanes {
                self.0.tile::<S, MR, NV, false>(s, at, g);
            } else {
                self.0.tile::<S, MR, NV, true>(s, at, g);
            }
        }
        NV
    }
}

/// Any number of rows, any distance between scalars. Few rows take many groups a tile, so that
/// enough chains run side by side.
struct Any(Block);

impl Kernel for Any {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let mut at = 0;
        while at < self.0.rows {
            let left = self.0.rows - at;
            at += if S::REGISTERS >= 32 && left > 4 {
                self.row::<S, 8>(s, at)
            } else if left > 2 {
                self.row::<S, 4>(s, at)
            } else if left == 2 {
                self.row::<S, 2>(s, at)
            } else {
                self.row::<S, 1>(s, at)
            };
        }
    }
}

impl Any {
    /// One row of tiles; a group that is not whole comes last and alone. Returns the rows done.
    #[inline(always)]
    fn row<S: Simd, const MR: usize>(&self, s: S, at: usize) -> usize {
        let groups = self.0.lanes / GROUP;
        let mut g = 0;
        // SAFETY: promised to Block::run; MR rows from a multiple of MR lie in one panel.
        unsafe {
            while g < groups {
                let left = groups - g;
                if S::REGISTERS >= 32 {
                    if MR <= 2 && left >= 8 {
                        self.0.tile::<S, MR, 8, false>(s, at, g);
                        g += 8;
                    } else if MR <= 4 && left >= 4 {
                        self.0.tile::<S, MR, 4, false>(s, at, g);
                        g += 4;
                    } else if MR == 8 && (left == 3 || left == 5) {
                        self.0.tile::<S, MR, 3, false>(s, at, g);
                        g += 3;
                    } else if left >= 2 {
                        self.0.tile::<S, MR, 2, false>(s, at, g);
                        g += 2;
                    } else {
                        self.0.tile::<S, MR, 1, false>(s, at, g);
                        g += 1;
                    }
                } else if MR == 1 && left >= 4 {
                    self.0.tile::<S, MR, 4, false>(s, at, g);
                    g += 4;
                } else if MR == 2 && left >= 2 {
                    self.0.tile::<S, MR, 2, false>(s, at, g);
                    g += 2;
                } else {
                    self.0.tile::<S, MR, 1, false>(s, at, g);
                    g += 1;
                }
            }
            if g * GROUP < self.0.lanes {
                self.0.tile::<S, MR, 1, true>(s, at, g);
            }
        }
        MR
    }
}
