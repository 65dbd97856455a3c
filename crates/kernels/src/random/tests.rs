//! The generator against its published answers, filled arrays against the definition.

use super::*;
use crate::check::isas;
use proptest::prelude::*;

#[test]
fn philox_gives_its_published_answers() {
    let all = u32::MAX;
    assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    assert_eq!(philox([all; 4], [all; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
    assert_eq!(
        philox([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
        [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
    );
}

/// One element, as the head of the module defines it.
fn element(distribution: Distribution, stream: Stream, row: usize, item: usize) -> f64 {
    let counter = [item as u32, (row / 4) as u32, stream.step, (stream.key >> 32) as u32];
    let words = philox(counter, [stream.seed, stream.key as u32]);
    let uniform = |word: usize| f64::from(words[word] >> 8) / f64::from(1 << 24);
    let word = row % 4;
    match distribution {
        Distribution::Uniform => uniform(word),
        Distribution::Bernoulli { p } => f64::from(uniform(word) < f64::from(p)),
        Distribution::Normal => {
            let radius = (-2.0 * (1.0 - uniform(word & !1)).ln()).sqrt();
            let (sin, cos) = (std::f64::consts::TAU * uniform(word | 1)).sin_cos();
            radius * if word.is_multiple_of(2) { cos } else { sin }
        }
    }
}

proptest! {
    #[test]
    fn every_place_holds_the_numbers_of_its_definition(
        row in 0usize..9,
        item in 0usize..1000,
        rows in 0usize..10,
        lanes in 1usize..40,
        seed in any::<u32>(),
        step in any::<u32>(),
        key in any::<u64>(),
    ) {
        let (stream, place) = (Stream { seed, step, key }, Place { row, item, lanes });
        let kinds = [Distribution::Uniform, Distribution::Normal, Distribution::Bernoulli { p: 0.3 }];
        for isa in isas() {
            for distribution in kinds {
                let mut dst = vec![9.0; rows * lanes];
                fill_on(isa, distribution, stream, place, &mut dst);
                for (at, got) in dst.into_iter().enumerate() {
                    let exact = element(distribution, stream, row + at / lanes, item + at % lanes);
                    let tolerance = match distribution {
                        Distribution::Normal => 2e-6,
                        _ => 0.0,
                    };
                    prop_assert!((f64::from(got) - exact).abs() <= tolerance, "{isa:?} {got} {exact}");
                }
            }
        }
    }
}

#[test]
fn normal_numbers_have_mean_0_and_variance_1() {
    let stream = Stream { seed: 7, step: 1, key: 3 };
    let mut x = vec![0.0; 100_000];
    fill(Distribution::Normal, stream, Place { row: 0, item: 0, lanes: 100 }, &mut x);
    let mean = x.iter().map(|x| f64::from(*x)).sum::<f64>() / x.len() as f64;
    let variance = x.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / x.len() as f64;
    assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
}
