//! Permutation: a random order of `0..count` that is computed, not stored.
//!
//! A Feistel network is a bijection of the numbers of an even number of bits, whatever its round
//! function does; numbers beyond `count` are sent through it again until they fall below. So an order of
//! any length takes no memory, and its start can be told without the rest.

use whimbrel_kernels::simd::{self, Kernel, Simd};
use whimbrel_nn::random;

/// Enough rounds that even of a few numbers every order is about as likely.
const ROUNDS: u64 = 8;

/// An order of `0..count`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Permutation {
    count: u64,
    /// Bits of one half of a number.
    half: u32,
    key: u64,
}

impl Permutation {
    /// The order that belongs to a seed and a round.
    pub(crate) fn new(count: usize, seed: u64, round: u64) -> Permutation {
        let count = count as u64;
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        Permutation {
            count,
            half: bits.div_ceil(2).max(1),
            key: random(random(seed, 1) ^ round, 1),
        }
    }

    /// Fills `batch` with what stands from `place` on, all below `count`.
    fn fill(&self, place: usize, batch: &mut [usize]) {
        simd::run(Fill { order: self, place: place as u64, batch });
    }

    /// Sends numbers through the network, all at once, so that each is a lane of a vector.
    #[inline(always)]
    fn send<const N: usize>(&self, numbers: [u64; N]) -> [u64; N] {
        let mask = (1u64 << self.half) - 1;
        let (mut left, mut right) = (numbers.map(|n| n >> self.half), numbers.map(|n| n & mask));
        for round in 0..ROUNDS {
            let key = self.key.wrapping_add(round << 56);
            let mut next = left;
            for (next, right) in next.iter_mut().zip(right) {
                *next ^= random(right ^ key, 1) & mask;
            }
            (left, right) = (right, next);
        }
        std::array::from_fn(|lane| (left[lane] << self.half) | right[lane])
    }
}

/// Numbers sent together.
const LANES: usize = 16;

/// Places whose numbers are found together.
const BLOCK: usize = 64;

/// What stands from a place on.
struct Fill<'a> {
    order: &'a Permutation,
    place: u64,
    batch: &'a mut [usize],
}

impl Kernel for Fill<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Fill { order, place, batch } = self;
        for (items, place) in batch.chunks_mut(BLOCK).zip((place..).step_by(BLOCK)) {
            let mut numbers: [u64; BLOCK] = std::array::from_fn(|at| place + at as u64);
            let mut places: [usize; BLOCK] = std::array::from_fn(|at| at);
            let mut open = items.len();
            while open > 0 {
                let (groups, _) = numbers.as_chunks_mut::<LANES>();
                for group in &mut groups[..open.div_ceil(LANES)] {
                    *group = order.send(*group);
                }
                // Those beyond `count` stay, without a branch, which nobody could foresee.
                let mut beyond = 0;
                for at in 0..open {
                    let (number, place) = (numbers[at], places[at]);
                    items[place] = number as usize;
                    (numbers[beyond], places[beyond]) = (number, place);
                    beyond += usize::from(number >= order.count);
                }
                open = beyond;
            }
        }
    }
}

/// Rounds over `0..count` without end, each in an order of its own.
#[derive(Clone, Debug)]
pub(crate) struct Rounds {
    seed: u64,
    round: u64,
    next: usize,
    order: Permutation,
}

impl Rounds {
    /// Rounds over `0..count`, at least one.
    pub(crate) fn new(count: usize, seed: u64) -> Rounds {
        let count = count.max(1);
        Rounds { seed, round: 0, next: 0, order: Permutation::new(count, seed, 0) }
    }

    /// Fills `batch` with what comes next.
    pub(crate) fn fill(&mut self, mut batch: &mut [usize]) {
        let count = self.order.count as usize;
        while !batch.is_empty() {
            if self.next == count {
                self.round += 1;
                self.next = 0;
                self.order = Permutation::new(count, self.seed, self.round);
            }
            let (now, later) = batch.split_at_mut(batch.len().min(count - self.next));
            self.order.fill(self.next, now);
            self.next += now.len();
            batch = later;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_round_has_each_item_once(seed: u64, count in 1usize..300, batch in 1usize..40) {
            let mut rounds = Rounds::new(count, seed);
            let (mut seen, mut items) = (Vec::new(), vec![0; batch]);
            while seen.len() < 3 * count {
                rounds.fill(&mut items);
                seen.extend_from_slice(&items);
            }
            for round in seen.chunks_exact(count) {
                let mut round = round.to_vec();
                round.sort_unstable();
                prop_assert!(round.into_iter().eq(0..count));
            }
        }
    }

    proptest! {
        #[test]
        fn numbers_sent_together_arrive_where_each_does_alone(
            seed: u64,
            count in 1usize..3000,
            start in 0usize..3000,
            length in 0usize..200,
        ) {
            let order = Permutation::new(count, seed, 0);
            let start = start.min(count);
            let mut items = vec![0; length.min(count - start)];
            order.fill(start, &mut items);
            for (item, place) in items.into_iter().zip(start as u64..) {
                let mut number = order.send([place])[0];
                while number >= count as u64 {
                    number = order.send([number])[0];
                }
                prop_assert_eq!(item as u64, number);
            }
        }
    }

    #[test]
    fn the_order_depends_on_seed_and_round() {
        let order = |seed, round| {
            let order = Permutation::new(64, seed, round);
            let mut items = vec![0; 64];
            order.fill(0, &mut items);
            items
        };
        assert_eq!(order(1, 0), order(1, 0));
        assert_ne!(order(1, 0), order(2, 0));
        assert_ne!(order(1, 0), order(1, 1));
    }

    #[test]
    fn places_and_neighbours_are_taken_evenly() {
        for count in [5, 8, 11] {
            let (mut first, mut pairs) = (vec![0usize; count], vec![0usize; count]);
            for round in 0..1000 * count as u64 {
                let order = Permutation::new(count, 3, round);
                let mut items = [0; 2];
                order.fill(0, &mut items);
                first[items[0]] += 1;
                pairs[(items[1] + count - items[0]) % count] += 1;
            }
            assert_eq!(pairs[0], 0);
            assert!(first.iter().all(|n| (850..1150).contains(n)), "{first:?}");
            let fair = 1000 * count / (count - 1);
            assert!(pairs[1..].iter().all(|n| n.abs_diff(fair) < 200), "{pairs:?}");
        }
    }
}
