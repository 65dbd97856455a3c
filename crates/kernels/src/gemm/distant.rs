//! One row times vectors that come from memory.
//!
//! Its time is what lines take to arrive, so as many as can be are on their way at once: many runs of
//! lines side by side, each asked for before it is wanted. Vectors from a cache are faster without.

use super::Start;
use super::block::Block;
use super::tile::{Ahead, GROUP, Walk, load, reduce, store, zeros};
use crate::simd::{Isa, Kernel, Simd, run_on};

/// Elements of a matrix that a core may find again in a cache it shares.
const SHARED: usize = 1 << 22;
/// Elements from a vector to the one asked for with it.
const DISTANCE: usize = 8 * GROUP;

/// The one row of a block, as many whole tiles of it as there are.
struct Distant(Block);

/// Whether a product of so many rows with a matrix of so many elements is such a one.
pub(super) fn is_distant(rows: usize, elements: usize) -> bool {
    rows == 1 && elements > SHARED
}

/// Computes a block of one row on `isa`.
///
/// # Safety
/// As for [`Block::run`].
pub(super) unsafe fn run(mut block: Block, isa: Isa) {
    let tile = run_on(isa, Distant(block)) * GROUP;
    let groups = block.lanes / tile * tile / GROUP;
    block.x = block.x.wrapping_add(groups * block.x_next);
    block.c = block.c.wrapping_add(groups * block.place.group);
    block.lanes %= tile;
    // SAFETY: promised by the caller: the lanes that fill no tile.
    unsafe { block.run(isa) };
}

impl Distant {
    /// Tiles of `NV` groups. Gives their size.
    #[inline(always)]
    fn tiles<S: Simd, const NV: usize>(&self, s: S) -> usize {
        let Block { walk, w, x, x_next, c, place, lanes, start, .. } = self.0;
        let walk = Walk { ahead: Ahead::Vectors(DISTANCE), ..walk };
        for tile in 0..lanes / (NV * GROUP) {
            let x = x.wrapping_add(tile * NV * x_next);
            let c = c.wrapping_add(tile * NV * place.group);
            // SAFETY: promised to `run`.
            unsafe {
                let acc = match start {
                    Start::Zero => zeros(s),
                    Start::Dst => load::<S, 1, NV, false>(s, place, c, 1, GROUP),
                };
                let acc = reduce::<S, 1, NV, false>(s, walk, w, &[0], x, GROUP, acc);
                store::<S, 1, NV, false>(s, place, c, 1, GROUP, acc);
            }
        }
        NV
    }
}

impl Kernel for Distant {
    type Output = usize;

    /// Groups far apart are runs of their own.
    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> usize {
        if S::REGISTERS >= 32 && self.0.walk.x_group > GROUP {
            self.tiles::<S, 16>(s)
        } else {
            self.tiles::<S, 4>(s)
        }
    }
}
