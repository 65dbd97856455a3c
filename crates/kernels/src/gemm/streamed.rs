//! Tiles of a large product, six rows at a time: vectors stream from the second cache, in the order
//! the tiles want them, while the scalars, used where they are, stay in the first.
//!
//! Results and the scalars of the next six rows come from further away. Each tile asks for some of
//! them, a line every few steps, while it computes.

use super::block::Block;
use super::tile::{Ahead, GROUP, Patch, Walk, load, reduce, row_offsets, store, zeros};
use super::{PANEL, Start};
use crate::simd::{Isa, Kernel, Portable, Simd};
use std::any::TypeId;

/// Groups of a tile.
pub(super) fn width(isa: Isa) -> usize {
    if isa == Isa::Avx512 { 4 } else { 1 }
}

/// Groups of a tile whose scalars lie in panels of sixteen rows, which eight rows divide.
pub(super) const IN_PANELS: usize = 3;

/// As many rows of a block of whole tiles as fill tiles. Gives the rows done.
pub(super) struct Streamed(pub Block);

impl Streamed {
    #[inline(always)]
    fn tiles<S: Simd, const MR: usize, const NV: usize, const PANELS: bool>(&self, s: S) -> usize {
        let Block { mut walk, w, panels, x, x_next, c, place, rows, lanes, start, .. } = self.0;
        if PANELS {
            // Known to the compiler, which needs the registers.
            (walk.w_row, walk.w_inner) = (1, PANEL);
        }
        let (bands, tiles) = (rows / MR, lanes / (NV * GROUP));
        let scalars_of = |row: usize| match PANELS {
            true => w.wrapping_add(row / PANEL * panels.next + row % PANEL),
            false => w.wrapping_add(row * walk.w_row),
        };
        let offsets = row_offsets::<MR>(MR, walk.w_row);
        let result = |i: usize| {
            let (band, tile) = (i / tiles, i % tiles);
            c.wrapping_add(band * MR * place.row + tile * NV * place.group)
        };
        for i in 0..bands * tiles {
            let (band, tile) = (i / tiles, i % tiles);
            let w = scalars_of(band * MR);
            let x = x.wrapping_add(tile * NV * x_next);
            let c = result(i);
            // What the chains of a tile start from is wanted one tile earlier.
            let wanted = if start == Start::Zero { c } else { result(i + 1) };
            let wanted = Patch { at: wanted, row: place.row };
            let scalars = if PANELS {
                // Lines of the next panel, which follow each other.
                let next = scalars_of((band * MR / PANEL + 1) * PANEL);
                let asked = i % (PANEL / MR * tiles) * MR * NV * GROUP;
                Patch { at: next.wrapping_add(asked), row: NV * GROUP }
            } else {
                let next = scalars_of((band + 1) * MR);
                Patch { at: next.wrapping_add(tile * NV * GROUP), row: walk.w_row }
            };
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
        bands * MR
    }
}

impl Kernel for Streamed {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> usize {
        if S::REGISTERS >= 32 && self.0.tile == Some(IN_PANELS) {
            self.tiles::<S, 8, 3, true>(s)
        } else if S::REGISTERS >= 32 {
            self.tiles::<S, 6, 4, false>(s)
        } else if TypeId::of::<S>() == TypeId::of::<Portable>() {
            self.tiles::<S, 2, 1, false>(s)
        } else {
            self.tiles::<S, 6, 1, false>(s)
        }
    }
}
