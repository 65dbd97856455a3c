//! The forward product for fewer than sixteen lanes: vectors lie along the outputs of several
//! panels, the activations are broadcast, and finished tiles are turned on the way to memory.
//! One lane is the matrix-vector product and needs no turning.

use super::tile::{Acc, GROUP, Group, Place, Walk, load, reduce, store, zeros};
use super::transpose::transpose;
use super::{DenseDims, PANEL, Start};
use crate::simd::{Kernel, Simd};

/// `y = W x` for 1 to 15 lanes; lengths are checked by the caller.
pub(super) struct Forward<'a> {
    pub dims: DenseDims,
    pub w: &'a [f32],
    pub x: &'a [f32],
    pub y: &'a mut [f32],
    pub start: Start,
}

impl Kernel for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let most = if S::REGISTERS >= 32 { 8 } else { 4 };
        let mut lane = 0;
        while lane < self.dims.lanes {
            lane += match (self.dims.lanes - lane).min(most) {
                1 => self.lanes::<S, 1>(s, lane),
                2 => self.lanes::<S, 2>(s, lane),
                3 => self.lanes::<S, 3>(s, lane),
                4 => self.lanes::<S, 4>(s, lane),
                5 => self.lanes::<S, 5>(s, lane),
                6 => self.lanes::<S, 6>(s, lane),
                7 => self.lanes::<S, 7>(s, lane),
                _ => self.lanes::<S, 8>(s, lane),
            };
        }
    }
}

impl Forward<'_> {
    /// All panels for `MR` lanes: as many panels a tile as registers hold chains for. Returns
    /// the lanes done.
    #[inline(always)]
    fn lanes<S: Simd, const MR: usize>(&mut self, s: S, lane: usize) -> usize {
        let panels = self.dims.rows.div_ceil(PANEL);
        let most = match S::REGISTERS {
            32.. => 16 / MR,
            _ => 4 / MR.min(4),
        };
        let mut p = 0;
        while p < panels {
            p += match (panels - p).min(most) {
                8.. if MR <= 2 && S::REGISTERS >= 32 => self.tile::<S, MR, 8>(s, lane, p),
                4.. if MR <= 4 => self.tile::<S, MR, 4>(s, lane, p),
                2.. => self.tile::<S, MR, 2>(s, lane, p),
                _ => self.tile::<S, MR, 1>(s, lane, p),
            };
        }
        MR
    }

    #[inline(always)]
    fn tile<S: Simd, const MR: usize, const NV: usize>(
        &mut self,
        s: S,
        lane: usize,
        panel: usize,
    ) -> usize {
        let DenseDims { rows, inputs, lanes } = self.dims;
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
        };
        let x = self.x.as_ptr().wrapping_add(lane);
        let w = self.w.as_ptr().wrapping_add(panel * inputs * PANEL);
        let y = self.y.as_mut_ptr().wrapping_add(panel * PANEL * lanes + lane);
        let outputs = (rows - panel * PANEL).min(NV * PANEL);
        // SAFETY: x holds the lanes at every step, w the whole padded panels, and y `outputs` rows.
        unsafe {
            if lanes == 1 {
                let place = Place { row: 0, group: GROUP };
                if outputs == NV * PANEL {
                    let acc = match self.start {
                        Start::Zero => zeros(s),
                        Start::Dst => load::<S, 1, NV, false>(s, place, y, 1, GROUP),
                    };
                    let acc = reduce::<S, 1, NV, false>(s, walk, x, w, GROUP, acc);
                    store::<S, 1, NV, false>(s, place, y, 1, GROUP, acc);
                } else {
                    let last = outputs - (NV - 1) * PANEL;
                    let acc = match self.start {
                        Start::Zero => zeros(s),
                        Start::Dst => load::<S, 1, NV, true>(s, place, y, 1, last),
                    };
                    let acc = reduce::<S, 1, NV, false>(s, walk, x, w, GROUP, acc);
                    store::<S, 1, NV, true>(s, place, y, 1, last, acc);
                }
            } else {
                let acc = match self.start {
                    Start::Zero => zeros(s),
                    Start::Dst => load_turned::<S, MR, NV>(s, y, lanes, outputs),
                };
                let acc = reduce::<S, MR, NV, false>(s, walk, x, w, GROUP, acc);
                store_turned(s, y, lanes, outputs, acc);
            }
        }
        NV
    }
}

/// A tile `[lane][panel][16]` of the rows `[output][row]` at `src`.
///
/// # Safety
/// `outputs` rows are readable for `MR` elements.
#[inline(always)]
unsafe fn load_turned<S: Simd, const MR: usize, const NV: usize>(
    s: S,
    src: *const f32,
    row: usize,
    outputs: usize,
) -> Acc<S, MR, NV> {
    let mut parts = [[[Group::zero(s)]; MR]; NV];
    for (v, part) in parts.iter_mut().enumerate() {
        let mut turned = [[0.0; PANEL]; MR];
        let n = (outputs - v * PANEL).min(PANEL);
        // SAFETY: n rows of the source, within the promised outputs; the buffer has their room.
        unsafe {
            let src = src.add(v * PANEL * row);
            transpose(s, (n, MR), src, row, turned.as_mut_ptr().cast(), PANEL);
            *part = load::<S, MR, 1, false>(s, LINE, turned.as_ptr().cast(), MR, GROUP);
        }
    }
    std::array::from_fn(|r| std::array::from_fn(|v| parts[v][r][0]))
}

/// The inverse of [`load_turned`].
///
/// # Safety
/// `outputs` rows are writable for `MR` elements.
#[inline(always)]
unsafe fn store_turned<S: Simd, const MR: usize, const NV: usize>(
    s: S,
    dst: *mut f32,
    row: usize,
    outputs: usize,
    acc: Acc<S, MR, NV>,
) {
    let parts: [Acc<S, MR, 1>; NV] = std::array::from_fn(|v| acc.map(|line| [line[v]]));
    for (v, part) in parts.into_iter().enumerate() {
        let mut turned = [[0.0; PANEL]; MR];
        let n = (outputs - v * PANEL).min(PANEL);
        // SAFETY: the buffer holds the tile; n rows of the destination lie within the outputs.
        unsafe {
            store::<S, MR, 1, false>(s, LINE, turned.as_mut_ptr().cast(), MR, GROUP, part);
            let dst = dst.add(v * PANEL * row);
            transpose(s, (MR, n), turned.as_ptr().cast(), PANEL, dst, row);
        }
    }
}

/// Rows of one panel, one after another.
const LINE: Place = Place { row: PANEL, group: 0 };
