//! Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"): ten rounds of
//! multiplication and exclusive or turn a counter into four words.

use crate::simd::Simd;

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// The four words of a counter.
pub fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let (high0, low0) = product(MULTIPLIERS[0], counter[0]);
        let (high1, low1) = product(MULTIPLIERS[1], counter[2]);
        counter = [high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counter
}

/// [`philox`] of a counter in each lane.
#[inline(always)]
pub(super) fn philox_lanes<S: Simd>(s: S, counters: [S::I; 4], mut key: [u32; 2]) -> [S::I; 4] {
    let multipliers = [s.splat_i(MULTIPLIERS[0] as i32), s.splat_i(MULTIPLIERS[1] as i32)];
    let [mut a, mut b, mut c, mut d] = counters;
    for _ in 0..10 {
        let (high0, low0) = s.mul_wide(a, multipliers[0]);
        let (high1, low1) = s.mul_wide(c, multipliers[1]);
        a = s.xor_i(s.xor_i(high1, b), s.splat_i(key[0] as i32));
        b = low1;
        c = s.xor_i(s.xor_i(high0, d), s.splat_i(key[1] as i32));
        d = low0;
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    [a, b, c, d]
}

#[inline(always)]
fn product(a: u32, b: u32) -> (u32, u32) {
    let product = u64::from(a) * u64::from(b);
    ((product >> 32) as u32, product as u32)
}
