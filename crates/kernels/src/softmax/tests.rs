//! Every instruction set against the formulas in f64; lanes alone against lanes in a crowd.

use super::*;
use crate::check::{isas, scaled, values};
use proptest::prelude::*;

/// The elements of every lane: `[outer, inner]` lists of n.
fn lanes([outer, n, inner]: [usize; 3], x: &[f32]) -> Vec<Vec<f64>> {
    let lane = |o: usize, i: usize| (0..n).map(|j| f64::from(x[(o * n + j) * inner + i])).collect();
    (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))).map(|(o, i)| lane(o, i)).collect()
}

fn log_sum_exp(x: &[f64]) -> f64 {
    let largest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + x.iter().map(|x| (x - largest).exp()).sum::<f64>().ln()
}

fn close(got: &[f64], expected: &[f64]) -> bool {
    got.iter().zip(expected).all(|(a, b)| a == b || (a - b).abs() <= 3e-6 * b.abs().max(0.3))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

proptest! {
    #[test]
    fn softmaxes_and_their_gradients_follow_the_formulas(
        outer in 0usize..3,
        n in 0usize..40,
        inner in prop_oneof![Just(1usize), 0usize..36],
        scale in prop_oneof![Just(1.0f32), Just(30.0)],
        seed in any::<u64>(),
    ) {
        let sizes = [outer, n, inner];
        let len = outer * n * inner;
        let (x, dy) = (scaled(len, seed, scale), values(len, !seed));
        let (xs, dys) = (lanes(sizes, &x), lanes(sizes, &dy));
        for isa in isas() {
            let mut outputs = [vec![9.0; len], vec![9.0; len], vec![9.0; len], vec![9.0; len]];
            let [y, dx, log_y, log_dx] = &mut outputs;
            softmax_on(isa, sizes, &x, y);
            softmax_grad_on(isa, sizes, y, &dy, dx);
            log_softmax_on(isa, sizes, &x, log_y);
            log_softmax_grad_on(isa, sizes, log_y, &dy, log_dx);
            let [y, dx, log_y, log_dx] = outputs.map(|o| lanes(sizes, &o));
            for (lane, (x, dy)) in xs.iter().zip(&dys).enumerate() {
                let lse = log_sum_exp(x);
                let logs: Vec<f64> = x.iter().map(|x| x - lse).collect();
                let p: Vec<f64> = logs.iter().map(|l| l.exp()).collect();
                let mean = dot(&p, dy);
                let grad: Vec<f64> = p.iter().zip(dy).map(|(p, dy)| p * (dy - mean)).collect();
                let sum: f64 = dy.iter().sum();
                let log_grad: Vec<f64> = p.iter().zip(dy).map(|(p, dy)| dy - p * sum).collect();
                prop_assert!(close(&y[lane], &p), "{isa:?} {:?} {p:?}", y[lane]);
                prop_assert!(close(&dx[lane], &grad), "{isa:?}");
                prop_assert!(close(&log_y[lane], &logs), "{isa:?}");
                prop_assert!(close(&log_dx[lane], &log_grad), "{isa:?}");
            }
        }
    }

    #[test]
    fn a_lane_alone_equals_the_lane_in_a_crowd(n in 1usize..70, inner in 2usize..36, seed in any::<u64>()) {
        let x = scaled(n * inner, seed, 4.0);
        for isa in isas() {
            let mut crowd = vec![0.0; x.len()];
            softmax_on(isa, [1, n, inner], &x, &mut crowd);
            for i in 0..inner {
                let lane: Vec<f32> = (0..n).map(|j| x[j * inner + i]).collect();
                let mut alone = vec![0.0; n];
                softmax_on(isa, [1, n, 1], &lane, &mut alone);
                for j in 0..n {
                    prop_assert_eq!(alone[j].to_bits(), crowd[j * inner + i].to_bits());
                }
            }
        }
    }

    #[test]
    fn cross_entropy_and_its_gradient_follow_the_formulas(
        outer in 0usize..3,
        classes in 1usize..20,
        inner in prop_oneof![Just(1usize), 0usize..36],
        seed in any::<u64>(),
    ) {
        let sizes = [outer, classes, inner];
        let items = outer * inner;
        let x = scaled(items * classes, seed, 5.0);
        let dloss = values(items, !seed);
        // From -1, which is ignored, to one past the last class.
        let labels: Vec<i32> =
            (0..items).map(|i| (i as i32 * 7 + (seed >> 20) as i32) % (classes as i32 + 2) - 1).collect();
        let xs = lanes(sizes, &x);
        for isa in isas() {
            let (mut loss, mut dx) = (vec![9.0; items], vec![9.0; x.len()]);
            cross_entropy_on(isa, sizes, &x, &labels, &mut loss);
            cross_entropy_grad_on(isa, sizes, &x, &labels, &dloss, &mut dx);
            let dxs = lanes(sizes, &dx);
            for item in 0..items {
                if labels[item] < 0 {
                    prop_assert!(loss[item] == 0.0 && dxs[item].iter().all(|d| *d == 0.0));
                } else if labels[item] as usize >= classes {
                    prop_assert!(loss[item].is_nan() && dxs[item].iter().all(|d| d.is_nan()));
                } else {
                    let (label, lse) = (labels[item] as usize, log_sum_exp(&xs[item]));
                    prop_assert!(close(&[f64::from(loss[item])], &[lse - xs[item][label]]));
                    let grad = |(j, x): (usize, &f64)| {
                        ((x - lse).exp() - f64::from(j == label)) * f64::from(dloss[item])
                    };
                    let expected: Vec<f64> = xs[item].iter().enumerate().map(grad).collect();
                    prop_assert!(close(&dxs[item], &expected), "{isa:?}");
                }
            }
        }
    }
}

#[test]
fn a_fully_masked_row_gives_zeros() {
    let masked = f32::NEG_INFINITY;
    for isa in isas() {
        for inner in [1, 3] {
            let x: Vec<f32> =
                (0..4 * inner).map(|i| if i % inner == 0 { masked } else { i as f32 }).collect();
            let (mut y, mut logs) = (vec![9.0; x.len()], vec![9.0; x.len()]);
            softmax_on(isa, [1, 4, inner], &x, &mut y);
            log_softmax_on(isa, [1, 4, inner], &x, &mut logs);
            for j in 0..4 {
                assert_eq!((y[j * inner], logs[j * inner]), (0.0, masked), "{isa:?} {inner}");
            }
            assert!(y.iter().all(|y| y.is_finite()), "{isa:?}");
        }
    }
}

#[test]
fn partly_masked_rows_share_among_the_rest_and_nan_spreads_over_its_row() {
    for isa in isas() {
        let mut y = [9.0; 8];
        let x = [f32::NEG_INFINITY, 1.0, 0.0, f32::NAN, 0.0, 1.0, 0.0, 1.0];
        softmax_on(isa, [1, 4, 2], &x, &mut y);
        assert_eq!([y[0], y[2], y[4], y[6]], [0.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0], "{isa:?}");
        assert!([y[1], y[3], y[5], y[7]].iter().all(|y| y.is_nan()), "{isa:?}");
    }
}
