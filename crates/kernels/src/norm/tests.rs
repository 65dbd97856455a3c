//! Every instruction set against the formulas in f64; lanes alone against lanes in a crowd.

use super::*;
use crate::check::isas;
use proptest::prelude::*;

const EPS: f32 = 1e-5;

fn noise(len: usize, seed: u32, centre: f32) -> Vec<f32> {
    let mut state = seed | 1;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    };
    (0..len).map(|_| centre + next()).collect()
}

fn close(got: f32, expected: f64) -> bool {
    (f64::from(got) - expected).abs() <= 3e-5 * expected.abs().max(1.0)
}

/// [`close`] for what a lane's deviation divides: the rounding of the mean counts the more the smaller that is.
fn close_in_lane(got: f32, expected: f64, rstd: f64) -> bool {
    let allowed = 3e-5 + 5e-7 * rstd;
    (f64::from(got) - expected).abs() <= allowed * expected.abs().max(1.0)
}

/// Normalised elements, mean and reciprocal deviation of one list, in f64.
fn normalised(x: &[f64], centred: bool) -> (Vec<f64>, f64, f64) {
    let n = x.len() as f64;
    let mean = if centred { x.iter().sum::<f64>() / n } else { 0.0 };
    let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
    let rstd = 1.0 / (variance + f64::from(EPS)).sqrt();
    (x.iter().map(|x| (x - mean) * rstd).collect(), mean, rstd)
}

/// `rstd (g - mean(g) - z mean(g z))`.
fn gradient(z: &[f64], g: &[f64], rstd: f64, centred: bool) -> Vec<f64> {
    let n = z.len() as f64;
    let mean = if centred { g.iter().sum::<f64>() / n } else { 0.0 };
    let along = z.iter().zip(g).map(|(z, g)| z * g).sum::<f64>() / n;
    z.iter().zip(g).map(|(z, g)| rstd * (g - mean - z * along)).collect()
}

/// Offsets of the elements of lane `(o, i)` of `[outer, n, inner]`.
fn lane([_, n, inner]: [usize; 3], o: usize, i: usize) -> Vec<usize> {
    (0..n).map(|j| (o * n + j) * inner + i).collect()
}

fn at(x: &[f32], offsets: &[usize]) -> Vec<f64> {
    offsets.iter().map(|at| f64::from(x[*at])).collect()
}

proptest! {
    #[test]
    fn layer_and_rms_norm_follow_the_formulas(
        outer in 0usize..4,
        n in 1usize..40,
        inner in prop_oneof![Just(1usize), 0usize..36],
        centred in any::<bool>(),
        plain in any::<bool>(),
        seed in any::<u32>(),
    ) {
        let sizes = [outer, n, inner];
        let (len, items) = (outer * n * inner, outer * inner);
        let (x, dy) = (noise(len, seed, 0.5), noise(len, !seed, 0.0));
        let (weight, bias) = (noise(n, seed ^ 5, 1.0), noise(n, seed ^ 6, 0.0));
        let weight = (!plain).then_some(&weight[..]);
        let bias = (!plain && centred).then_some(&bias[..]);
        for isa in isas() {
            let (mut y, mut mean, mut rstd) = (vec![9.0; len], vec![0.0; items], vec![9.0; items]);
            if centred {
                layer_norm_on(isa, sizes, EPS, &x, Affine { weight, bias }, &mut y, &mut mean, &mut rstd);
            } else {
                rms_norm_on(isa, sizes, EPS, &x, weight, &mut y, &mut rstd);
            }
            let means = if centred { &mean[..] } else { &[] };
            let again = Normalised::Of { x: &x, mean: means, rstd: &rstd };
            let mut kept = vec![0.0; len];
            let (mut dx, mut dx_kept) = (vec![9.0; len], vec![9.0; len]);
            let backward = if centred { layer_norm_grad_on } else { rms_norm_grad_on };
            backward(isa, sizes, again, &rstd, weight, &dy, &mut dx);
            let (mut dweight, mut dbias) = (vec![0.0f64; n], vec![0.0f64; n]);
            for o in 0..outer {
                for i in 0..inner {
                    let offsets = lane(sizes, o, i);
                    let (z, lane_mean, lane_rstd) = normalised(&at(&x, &offsets), centred);
                    let factor = |j: usize| weight.map_or(1.0, |w| f64::from(w[j]));
                    let dy = at(&dy, &offsets);
                    let g: Vec<f64> = dy.iter().enumerate().map(|(j, dy)| dy * factor(j)).collect();
                    let expected = gradient(&z, &g, lane_rstd, centred);
                    prop_assert!(close_in_lane(rstd[o * inner + i], lane_rstd, lane_rstd));
                    prop_assert!(close(mean[o * inner + i], lane_mean));
                    for (j, at) in offsets.into_iter().enumerate() {
                        let shift = bias.map_or(0.0, |b| f64::from(b[j]));
                        let expected_y = z[j] * factor(j) + shift;
                        prop_assert!(close_in_lane(y[at], expected_y, lane_rstd), "{isa:?}");
                        let tolerance = 1e-5 * lane_rstd * (1.0 + lane_rstd);
                        prop_assert!((f64::from(dx[at]) - expected[j]).abs() <= tolerance.max(3e-5));
                        kept[at] = z[j] as f32;
                        dweight[j] += dy[j] * z[j];
                        dbias[j] += dy[j];
                    }
                }
            }
            backward(isa, sizes, Normalised::Kept(&kept), &rstd, weight, &dy, &mut dx_kept);
            for (a, b) in dx.iter().zip(&dx_kept) {
                prop_assert!((a - b).abs() <= 3e-3 * a.abs().max(1.0), "{isa:?} {a} {b}");
            }
            for z in [again, Normalised::Kept(&kept)] {
                let (mut dw, mut db) = (vec![9.0; n], vec![9.0; n]);
                norm_weight_grad_on(isa, sizes, z, &dy, &mut dw, &mut db);
                for j in 0..n {
                    prop_assert!((f64::from(dw[j]) - dweight[j]).abs() <= 2e-4 * (1.0 + items as f64));
                    prop_assert!(close(db[j], dbias[j]));
                }
            }
        }
    }

    #[test]
    fn a_lane_alone_equals_the_lane_in_a_crowd(n in 1usize..70, inner in 2usize..36, seed in any::<u32>()) {
        let x = noise(n * inner, seed, 0.5);
        for isa in isas() {
            let mut crowd = vec![0.0; x.len()];
            layer_norm_on(isa, [1, n, inner], EPS, &x, Affine::default(), &mut crowd, &mut [], &mut []);
            for i in 0..inner {
                let lane: Vec<f32> = (0..n).map(|j| x[j * inner + i]).collect();
                let mut alone = vec![0.0; n];
                layer_norm_on(isa, [1, n, 1], EPS, &lane, Affine::default(), &mut alone, &mut [], &mut []);
                for j in 0..n {
                    prop_assert_eq!(alone[j].to_bits(), crowd[j * inner + i].to_bits());
                }
            }
        }
    }

    #[test]
    fn batch_norm_follows_the_formulas(
        outer in 1usize..6,
        channels in 0usize..20,
        inner in prop_oneof![Just(1usize), 1usize..36],
        plain in any::<bool>(),
        seed in any::<u32>(),
    ) {
        let norm = BatchNorm { sizes: [outer, channels, inner], eps: EPS };
        let len = outer * channels * inner;
        let (x, dy) = (noise(len, seed, 0.5), noise(len, !seed, 0.0));
        let (weight, bias) = (noise(channels, seed ^ 5, 1.0), noise(channels, seed ^ 6, 0.0));
        let affine = Affine {
            weight: (!plain).then_some(&weight[..]),
            bias: (!plain).then_some(&bias[..]),
        };
        for isa in isas() {
            let (mut y, mut dx, mut again) = (vec![9.0; len], vec![9.0; len], vec![9.0; len]);
            let mut per_channel: [Vec<f32>; 4] = std::array::from_fn(|_| vec![9.0; channels]);
            let [mean, variance, dweight, dbias] = &mut per_channel;
            batch_norm_train_on(isa, norm, &x, affine, &mut y, mean, variance);
            batch_norm_infer_on(isa, norm, &x, mean, variance, affine, &mut again);
            prop_assert_eq!(&y, &again);
            batch_norm_grad_on(
                isa, norm, &x, mean, variance, affine.weight, &dy, &mut dx, dweight, dbias,
            );
            for c in 0..channels {
                let offsets: Vec<usize> = (0..outer)
                    .flat_map(|o| (0..inner).map(move |i| (o * channels + c) * inner + i))
                    .collect();
                let (z, own_mean, rstd) = normalised(&at(&x, &offsets), true);
                let dy = at(&dy, &offsets);
                let factor = affine.weight.map_or(1.0, |w| f64::from(w[c]));
                let shift = affine.bias.map_or(0.0, |b| f64::from(b[c]));
                let g: Vec<f64> = dy.iter().map(|dy| dy * factor).collect();
                let expected = gradient(&z, &g, rstd, true);
                prop_assert!(close(mean[c], own_mean));
                prop_assert!(close(variance[c], 1.0 / (rstd * rstd) - f64::from(EPS)));
                prop_assert!(close(dbias[c], dy.iter().sum()));
                let products: f64 = dy.iter().zip(&z).map(|(dy, z)| dy * z).sum();
                prop_assert!((f64::from(dweight[c]) - products).abs() <= 1e-5 * (offsets.len() as f64 + rstd));
                for (j, at) in offsets.into_iter().enumerate() {
                    prop_assert!(close(y[at], z[j] * factor + shift), "{isa:?}");
                    let tolerance = (1e-5 * rstd * (1.0 + rstd)).max(3e-5);
                    prop_assert!((f64::from(dx[at]) - expected[j]).abs() <= tolerance, "{isa:?}");
                }
            }
        }
    }
}
