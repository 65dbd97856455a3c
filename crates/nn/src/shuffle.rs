//! Shuffling whose order can be told without the orders before it.

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

/// The random number `number` of a key.
pub fn random(key: u64, number: u64) -> u64 {
    mix(key.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// The random number `number` of a key, as one of those below `bound`.
pub(crate) fn below(key: u64, number: u64, bound: usize) -> usize {
    ((u128::from(random(key, number)) * bound as u128) >> 64) as usize
}

/// The finaliser of SplitMix64: every input bit reaches every output bit.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
