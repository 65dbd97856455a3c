//! The register tile under every product: `MR` rows of broadcast scalars times `NV` groups of
//! sixteen vector lanes, accumulated along an outer and an inner reduction axis.
//!
//! All strides are run-time values, so that one loop serves packed and plain operands, blocked
//! reductions and taps of a convolution. Start reading at [`reduce`].

use crate::simd::{Simd, prefetch, prefetch_far};

/// Lanes of one group, on every instruction set.
pub(super) const GROUP: usize = 16;

/// Sixteen lanes: one vector, or two where vectors are half as wide (else `hi` is never used).
#[derive(Clone, Copy)]
pub(super) struct Group<S: Simd> {
    lo: S::F,
    hi: S::F,
}

impl<S: Simd> Group<S> {
    const SPLIT: bool = S::LANES < GROUP;

    #[inline(always)]
    pub(super) fn zero(s: S) -> Self {
        let zero = s.splat(0.0);
        Group { lo: zero, hi: zero }
    }

    /// # Safety
    /// `src` is readable for sixteen elements.
    #[inline(always)]
    pub(super) unsafe fn load(s: S, src: *const f32) -> Self {
        // SAFETY: two halves of the sixteen elements the caller vouches for.
        unsafe {
            let lo = s.load(src);
            Group { lo, hi: if Self::SPLIT { s.load(src.add(S::LANES)) } else { lo } }
        }
    }

    /// Loads the first `n` lanes, the others are 0.
    /// # Safety
    /// `src` is readable for `n` elements.
    #[inline(always)]
    pub(super) unsafe fn load_first(s: S, src: *const f32, n: usize) -> Self {
        // SAFETY: the second half is touched only as far as n reaches into it.
        unsafe {
            let lo = s.load_first(src, n.min(S::LANES));
            let rest = n.saturating_sub(S::LANES);
            let hi = if Self::SPLIT { s.load_first(src.wrapping_add(S::LANES), rest) } else { lo };
            Group { lo, hi }
        }
    }

    /// # Safety
    /// `dst` is writable for sixteen elements.
    #[inline(always)]
    pub(super) unsafe fn store(self, s: S, dst: *mut f32) {
        // SAFETY: two halves of the sixteen elements the caller vouches for.
        unsafe {
            s.store(dst, self.lo);
            if Self::SPLIT {
                s.store(dst.add(S::LANES), self.hi);
            }
        }
    }

    /// Stores the first `n` lanes.
    /// # Safety
    /// `dst` is writable for `n` elements.
    #[inline(always)]
    pub(super) unsafe fn store_first(self, s: S, dst: *mut f32, n: usize) {
        // SAFETY: the second half is touched only as far as n reaches into it.
        unsafe {
            s.store_first(dst, n.min(S::LANES), self.lo);
            if Self::SPLIT {
                let rest = n.saturating_sub(S::LANES);
                s.store_first(dst.wrapping_add(S::LANES), rest, self.hi);
            }
        }
    }

    /// The sixteen lanes as one vector.
    ///
    /// # Safety
    /// The instruction set is AVX-512.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) unsafe fn wide(self) -> std::arch::x86_64::__m512 {
        // SAFETY: this is what F is on AVX-512.
        unsafe { std::mem::transmute_copy(&self.lo) }
    }

    /// Sixteen lanes from one vector.
    ///
    /// # Safety
    /// The instruction set is AVX-512.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) unsafe fn from_wide(lanes: std::arch::x86_64::__m512) -> Self {
        // SAFETY: this is what F is on AVX-512.
        let lo = unsafe { std::mem::transmute_copy(&lanes) };
        Group { lo, hi: lo }
    }

    /// `scalar * self + acc`, the scalar in every lane.
    #[inline(always)]
    pub(super) fn fma(self, s: S, scalar: S::F, acc: Self) -> Self {
        Group {
            lo: s.fma(scalar, self.lo, acc.lo),
            hi: if Self::SPLIT { s.fma(scalar, self.hi, acc.hi) } else { acc.hi },
        }
    }
}

/// Accumulators of one tile: rows by groups.
pub(super) type Acc<S, const MR: usize, const NV: usize> = [[Group<S>; NV]; MR];

/// How a reduction walks its operands; all strides in elements.
///
/// Scalar `(o, k, r)` lies at `w_outer o + w_inner k + w_row r`, group `(o, k, v)` at
/// `x_outer o + x_inner k + x_group v`. Of `outer` rounds each takes `inner` steps, the last one
/// `last`.
#[derive(Clone, Copy)]
pub(super) struct Walk {
    pub outer: usize,
    pub inner: usize,
    pub last: usize,
    pub w_outer: usize,
    pub w_inner: usize,
    pub w_row: usize,
    pub x_outer: usize,
    pub x_inner: usize,
    pub x_group: usize,
    pub ahead: Ahead,
}

/// Where the scalars of the rows of a tile lie: rows past `rows` repeat the last one.
#[inline(always)]
pub(super) fn row_offsets<const MR: usize>(rows: usize, w_row: usize) -> [usize; MR] {
    let mut offsets = [0; MR];
    for (r, offset) in offsets.iter_mut().enumerate() {
        *offset = r.min(rows - 1) * w_row;
    }
    offsets
}

/// What a reduction asks the caches for on its way.
#[derive(Clone, Copy)]
pub(super) enum Ahead {
    Nothing,
    /// One line a step from here on, for later.
    Lines(*const f32),
    /// One line a step; each round begins anew, so many elements past its first scalar.
    Scalars(usize),
    /// With each group the one so many elements further on.
    Vectors(usize),
    /// Patches for the first and for the second cache, a line of each every few steps: asked for at
    /// once, they would keep the vectors of this tile waiting.
    Patches {
        near: Patch,
        far: Patch,
    },
}

/// As many lines as a tile has groups, in as many rows, so many elements apart.
#[derive(Clone, Copy)]
pub(super) struct Patch {
    pub at: *const f32,
    pub row: usize,
}

impl Patch {
    #[inline(always)]
    fn line(self, row: usize, line: usize) -> *const f32 {
        self.at.wrapping_add(row * self.row + line * GROUP)
    }
}

impl Walk {
    /// Asks for what belongs to one step, and moves on.
    #[inline(always)]
    fn ask_ahead(&mut self) {
        if let Ahead::Lines(line) = &mut self.ahead {
            prefetch_far(*line);
            *line = line.wrapping_add(GROUP);
        }
    }
}

/// Continues the chains in `acc` over the whole walk, outer axis major. Scalars of the rows lie at
/// the offsets `rows`.
///
/// With `PARTIAL`, only the first `lanes` lanes of the last group are read.
///
/// # Safety
/// Every scalar and every group of the walk is readable from `w` and `x`.
#[inline(always)]
pub(super) unsafe fn reduce<S: Simd, const MR: usize, const NV: usize, const PARTIAL: bool>(
    s: S,
    mut walk: Walk,
    w: *const f32,
    rows: &[usize; MR],
    x: *const f32,
    lanes: usize,
    mut acc: Acc<S, MR, NV>,
) -> Acc<S, MR, NV> {
    let asked = walk.ahead;
    for o in 0..walk.outer {
        let mut left = if o + 1 == walk.outer { walk.last } else { walk.inner };
        // Advancing past the last step must not form an out-of-bounds pointer: wrapping_add.
        let mut w = w.wrapping_add(o * walk.w_outer);
        let mut x = x.wrapping_add(o * walk.x_outer);
        if let Ahead::Scalars(distance) = asked {
            walk.ahead = Ahead::Lines(w.wrapping_add(distance));
        }
        // SAFETY: steps of the walk, which the caller vouches for.
        unsafe {
            // Unrolled where registers are plenty: bookkeeping competes with the arithmetic.
            let unroll = if MR * NV <= 16 { 4 } else { 2 };
            if let Ahead::Patches { near, far } = walk.ahead {
                if left >= 2 * MR * NV {
                    for r in 0..MR {
                        for v in 0..NV {
                            prefetch(near.line(r, v));
                            prefetch_far(far.line(r, v));
                            step::<S, MR, NV, PARTIAL>(
                                s, &mut walk, rows, &mut w, &mut x, lanes, &mut acc,
                            );
                            step::<S, MR, NV, PARTIAL>(
                                s, &mut walk, rows, &mut w, &mut x, lanes, &mut acc,
                            );
                        }
                    }
                    left -= 2 * MR * NV;
                } else if left >= MR * NV {
                    // Few steps read few scalars, and write as many results.
                    for r in 0..MR {
                        for v in 0..NV {
                            prefetch(near.line(r, v));
                            step::<S, MR, NV, PARTIAL>(
                                s, &mut walk, rows, &mut w, &mut x, lanes, &mut acc,
                            );
                        }
                    }
                    left -= MR * NV;
                }
            }
            while S::REGISTERS >= 32 && left >= unroll {
                step::<S, MR, NV, PARTIAL>(s, &mut walk, rows, &mut w, &mut x, lanes, &mut acc);
                step::<S, MR, NV, PARTIAL>(s, &mut walk, rows, &mut w, &mut x, lanes, &mut acc);
                if unroll == 4 {
                    step::<S, MR, NV, PARTIAL>(s, &mut walk, rows, &mut w, &mut x, lanes, &mut acc);
                    step::<S, MR, NV, PARTIAL>(s, &mut walk, rows, &mut w, &mut x, lanes, &mut acc);
                }
                left -= unroll;
            }
            while left > 0 {
                step::<S, MR, NV, PARTIAL>(s, &mut walk, rows, &mut w, &mut x, lanes, &mut acc);
                left -= 1;
            }
        }
    }
    acc
}

/// One step of every chain.
///
/// # Safety
/// As for [`reduce`].
#[inline(always)]
pub(super) unsafe fn step<S: Simd, const MR: usize, const NV: usize, const PARTIAL: bool>(
    s: S,
    walk: &mut Walk,
    rows: &[usize; MR],
    w: &mut *const f32,
    x: &mut *const f32,
    lanes: usize,
    acc: &mut Acc<S, MR, NV>,
) {
    walk.ask_ahead();
    let mut groups = [Group::zero(s); NV];
    for (v, group) in groups.iter_mut().enumerate() {
        let src = x.wrapping_add(v.wrapping_mul(walk.x_group));
        if let Ahead::Vectors(distance) = walk.ahead {
            prefetch(src.wrapping_add(distance));
        }
        // SAFETY: a group of the walk, which the caller vouches for.
        *group = unsafe {
            if PARTIAL && v + 1 == NV {
                Group::load_first(s, src, lanes)
            } else {
                Group::load(s, src)
            }
        };
    }
    // SAFETY: scalars of the walk, which the caller vouches for.
    unsafe { multiply(s, rows, *w, &groups, acc) };
    *w = opaque(w.wrapping_add(walk.w_inner));
    *x = opaque(x.wrapping_add(walk.x_inner));
}

/// Continues every chain by the scalar of its row times its group.
///
/// # Safety
/// The scalars at the offsets `rows` from `w` are readable.
#[inline(always)]
unsafe fn multiply<S: Simd, const MR: usize, const NV: usize>(
    s: S,
    rows: &[usize; MR],
    w: *const f32,
    groups: &[Group<S>; NV],
    acc: &mut Acc<S, MR, NV>,
) {
    for (chains, offset) in acc.iter_mut().zip(rows) {
        // SAFETY: promised by the caller.
        let scalar = s.splat(unsafe { *w.wrapping_add(*offset) });
        for (group, chain) in groups.iter().zip(chains) {
            *chain = group.fma(s, scalar, *chain);
        }
    }
}

/// [`reduce`] over the inner axis alone, leaving the groups behind at `copy`: those of a step side by
/// side, one step after the other.
///
/// # Safety
/// As for [`reduce`]; the copy is writable for all groups and overlaps nothing.
#[inline(always)]
pub(super) unsafe fn reduce_and_copy<S: Simd, const MR: usize, const NV: usize>(
    s: S,
    walk: Walk,
    mut w: *const f32,
    rows: &[usize; MR],
    mut x: *const f32,
    mut copy: *mut f32,
    mut acc: Acc<S, MR, NV>,
) -> Acc<S, MR, NV> {
    for _ in 0..walk.last {
        let mut groups = [Group::zero(s); NV];
        // SAFETY: a step of the walk, which the caller vouches for, as for the room in the copy.
        unsafe {
            for (v, group) in groups.iter_mut().enumerate() {
                *group = Group::load(s, x.wrapping_add(v.wrapping_mul(walk.x_group)));
                group.store(s, copy.wrapping_add(v * GROUP));
            }
            multiply(s, rows, w, &groups, &mut acc);
        }
        w = w.wrapping_add(walk.w_inner);
        x = x.wrapping_add(walk.x_inner);
        copy = copy.wrapping_add(NV * GROUP);
    }
    acc
}

/// The same pointer, its origin hidden: a compiler that knows how the pointers of unrolled steps
/// relate keeps one register for each and spills them.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block, reason = "the pointer is passed through, not used")]
pub(super) fn opaque(pointer: *const f32) -> *const f32 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut hidden = pointer;
        // SAFETY: no instruction at all.
        unsafe {
            std::arch::asm!("/* {0} */", inout(reg) hidden, options(pure, nomem, nostack, preserves_flags));
        }
        hidden
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        pointer
    }
}

/// Where a tile of the result lies: element `(r, v)` at `row r + group v`.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub row: usize,
    pub group: usize,
}

/// Chains that begin at zero.
#[inline(always)]
pub(super) fn zeros<S: Simd, const MR: usize, const NV: usize>(s: S) -> Acc<S, MR, NV> {
    [[Group::zero(s); NV]; MR]
}

/// Chains that begin at the first `rows` rows of the destination; the others begin at zero.
///
/// # Safety
/// Those rows are readable from `src`, of the last group only `lanes` lanes with `PARTIAL`.
#[inline(always)]
pub(super) unsafe fn load<S: Simd, const MR: usize, const NV: usize, const PARTIAL: bool>(
    s: S,
    place: Place,
    src: *const f32,
    rows: usize,
    lanes: usize,
) -> Acc<S, MR, NV> {
    let mut acc = zeros(s);
    for (r, row) in acc.iter_mut().enumerate() {
        if r >= rows {
            break;
        }
        for (v, chain) in row.iter_mut().enumerate() {
            let src = src.wrapping_add(r * place.row + v * place.group);
            // SAFETY: the caller vouches for the tile.
            *chain = unsafe {
                if PARTIAL && v + 1 == NV {
                    Group::load_first(s, src, lanes)
                } else {
                    Group::load(s, src)
                }
            };
        }
    }
    acc
}

/// Stores the first `rows` rows of the tile.
///
/// # Safety
/// Those rows are writable from `dst`, of the last group only `lanes` lanes with `PARTIAL`.
#[inline(always)]
pub(super) unsafe fn store<S: Simd, const MR: usize, const NV: usize, const PARTIAL: bool>(
    s: S,
    place: Place,
    dst: *mut f32,
    rows: usize,
    lanes: usize,
    acc: Acc<S, MR, NV>,
) {
    for (r, row) in acc.iter().enumerate() {
        if r >= rows {
            break;
        }
        for (v, chain) in row.iter().enumerate() {
            let dst = dst.wrapping_add(r * place.row + v * place.group);
            // SAFETY: the caller vouches for the tile.
            unsafe {
                if PARTIAL && v + 1 == NV {
                    chain.store_first(s, dst, lanes);
                } else {
                    chain.store(s, dst);
                }
            }
        }
    }
}
