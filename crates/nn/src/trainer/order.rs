//! The order in which rows are learned from: a function of seed and epoch alone, so that any epoch's
//! order can be told without the epochs before it.

use crate::shuffle::shuffle;

/// What an order is for; the same seed gives another for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Which rows validate.
    Split,
    /// The order of an epoch, counted from 0.
    Epoch(usize),
}

/// Puts rows into the order of their purpose.
pub(super) fn reorder(rows: &mut [u32], seed: u64, purpose: Purpose) {
    let round = match purpose {
        Purpose::Split => 0,
        Purpose::Epoch(epoch) => 1 + epoch as u64,
    };
    shuffle(rows, seed ^ 0x726f_7773, round);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(seed: u64, purpose: Purpose) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..40).collect();
        reorder(&mut rows, seed, purpose);
        rows
    }

    #[test]
    fn an_order_has_each_row_once() {
        for epoch in 0..20 {
            let mut rows = order(1, Purpose::Epoch(epoch));
            rows.sort_unstable();
            assert!(rows.into_iter().eq(0..40));
        }
    }

    #[test]
    fn seed_and_purpose_decide_the_order() {
        assert_eq!(order(1, Purpose::Epoch(3)), order(1, Purpose::Epoch(3)));
        assert_ne!(order(1, Purpose::Epoch(3)), order(2, Purpose::Epoch(3)));
        assert_ne!(order(1, Purpose::Epoch(3)), order(1, Purpose::Epoch(4)));
        assert_ne!(order(1, Purpose::Epoch(0)), order(1, Purpose::Split));
    }
}
