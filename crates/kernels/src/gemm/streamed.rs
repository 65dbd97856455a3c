//! Tiles of a large product, six rows at a time: vectors stream from the second cache, in the order
//! the tiles want them, while the scalars, used where they are, stay in the first.
//!
//! Results and the scalars of the next six rows come from further away. Each tile asks for some of
//! them, a line every few steps, while it computes.

use super::Start;
use super::block::Block;
use super::tile::{Ahead, GROUP, Patch, Walk, load, reduce, row_offsets, store, zeros};
use crate::simd::{Isa, Kernel, Portable, Simd};
use std::any::TypeId;

/// Groups of a tile.
pub(super) fn width(isa: Isa) -> usize {
    if isa == Isa::Avx512 { 4 } else { 1 }
}

/// As many rows of a block of whole tiles as fill tiles. Gives the rows done.
pub(super) struct Streamed(pub Block);

impl Streamed {
    #[inline(always)]
    fn tiles<S: Simd, const MR: usize, const NV: usize>(&self, s: S) -> usize {
        let Block { walk, w, x, x_next, c, place, rows, lanes, start, .. } = self.0;
        let (panels, tiles) = (rows / MR, lanes / (NV * GROUP));
        let offsets = row_offsets::<MR>(MR, walk.w_row);
        let result = |i: usize| {
            let (panel, tile) = (i / tiles, i % tiles);
            c.wrapping_add(panel * MR * place.row + tile * NV * place.group)
        };
        for i in 0..panels * tiles {
            let (panel, tile) = (i / tiles, i % tiles);
            let w = w.wrapping_add(panel * MR * walk.w_row);
            let x = x.wrapping_add(tile * NV * x_next);
            let c = result(i);
            // What the chains of a tile start from is wanted one tile earlier.
            let wanted = if start == Start::Zero { c } else { result(i + 1) };
            let wanted = Patch { at: wanted, row: place.row };
            let scalars = w.wrapping_add(MR * walk.w_row + tile * NV * GROUP);
            let scalars = Patch { at: scalars, row: walk.w_row };
            let walk = Walk { ahead: Ahead::Patches { near: wanted, far: scalars }, ..walk };
            // SAFETY: promised to Block::run.
            unsafe {
                let acc = match start {
                    Start::Zero => zeros(s),
                    Start::Dst => load::<S, MR, NV, false>(s, place, c, MR, GROUP),
                };
                let acc = reduce::<S, MR, NV, false>(s, walk, w, &offsets, x, GROUP, acc);
                store::<S, MR, NV, false>(s, place, c, MR, GROUP, acc);
            }
        }
        panels * MR
    }
}

impl Kernel for Streamed {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> usize {
        if S::REGISTERS >= 32 {
            self.tiles::<S, 6, 4>(s)
        } else if TypeId::of::<S>() == TypeId::of::<Portable>() {
            self.tiles::<S, 2, 1>(s)
        } else {
            self.tiles::<S, 6, 1>(s)
        }
    }
}
