//! First contents of state: a pure function of seed, name and element, so that neither the order of
//! declaration nor the number of threads matters.

use std::f64::consts::TAU;
use whimbrel_graph::Init;

/// Fills `data` as `init` says.
pub fn fill(init: Init, seed: u64, name: &str, data: &mut [f32]) {
    let key = name.bytes().fold(mix(seed ^ 0x5749_4d42), |h, b| mix(h ^ u64::from(b)));
    match init {
        Init::Zeros => data.fill(0.0),
        Init::Constant(x) => data.fill(x),
        Init::Uniform { bound } => {
            for (i, x) in data.iter_mut().enumerate() {
                *x = ((2.0 * unit(key, i as u64) - 1.0) * f64::from(bound)) as f32;
            }
        }
        Init::Normal { std } => {
            // Box and Muller: two uniform numbers make one normal one here; the first is kept
            // away from 0, where its logarithm has no end.
            for (i, x) in data.iter_mut().enumerate() {
                let radius = (-2.0 * (1.0 - unit(key, 2 * i as u64)).ln()).sqrt();
                let angle = TAU * unit(key, 2 * i as u64 + 1);
                *x = (radius * angle.cos() * f64::from(std)) as f32;
            }
        }
    }
}

/// Uniform in [0, 1), element `i` of the sequence `key`.
fn unit(key: u64, i: u64) -> f64 {
    (mix(key.wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15))) >> 11) as f64
        / (1u64 << 53) as f64
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

    #[test]
    fn normal_numbers_have_the_asked_spread_and_depend_on_the_name() {
        let (mut a, mut b) = (vec![0.0; 10_000], vec![0.0; 10_000]);
        fill(Init::Normal { std: 2.0 }, 1, "a", &mut a);
        fill(Init::Normal { std: 2.0 }, 1, "b", &mut b);
        let mean = a.iter().sum::<f32>() / 1e4;
        let var = a.iter().map(|x| x * x).sum::<f32>() / 1e4;
        assert!(mean.abs() < 0.1 && (var - 4.0).abs() < 0.3, "{mean} {var}");
        assert_ne!(a, b);
        fill(Init::Normal { std: 2.0 }, 1, "a", &mut b);
        assert_eq!(a, b);
    }

    #[test]
    fn uniform_numbers_fill_their_range() {
        let mut x = vec![0.0; 10_000];
        fill(Init::Uniform { bound: 0.5 }, 7, "w", &mut x);
        let (low, high) = x.iter().fold((0f32, 0f32), |(l, h), &x| (l.min(x), h.max(x)));
        assert!((-0.5..-0.49).contains(&low) && (0.49..0.5).contains(&high), "{low} {high}");
    }
}
