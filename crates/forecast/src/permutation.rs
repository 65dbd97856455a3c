//! Permutation: a random order of `0..count` that is computed, not stored.
//!
//! A Feistel network is a bijection of the numbers of an even number of bits, whatever its round
//! function does; numbers beyond `count` are sent through it again until they fall below. So an order of
//! any length takes no memory, and its start can be told without the rest.

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
        // All once, then those beyond `count` again, so that none waits for another.
        for (item, place) in batch.iter_mut().zip(place as u64..) {
            *item = self.network(place) as usize;
        }
        let count = self.count as usize;
        let mut beyond = batch.iter().any(|item| *item >= count);
        while beyond {
            beyond = false;
            for item in batch.iter_mut().filter(|item| **item >= count) {
                *item = self.network(*item as u64) as usize;
                beyond |= *item >= count;
            }
        }
    }

    fn network(&self, number: u64) -> u64 {
        let mask = (1u64 << self.half) - 1;
        let (mut left, mut right) = (number >> self.half, number & mask);
        for round in 0..ROUNDS {
            let hash = random(right ^ self.key.wrapping_add(round << 56), 1) & mask;
            (left, right) = (right, left ^ hash);
        }
        (left << self.half) | right
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
