//! Shuffling whose order can be told without the orders before it.

use whimbrel_engine::random::{at as random, mix};

/// Shuffles `items` (Fisher and Yates, from the back). The order is a function of their number, the
/// seed and the round alone.
pub fn shuffle<T>(items: &mut [T], seed: u64, round: u64) {
    let key = key_of(seed, round);
    for i in (1..items.len()).rev() {
        items.swap(i, below(key, i as u64, i + 1));
    }
}

/// The key of the random numbers of a round.
pub(crate) fn key_of(seed: u64, round: u64) -> u64 {
    mix(mix(seed) ^ round)
}

/// The random number `number` of a key, as one of those below `bound`.
pub(crate) fn below(key: u64, number: u64, bound: usize) -> usize {
    ((u128::from(random(key, number)) * bound as u128) >> 64) as usize
}
