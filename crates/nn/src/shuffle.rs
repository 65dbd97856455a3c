//! Shuffling whose order can be told without the orders before it.

/// Shuffles `items` (Fisher and Yates, from the back). The order is a function of their number, the
/// seed and the round alone.
pub fn shuffle<T>(items: &mut [T], seed: u64, round: u64) {
    let key = mix(mix(seed) ^ round);
    for i in (1..items.len()).rev() {
        let random = mix(key.wrapping_add((i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let j = (u128::from(random) * (i as u128 + 1)) >> 64;
        items.swap(i, j as usize);
    }
}

/// The finaliser of SplitMix64: every input bit reaches every output bit.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
