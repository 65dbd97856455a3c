//! Inputs both sides can make for themselves, and digests to compare what came out.
//!
//! A value depends on the seed and its index alone and is exact in f32, so that the peer, in
//! another language, starts from the same bits. `peers/fill.py` is the other half: change both.

use serde::Deserialize;

/// The value at `index` of the stream `seed`, a multiple of 2^-23 in [-1, 1).
pub fn value(seed: u32, index: u32) -> f32 {
    let mut h = index.wrapping_add(seed.wrapping_mul(0x9e37_79b9));
    h = (h ^ (h >> 16)).wrapping_mul(0x7feb_352d);
    h = (h ^ (h >> 15)).wrapping_mul(0x846c_a68b);
    h ^= h >> 16;
    (h >> 8) as f32 / (1 << 23) as f32 - 1.0
}

/// The first `len` values of the stream `seed`.
pub fn values(seed: u32, len: usize) -> Vec<f32> {
    (0..len).map(|index| value(seed, index as u32)).collect()
}

/// A short stand-in for a large answer: sums, and a few values evenly picked.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Digest {
    /// How many values there are.
    pub len: usize,
    /// Their sum.
    pub sum: f64,
    /// The sum of their sizes.
    pub abs_sum: f64,
    /// Value `i * len / picks` for each `i` below `picks` = min(len, 64).
    pub picks: Vec<f64>,
}

impl Digest {
    /// The digest of `values`.
    pub fn of(values: &[f32]) -> Digest {
        let picks = values.len().min(64);
        Digest {
            len: values.len(),
            sum: values.iter().map(|v| f64::from(*v)).sum(),
            abs_sum: values.iter().map(|v| f64::from(*v).abs()).sum(),
            picks: (0..picks).map(|i| f64::from(values[i * values.len() / picks])).collect(),
        }
    }

    /// The largest difference relative to the mean size of a value; infinite when the lengths
    /// differ or a value is not a number.
    pub fn distance(&self, other: &Digest) -> f64 {
        if self.len != other.len || self.picks.len() != other.picks.len() {
            return f64::INFINITY;
        }
        let mean =
            (self.abs_sum.max(other.abs_sum) / self.len.max(1) as f64).max(f64::MIN_POSITIVE);
        let mut worst = (self.sum - other.sum).abs() / self.len.max(1) as f64;
        for (a, b) in self.picks.iter().zip(&other.picks) {
            let difference = (a - b).abs();
            // `max` would drop a NaN.
            worst = if difference >= worst || difference.is_nan() { difference } else { worst };
        }
        if worst.is_nan() { f64::INFINITY } else { worst / mean }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_one_the_peer_makes() {
        // What peers/fill.py gives for the stream 7.
        assert_eq!(values(1, 3), [value(1, 0), value(1, 1), value(1, 2)]);
        let scaled: Vec<i64> =
            values(7, 4).iter().map(|v| (f64::from(*v) * 8_388_608.0) as i64).collect();
        assert_eq!(scaled, EXPECTED_7);
        assert!(values(3, 10_000).iter().all(|v| (-1.0..1.0).contains(v)));
    }

    const EXPECTED_7: [i64; 4] = [1_143_717, 3_065_591, -5_962_346, 1_044_785];

    #[test]
    fn equal_answers_are_near_and_different_ones_are_not() {
        let values = values(5, 1000);
        let digest = Digest::of(&values);
        assert_eq!(digest.distance(&digest), 0.0);
        let shifted: Vec<f32> = values.iter().map(|v| v + 0.01).collect();
        assert!(digest.distance(&Digest::of(&shifted)) > 0.01);
        assert_eq!(digest.distance(&Digest::of(&values[1..])), f64::INFINITY);
        assert_eq!(digest.distance(&Digest::of(&vec![f32::NAN; 1000])), f64::INFINITY);
    }
}
