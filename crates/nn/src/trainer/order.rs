//! The order in which rows are learned from: a function of seed and epoch alone, so that any epoch's
//! order can be told without the epochs before it.

/// What an order is for; the same seed gives another for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Which rows validate.
    Split,
    /// The order of an epoch, counted from 0.
    Epoch(usize),
}

/// Shuffles rows (Fisher and Yates, from the back).
pub(super) fn shuffle(rows: &mut [u32], seed: u64, purpose: Purpose) {
    let round = match purpose {
        Purpose::Split => 0,
        Purpose::Epoch(epoch) => 1 + epoch as u64,
    };
    let key = mix(mix(seed ^ 0x726f_7773) ^ round);
    for i in (1..rows.len()).rev() {
        let random = mix(key.wrapping_add((i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let j = (u128::from(random) * (i as u128 + 1)) >> 64;
        rows.swap(i, j as usize);
    }
}

/// The finaliser of SplitMix64: every input bit reaches every output bit.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(seed: u64, purpose: Purpose) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..40).collect();
        shuffle(&mut rows, seed, purpose);
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
