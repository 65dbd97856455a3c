//! The register tile of the convolutions: rows of broadcast scalars times columns of vectors,
//! accumulated over taps, over panels of one tap and over steps of one panel.
//!
//! Scalars are weights and vectors lie along the lanes, or, where lanes are few, scalars are
//! activations of several time steps and vectors lie along the outputs. Start reading at
//! [`Block`].

use crate::gemm::{PANEL, Start};
use crate::simd::{Isa, Kernel, Simd, run_on};

/// The reduction, tap major, then panel, then step; strides in elements.
///
/// A tap has `panels` rounds of `panel` steps; the first leaves out its first `skip` steps, the
/// last ends after `last`.
#[derive(Clone, Copy)]
pub(super) struct Walk {
    pub taps: usize,
    pub panels: usize,
    pub panel: usize,
    pub skip: usize,
    pub last: usize,
    pub w_tap: isize,
    pub w_panel: usize,
    pub w_step: usize,
    pub x_tap: isize,
    pub x_panel: usize,
    pub x_step: usize,
}

/// Elements of the vectors that one part of a walk keeps in the first cache.
const X_BLOCK: usize = 8192;

impl Walk {
    /// The next part of the walk of about `most` steps, with the offsets of its scalars and
    /// vectors: some whole taps, or some steps of one tap. `at` is the tap and the step, counted
    /// over the panels, where it begins, and moves on; an empty walk is one empty part.
    fn part(&self, at: &mut (usize, usize), most: usize) -> Option<(Walk, isize, isize)> {
        let (tap, step) = *at;
        if tap >= self.taps && (tap, step) != (0, 0) {
            return None;
        }
        let (w, x) = (tap as isize * self.w_tap, tap as isize * self.x_tap);
        let end = self.panels.saturating_sub(1) * self.panel + self.last;
        let first = if step == 0 { self.skip } else { step };
        // Half as much again is not worth a second part.
        if step == 0 && end - self.skip.min(end) <= most.saturating_add(most / 2) {
            let taps = (most / end.max(1)).max(1).min(self.taps - tap);
            *at = (tap + taps.max(1), 0);
            return Some((Walk { taps, ..*self }, w, x));
        }
        let mut until = end.min(first + most);
        if self.panels > 1 && until < end {
            until = (until / self.panel).max(first / self.panel + 1) * self.panel;
        }
        *at = if until == end { (tap + 1, 0) } else { (tap, until) };
        let panel = first / self.panel;
        let panels = until.div_ceil(self.panel) - panel;
        let part = Walk {
            taps: 1,
            panels,
            skip: first - panel * self.panel,
            last: until - (panel + panels - 1) * self.panel,
            ..*self
        };
        let (w_panel, x_panel) = (panel * self.w_panel, panel * self.x_panel);
        Some((part, w + w_panel as isize, x + x_panel as isize))
    }
}

/// Rows of the result: row `r` has its scalars at `panel (r / 16) + one (r % 16)` and its results
/// at `c (r - first)`.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub first: usize,
    pub end: usize,
    pub one: usize,
    pub panel: usize,
    pub c: usize,
}

/// Columns of the result: `times` time steps, `x_time` and `c_time` apart, each of `lanes` lanes.
/// Lane `l` has its vectors at `x_panel (l / 16) + l % 16` and its results at `c_lane l`.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    pub times: usize,
    pub x_time: usize,
    pub c_time: usize,
    pub lanes: usize,
    pub x_panel: usize,
    pub c_lane: usize,
    /// Whether vectors are readable whole where the lanes end inside one.
    pub padded: bool,
}

/// A block of a result and the operands it is made from.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub walk: Walk,
    pub rows: Rows,
    pub columns: Columns,
    pub w: *const f32,
    pub x: *const f32,
    pub c: *mut f32,
    pub start: Start,
}

/// How the scalars of neighbouring rows lie; known ones make shorter loops.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalars {
    /// Side by side in panels padded to sixteen: the outputs of a weight.
    Panel,
    /// Sixteen apart: the inputs of a weight.
    Sixteen,
    /// As far apart as [`Rows`] says: activations.
    Any,
}

impl Block {
    /// Computes the block on `isa`.
    ///
    /// # Safety
    /// Every scalar and vector of the walk is readable (scalars up to a multiple of sixteen rows
    /// with [`Scalars::Panel`]); the results are writable, and readable where chains start there.
    pub(super) unsafe fn run(self, isa: Isa, scalars: Scalars) {
        match scalars {
            Scalars::Panel => run_on(isa, Tiles::<1>(self)),
            Scalars::Sixteen => run_on(isa, Tiles::<PANEL>(self)),
            Scalars::Any => run_on(isa, Tiles::<0>(self)),
        }
    }
}

/// A block whose rows of scalars lie `ROW` apart; 0 where only [`Rows`] knows.
struct Tiles<const ROW: usize>(Block);

impl<const ROW: usize> Kernel for Tiles<ROW> {
    type Output = ();

    /// Vectors of a few columns stay in the first cache while all rows of scalars pass by.
    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        if ROW != 0 {
            self.0.rows.one = ROW;
        }
        let columns = self.0.columns;
        let count = columns.times * columns.lanes.div_ceil(S::LANES);
        let rows = self.0.rows.end - self.0.rows.first;
        let mut at = 0;
        while at < count {
            let left = count - at;
            at += if ROW == 0 && rows < 4 && left >= 6 {
                self.column::<S, 6>(s, at)
            } else if S::REGISTERS >= 32 && (left == 3 || left >= 5) {
                self.column::<S, 3>(s, at)
            } else if left >= 2 {
                self.column::<S, 2>(s, at)
            } else {
                self.column::<S, 1>(s, at)
            };
        }
    }
}

impl<const ROW: usize> Tiles<ROW> {
    /// All rows of `NV` columns. Returns the columns done.
    #[inline(always)]
    fn column<S: Simd, const NV: usize>(&self, s: S, at: usize) -> usize {
        let columns = self.0.columns;
        let per = columns.lanes.div_ceil(S::LANES);
        let (mut x, mut c, mut n) = ([self.0.x; NV], [self.0.c; NV], [S::LANES; NV]);
        let mut whole = true;
        for v in 0..NV {
            let (time, lane) = ((at + v) / per, (at + v) % per * S::LANES);
            let x_lane = lane / PANEL * columns.x_panel + lane % PANEL;
            x[v] = x[v].wrapping_add(time * columns.x_time + x_lane);
            c[v] = c[v].wrapping_add(time * columns.c_time + lane * columns.c_lane);
            n[v] = (columns.lanes - lane).min(S::LANES);
            whole &= n[v] == S::LANES;
        }
        let mut tile = Tile { block: self.0, x, c, n };
        // Columns of activations are used by one row of tiles after another.
        let most = if ROW == 0 { usize::MAX } else { X_BLOCK / (NV * S::LANES) };
        let mut at = (0, 0);
        while let Some((part, w, x_offset)) = self.0.walk.part(&mut at, most) {
            tile.block.walk = part;
            tile.block.w = self.0.w.wrapping_offset(w);
            tile.x = x.map(|x| x.wrapping_offset(x_offset));
            if ROW == 0 || whole || columns.padded {
                self.rows::<S, NV, true>(s, &tile);
            } else {
                self.rows::<S, NV, false>(s, &tile);
            }
            tile.block.start = Start::Dst;
        }
        NV
    }

    #[inline(always)]
    fn rows<S: Simd, const NV: usize, const FULL: bool>(&self, s: S, tile: &Tile<NV>) {
        let end = self.0.rows.end;
        let mut r = self.0.rows.first;
        while r < end {
            // Tiles of padded panels may be taller than the rows left, but stay in their panel.
            let (left, room) = if ROW == 1 {
                ((end - r).next_multiple_of(4), PANEL - r % PANEL)
            } else {
                (end - r, usize::MAX)
            };
            let fits = left.min(room);
            // SAFETY: rows of the block, or padding of their panel.
            r += unsafe {
                if NV <= 3 && S::REGISTERS >= 32 && fits >= 8 {
                    tile.run::<S, ROW, 8, FULL>(s, r)
                } else if NV <= 3 && fits >= 4 {
                    tile.run::<S, ROW, 4, FULL>(s, r)
                } else if ROW == 0 && fits >= 2 {
                    tile.run::<S, ROW, 2, FULL>(s, r)
                } else {
                    tile.run::<S, ROW, 1, FULL>(s, r)
                }
            };
        }
    }
}

/// Some columns of a block: where their vectors and results begin and how many lanes they store.
struct Tile<const NV: usize> {
    block: Block,
    x: [*const f32; NV],
    c: [*mut f32; NV],
    n: [usize; NV],
}

impl<const NV: usize> Tile<NV> {
    /// Rows `at .. at + MR`, of which only those of the block are stored. Returns `MR`.
    ///
    /// # Safety
    /// As for [`Block::run`]; the scalars of all `MR` rows are readable. With `FULL` vectors are
    /// readable whole.
    #[inline(always)]
    unsafe fn run<S: Simd, const ROW: usize, const MR: usize, const FULL: bool>(
        &self,
        s: S,
        at: usize,
    ) -> usize {
        let Block { walk, rows, start, .. } = self.block;
        let stored = (rows.end - at).min(MR);
        let w = at / PANEL * rows.panel + at % PANEL * rows.one;
        let w = self.block.w.wrapping_add(w);
        let c = self.c.map(|c| c.wrapping_add((at - rows.first) * rows.c));
        let mut acc = [[s.splat(0.0); NV]; MR];
        if start == Start::Dst {
            for (r, row) in acc.iter_mut().enumerate().take(stored) {
                for (v, chain) in row.iter_mut().enumerate() {
                    let src = c[v].wrapping_add(r * rows.c);
                    // SAFETY: a result of the block.
                    *chain = unsafe { self.load_result::<S, ROW>(s, src, self.n[v]) };
                }
            }
        }
        for tap in 0..walk.taps as isize {
            let w = w.wrapping_offset(tap * walk.w_tap);
            let x = self.x.map(|x| x.wrapping_offset(tap * walk.x_tap));
            for panel in 0..walk.panels {
                let skip = if panel == 0 { walk.skip } else { 0 };
                let end = if panel + 1 == walk.panels { walk.last } else { walk.panel };
                let mut w = w.wrapping_add(panel * walk.w_panel + skip * walk.w_step);
                let mut x_at = panel * walk.x_panel + skip * walk.x_step;
                for _ in skip..end {
                    let mut vectors = [s.splat(0.0); NV];
                    for (v, vector) in vectors.iter_mut().enumerate() {
                        let src = x[v].wrapping_add(x_at);
                        // SAFETY: a vector of the walk.
                        *vector = unsafe {
                            if FULL { s.load(src) } else { s.load_first(src, self.n[v]) }
                        };
                    }
                    for (r, row) in acc.iter_mut().enumerate() {
                        // SAFETY: a scalar of the walk.
                        let scalar = s.splat(unsafe { *w.wrapping_add(r * rows.one) });
                        for (vector, chain) in vectors.iter().zip(row) {
                            *chain = s.fma(scalar, *vector, *chain);
                        }
                    }
                    w = w.wrapping_add(walk.w_step);
                    x_at += walk.x_step;
                }
            }
        }
        for (r, row) in acc.iter().enumerate().take(stored) {
            for (v, chain) in row.iter().enumerate() {
                let dst = c[v].wrapping_add(r * rows.c);
                // SAFETY: a result of the block.
                unsafe { self.store_result::<S, ROW>(s, dst, self.n[v], *chain) };
            }
        }
        MR
    }

    /// # Safety
    /// `n` results, as far apart as the columns say, are readable at `src`.
    #[inline(always)]
    unsafe fn load_result<S: Simd, const ROW: usize>(
        &self,
        s: S,
        src: *const f32,
        n: usize,
    ) -> S::F {
        let apart = self.block.columns.c_lane;
        // SAFETY: promised by the caller.
        unsafe {
            if ROW != 0 || apart == 1 {
                return s.load_first(src, n);
            }
            let mut lanes = [0.0; PANEL];
            for (i, lane) in lanes.iter_mut().enumerate().take(n) {
                *lane = *src.add(i * apart);
            }
            s.load(lanes.as_ptr())
        }
    }

    /// # Safety
    /// `n` results, as far apart as the columns say, are writable at `dst`.
    #[inline(always)]
    unsafe fn store_result<S: Simd, const ROW: usize>(
        &self,
        s: S,
        dst: *mut f32,
        n: usize,
        v: S::F,
    ) {
        let apart = self.block.columns.c_lane;
        // SAFETY: promised by the caller.
        unsafe {
            if ROW != 0 || apart == 1 {
                return if n == S::LANES { s.store(dst, v) } else { s.store_first(dst, n, v) };
            }
            let mut lanes = [0.0; PANEL];
            s.store(lanes.as_mut_ptr(), v);
            for (i, lane) in lanes.iter().enumerate().take(n) {
                *dst.add(i * apart) = *lane;
            }
        }
    }
}
