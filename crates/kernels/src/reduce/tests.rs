//! Every instruction set against the order spelled out, bit by bit.

use super::*;
use crate::check::{isas, scaled};
use proptest::prelude::*;

/// The canonical order, element by element.
fn reference(how: Reduce, elements: &[f32]) -> f32 {
    let mut chains = [how.start(); order::CHAINS];
    for (j, x) in elements.iter().enumerate() {
        let chain = &mut chains[j % order::CHAINS];
        *chain = how.combine(*chain, *x);
    }
    let mut width = order::CHAINS / 2;
    while width > 0 {
        for c in 0..width {
            chains[c] = how.combine(chains[c], chains[c + width]);
        }
        width /= 2;
    }
    if how == Reduce::Mean { chains[0] / elements.len() as f32 } else { chains[0] }
}

const ALL: [Reduce; 5] = [Reduce::Sum, Reduce::Mean, Reduce::Prod, Reduce::Max, Reduce::Min];

fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

proptest! {
    #[test]
    fn results_follow_the_canonical_order_whatever_the_layout(
        outer in 0usize..4,
        n in 0usize..70,
        inner in prop_oneof![Just(1usize), 0usize..40],
        poison in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut src = scaled(outer * n * inner, seed, 1.7);
        if poison && !src.is_empty() {
            let at = seed as usize % src.len();
            src[at] = f32::NAN;
        }
        for isa in isas() {
            for how in ALL {
                let mut dst = vec![7.0; outer * inner];
                reduce_on(isa, how, [outer, n, inner], &src, &mut dst);
                for o in 0..outer {
                    for i in 0..inner {
                        let lane: Vec<f32> =
                            (0..n).map(|j| src[(o * n + j) * inner + i]).collect();
                        let (got, expected) = (dst[o * inner + i], reference(how, &lane));
                        prop_assert!(same(got, expected), "{isa:?} {how:?}: {got} {expected}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_lane_alone_equals_the_lane_in_a_crowd(n in 0usize..200, inner in 2usize..40, seed in any::<u64>()) {
        let src = scaled(n * inner, seed, 1.7);
        for isa in isas() {
            let mut crowd = vec![0.0; inner];
            reduce_on(isa, Reduce::Sum, [1, n, inner], &src, &mut crowd);
            for i in 0..inner {
                let lane: Vec<f32> = (0..n).map(|j| src[j * inner + i]).collect();
                let mut alone = [0.0];
                reduce_on(isa, Reduce::Sum, [1, n, 1], &lane, &mut alone);
                prop_assert_eq!(alone[0].to_bits(), crowd[i].to_bits());
                prop_assert_eq!(sum_on(isa, &lane).to_bits(), crowd[i].to_bits());
            }
        }
    }

    #[test]
    fn dot_products_are_close_to_exact_and_equal_on_fused_sets(n in 0usize..300, seed in any::<u64>()) {
        let (a, b) = (scaled(n, seed, 1.7), scaled(n, !seed, 1.7));
        let exact: f64 = a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        let size: f64 = a.iter().zip(&b).map(|(a, b)| f64::from((a * b).abs())).sum();
        let results: Vec<f32> = isas().map(|isa| dot_on(isa, &a, &b)).collect();
        for got in &results {
            prop_assert!((f64::from(*got) - exact).abs() <= 1e-6 * size + 1e-12);
        }
        if results.len() == 3 {
            prop_assert_eq!(results[1].to_bits(), results[2].to_bits());
        }
    }

    #[test]
    fn running_sums_end_in_the_plain_sum(
        outer in 0usize..3, n in 0usize..20, inner in 0usize..40, reverse in any::<bool>(), seed in any::<u64>(),
    ) {
        let src = scaled(outer * n * inner, seed, 1.7);
        for isa in isas() {
            let mut dst = vec![0.0; src.len()];
            cumulative_sum_on(isa, [outer, n, inner], reverse, &src, &mut dst);
            for o in 0..outer {
                for i in 0..inner {
                    let mut sum = 0.0;
                    for j in 0..n {
                        let j = if reverse { n - 1 - j } else { j };
                        let at = (o * n + j) * inner + i;
                        sum += src[at];
                        prop_assert_eq!(dst[at], sum);
                    }
                }
            }
        }
    }
}
