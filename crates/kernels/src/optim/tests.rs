//! Updates on every instruction set against the formulas in f64, and any cut against the whole.

use super::*;
use crate::check::{isas, values};
use proptest::prelude::*;

/// One element of Adam as PyTorch's documentation writes it.
fn adam(adam: &Adam, step: AdamStep, g: f32, [p, m, v]: [f32; 3]) -> [f64; 3] {
    let [g, mut p, m, v] = [g, p, m, v].map(f64::from);
    let (beta1, beta2) = (adam.beta1, adam.beta2);
    let [eps, decay] = [adam.eps, adam.weight_decay].map(f64::from);
    let mut g = g;
    if adam.decoupled {
        p *= 1.0 - f64::from(step.lr) * decay;
    } else {
        g += decay * p;
    }
    let m = beta1 * m + (1.0 - beta1) * g;
    let v = beta2 * v + (1.0 - beta2) * g * g;
    let denominator = v.sqrt() / f64::from(step.sqrt_bias2) + eps;
    [p - f64::from(step.step_size) * m / denominator, m, v]
}

fn sgd(sgd: &Sgd, lr: f32, g: f32, p: f32, v: f32) -> [f64; 2] {
    let [g, p, v, lr] = [g, p, v, lr].map(f64::from);
    let momentum = f64::from(sgd.momentum);
    let g = g + f64::from(sgd.weight_decay) * p;
    let v = momentum * v + g;
    let g = if sgd.nesterov { g + momentum * v } else { v };
    [p - lr * g, v]
}

fn close(got: f32, exact: f64) -> bool {
    (f64::from(got) - exact).abs() <= 3e-6 * exact.abs().max(0.1)
}

proptest! {
    #[test]
    fn adam_follows_its_formulas_and_any_cut_gives_the_same_bits(
        len in 0usize..100,
        cut in 0usize..100,
        decoupled in any::<bool>(),
        decayed in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let weight_decay = if decayed { 0.01 } else { 0.0 };
        let settings = Adam { beta1: 0.9, beta2: 0.999, eps: 1e-8, weight_decay, decoupled };
        let step = AdamStep { step_size: 3e-3, sqrt_bias2: 0.3, lr: 1e-3 };
        let (grad, param, mean) = (values(len, seed), values(len, seed ^ 1), values(len, seed ^ 2));
        let square: Vec<f32> = values(len, seed ^ 3).iter().map(|x| x * x).collect();
        let mut all = Vec::new();
        for isa in isas() {
            let (mut p, mut m, mut v) = (param.clone(), mean.clone(), square.clone());
            settings.states(step, [&mut p, &mut m, &mut v]).update_on(isa, &grad);
            for i in 0..len {
                let exact = adam(&settings, step, grad[i], [param[i], mean[i], square[i]]);
                for (got, exact) in [p[i], m[i], v[i]].into_iter().zip(exact) {
                    prop_assert!(close(got, exact), "{isa:?} {i}: {got} {exact}");
                }
            }
            let cut = cut.min(len);
            let (mut p2, mut m2, mut v2) = (param.clone(), mean.clone(), square.clone());
            for range in [cut..len, 0..cut] {
                let states = [&mut p2, &mut m2, &mut v2].map(|all| &mut all[range.clone()]);
                settings.states(step, states).update_on(isa, &grad[range]);
            }
            prop_assert_eq!(&p, &p2);
            prop_assert_eq!((&m, &v), (&m2, &v2));
            all.push(p);
        }
        if all.len() == 3 {
            prop_assert_eq!(&all[1], &all[2]);
        }
    }

    #[test]
    fn sgd_follows_its_formulas(
        len in 0usize..70, momentum in prop_oneof![Just(0.0f32), Just(0.9)], nesterov in any::<bool>(), seed in any::<u64>(),
    ) {
        let settings = Sgd { momentum, nesterov: nesterov && momentum > 0.0, weight_decay: 0.02 };
        let (grad, param) = (values(len, seed), values(len, seed ^ 1));
        let velocity = if momentum == 0.0 { Vec::new() } else { values(len, seed ^ 2) };
        for isa in isas() {
            let (mut p, mut v) = (param.clone(), velocity.clone());
            settings.states(0.1, &mut p, &mut v).update_on(isa, &grad);
            for i in 0..len {
                let old = velocity.get(i).copied().unwrap_or(0.0);
                let exact = sgd(&settings, 0.1, grad[i], param[i], old);
                prop_assert!(close(p[i], exact[0]), "{isa:?} {i}");
                prop_assert!(v.get(i).is_none_or(|v| close(*v, exact[1])), "{isa:?} {i}");
            }
        }
    }
}

#[test]
fn state_that_decays_ends_at_zero() {
    let settings =
        Adam { beta1: 0.9, beta2: 0.999, eps: 1e-8, weight_decay: 0.0, decoupled: false };
    let step = AdamStep { step_size: 1e-3, sqrt_bias2: 1.0, lr: 1e-3 };
    for isa in isas() {
        let (mut p, mut m, mut v) = ([1.0], [1.5e-38], [1.17550e-38]);
        for _ in 0..10 {
            settings.states(step, [&mut p, &mut m, &mut v]).update_on(isa, &[0.0]);
        }
        assert_eq!((m[0], v[0]), (0.0, 0.0), "{isa:?}");
    }
}

#[test]
#[should_panic(expected = "differ in length")]
fn a_gradient_that_is_too_short_is_refused() {
    let settings = Sgd { momentum: 0.0, nesterov: false, weight_decay: 0.0 };
    settings.states(0.1, &mut [1.0, 2.0], &mut []).update(&[1.0]);
}
