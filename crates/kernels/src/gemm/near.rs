//! One row times vectors that come from the second cache.
//!
//! Its time is that of loading lines. The processor fetches those that follow others by itself, so each run of
//! lines is read for many steps before the next, and only as many runs take turns as chains need to wait for
//! nothing but lines.

use super::Start;
use super::block::Block;
use super::tile::{GROUP, Group, Walk, load, reduce, store, zeros};
use crate::simd::{Isa, Kernel, Simd, run_on};
use std::array::from_fn;
use std::ops::Range;

/// Elements of a matrix of which the first cache holds little and the second all.
const NEAR: Range<usize> = 1 << 15..1 << 18;
/// Runs that take turns, and steps of a turn: their scalars stay in registers.
const RUNS: usize = 4;
const STEPS: usize = 24;

/// The one row of a block, as many whole tiles of it as there are. The walk has one round.
struct Near(Block);

/// Whether a product of one row with a matrix of so many elements is such a one.
pub(super) fn is_near(isa: Isa, elements: usize) -> bool {
    isa == Isa::Avx512 && NEAR.contains(&elements)
}

/// Computes a block of one row whose walk has one round.
///
/// # Safety
/// As for [`Block::run`]; the block has one row, and its walk one round.
pub(super) unsafe fn run(mut block: Block, isa: Isa) {
    debug_assert!(block.rows == 1 && block.walk.outer == 1, "one row, one round");
    run_on(isa, Near(block));
    let groups = block.lanes / (RUNS * GROUP) * RUNS;
    block.x = block.x.wrapping_add(groups * block.x_next);
    block.c = block.c.wrapping_add(groups * block.place.group);
    block.lanes -= groups * GROUP;
    // SAFETY: promised by the caller: the lanes that fill no tile.
    unsafe { block.run(isa) };
}

impl Kernel for Near {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Block { walk, w, x, x_next, c, place, lanes, start, .. } = self.0;
        for tile in 0..lanes / (RUNS * GROUP) {
            let (mut w, mut x) = (w, x.wrapping_add(tile * RUNS * x_next));
            let c = c.wrapping_add(tile * RUNS * place.group);
            // SAFETY: promised to `run`.
            unsafe {
                let mut acc = match start {
                    Start::Zero => zeros(s),
                    Start::Dst => load::<S, 1, RUNS, false>(s, place, c, 1, GROUP),
                };
                for _ in 0..walk.last / STEPS {
                    let scalars: [S::F; STEPS] =
                        from_fn(|k| s.splat(*w.wrapping_add(k * walk.w_inner)));
                    for (run, chain) in acc[0].iter_mut().enumerate() {
                        let x = x.wrapping_add(run * walk.x_group);
                        for (k, scalar) in scalars.into_iter().enumerate() {
                            let group = Group::load(s, x.wrapping_add(k * walk.x_inner));
                            *chain = group.fma(s, scalar, *chain);
                        }
                    }
                    w = w.wrapping_add(STEPS * walk.w_inner);
                    x = x.wrapping_add(STEPS * walk.x_inner);
                }
                let rest = Walk { last: walk.last % STEPS, ..walk };
                let acc = reduce::<S, 1, RUNS, false>(s, rest, w, &[0], x, GROUP, acc);
                store::<S, 1, RUNS, false>(s, place, c, 1, GROUP, acc);
            }
        }
    }
}
