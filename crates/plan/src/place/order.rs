//! Which block is placed first: a few greedy orders, then a short search from the best of them.
//!
//! By first use, blocks are placed as `sweep` does it. In any other order, every block in turn gets
//! the lowest range that is free throughout its life. Work is counted in spans and chunks looked
//! at, never in time, so the same blocks always end up in the same place.

use std::cmp::Reverse;

use super::occupied::Occupied;
use super::sweep::best_fit_by_first_use;
use super::{Block, moments};

/// No further greedy order is tried within this many percent of the lower bound.
const GREEDY_PERCENT: u64 = 1;

/// The search ends within this many percent of the lower bound.
const SEARCH_PERCENT: u64 = 3;

/// Work for the greedy orders.
const GREEDY_WORK: usize = 10 << 20;

/// Work for the search.
const SEARCH_WORK: usize = 1 << 20;

/// A sound arrangement of the blocks.
pub(super) struct Packing {
    /// The blocks in the order they were placed.
    order: Vec<usize>,
    /// The first line of each block.
    pub(super) starts: Vec<u64>,
    /// Lines used in all.
    pub(super) total: u64,
}

impl Packing {
    fn is_within(&self, percent: u64, lower_bound: u64) -> bool {
        u128::from(self.total) * 100 <= u128::from(lower_bound) * u128::from(100 + percent)
    }
}

/// The best packing found.
pub(super) fn pack_best(blocks: &[Block], lower_bound: u64) -> Packing {
    // By life comes first: it is optimal for lifetimes that nest, as those of training mostly do.
    let largest_first: [fn(&Block) -> u64; 3] = [
        |block| block.life(),
        |block| block.lines,
        |block| block.lines.saturating_mul(block.life()),
    ];
    let (order, starts) = best_fit_by_first_use(blocks);
    let end = |b: &usize| starts[*b].saturating_add(blocks[*b].lines);
    let total = order.iter().map(end).max().unwrap_or(0);
    let mut best = Packing { order, starts, total };
    let mut work = GREEDY_WORK;
    for key in largest_first {
        if best.is_within(GREEDY_PERCENT, lower_bound) {
            return best;
        }
        let mut order: Vec<usize> = (0..blocks.len()).collect();
        order.sort_by_cached_key(|&b| Reverse((key(&blocks[b]), blocks[b].lines)));
        best = pack(blocks, order, best.total - 1, &mut work).unwrap_or(best);
    }
    search(blocks, lower_bound, best)
}

/// The peak rests on a column of blocks, each of them standing on the one below. Moves one of the
/// column to an earlier place in the order, again and again, and keeps what is not worse.
fn search(blocks: &[Block], lower_bound: u64, mut best: Packing) -> Packing {
    let mut random = Random(1);
    let mut work = SEARCH_WORK;
    while work > 0 && !best.is_within(SEARCH_PERCENT, lower_bound) {
        let mut order = best.order.clone();
        let place = pick_from_column(blocks, &best, &mut random);
        order[random.below(place + 1)..=place].rotate_right(1);
        best = pack(blocks, order, best.total, &mut work).unwrap_or(best);
        // Picking looks at every block a few times.
        work = work.saturating_sub(4 * blocks.len());
    }
    best
}

/// The place in the order of a block at the peak or, half the time, of one it stands on; and so on
/// down the column.
fn pick_from_column(blocks: &[Block], packing: &Packing, random: &mut Random) -> usize {
    let Packing { order, starts, total } = packing;
    let ends_at = |b: usize, line: u64| starts[b].saturating_add(blocks[b].lines) == line;
    let places = 0..order.len();
    let mut choice: Vec<usize> = places.clone().filter(|&p| ends_at(order[p], *total)).collect();
    loop {
        let place = choice[random.below(choice.len())];
        let block = order[place];
        let supports = |b: usize| ends_at(b, starts[block]) && blocks[b].meets(&blocks[block]);
        choice = places.clone().filter(|&p| supports(order[p])).collect();
        if choice.is_empty() || random.below(2) == 0 {
            return place;
        }
    }
}

/// Packs the blocks in `order`; `None` once it needs more than `ceiling` lines or `work` runs out.
fn pack(blocks: &[Block], order: Vec<usize>, ceiling: u64, work: &mut usize) -> Option<Packing> {
    let mut occupied = Occupied::new(moments(blocks));
    let mut starts = vec![0; blocks.len()];
    let mut total = 0;
    for &b in &order {
        starts[b] = occupied.take(blocks[b], work);
        total = starts[b].saturating_add(blocks[b].lines).max(total);
        if total > ceiling || *work == 0 {
            return None;
        }
    }
    Some(Packing { order, starts, total })
}

/// Xorshift: enough to wander, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound as u64) as usize
    }
}
