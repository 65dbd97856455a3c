//! Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"): ten rounds of
//! multiplication and exclusive or turn a counter into four words.

/// Items whose words are computed side by side.
pub(super) const LANES: usize = 16;

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

/// [`philox`] of the counters whose first word is `counter[0]`, the next one, and so on: each
/// word's lanes side by side, in loops that compilers vectorise.
#[inline(always)]
pub(super) fn philox_lanes(counter: [u32; 4], mut key: [u32; 2]) -> [[u32; LANES]; 4] {
    let mut words = counter.map(|word| [word; LANES]);
    for (lane, word) in words[0].iter_mut().enumerate() {
        *word = word.wrapping_add(lane as u32);
    }
    for _ in 0..10 {
        let [a, b, c, d] = &mut words;
        for lane in 0..LANES {
            let (high0, low0) = product(MULTIPLIERS[0], a[lane]);
            let (high1, low1) = product(MULTIPLIERS[1], c[lane]);
            a[lane] = high1 ^ b[lane] ^ key[0];
            b[lane] = low1;
            c[lane] = high0 ^ d[lane] ^ key[1];
            d[lane] = low0;
        }
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    words
}

#[inline(always)]
fn product(a: u32, b: u32) -> (u32, u32) {
    let product = u64::from(a) * u64::from(b);
    ((product >> 32) as u32, product as u32)
}
