//! The order in which windows are learned from: all of them once, shuffled, then all again.
//!
//! Random numbers are a function of seed, round and position, so an order can be told without
//! having run what came before it.

use whimbrel_nn::shuffle;

/// An endless order over `0..count`.
#[derive(Clone, Debug)]
pub(crate) struct Shuffle {
    seed: u64,
    round: u64,
    order: Vec<i32>,
    next: usize,
}

impl Shuffle {
    /// An order over `0..count`, at least one.
    pub(crate) fn new(seed: u64, count: i32) -> Shuffle {
        Shuffle { seed, round: 0, order: (0..count.max(1)).collect(), next: count.max(1) as usize }
    }

    /// Fills `batch` with what comes next.
    pub(crate) fn fill(&mut self, batch: &mut [i32]) {
        for item in batch {
            if self.next == self.order.len() {
                self.reorder();
            }
            *item = self.order[self.next];
            self.next += 1;
        }
    }

    fn reorder(&mut self) {
        shuffle(&mut self.order, self.seed ^ 0x7769_6e64, self.round);
        self.round += 1;
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_round_has_each_item_once(seed: u64, count in 1i32..60, batch in 1usize..40) {
            let mut shuffle = Shuffle::new(seed, count);
            let (mut seen, mut items) = (Vec::new(), vec![0; batch]);
            while seen.len() < 3 * count as usize {
                shuffle.fill(&mut items);
                seen.extend_from_slice(&items);
            }
            for round in seen.chunks_exact(count as usize) {
                let mut round = round.to_vec();
                round.sort_unstable();
                prop_assert!(round.into_iter().eq(0..count));
            }
        }
    }

    #[test]
    fn the_order_depends_on_the_seed_alone() {
        let order = |seed| {
            let mut batch = [0; 64];
            Shuffle::new(seed, 32).fill(&mut batch);
            batch
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        assert_ne!(order(1)[..32], order(1)[32..]);
    }

    #[test]
    fn places_are_taken_evenly() {
        let mut counts = [0; 8];
        let mut shuffle = Shuffle::new(3, 8);
        for _ in 0..8000 {
            let mut round = [0; 8];
            shuffle.fill(&mut round);
            counts[round[0] as usize] += 1;
        }
        assert!(counts.iter().all(|&n| (850..1150).contains(&n)), "{counts:?}");
    }
}
