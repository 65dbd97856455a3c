//! Attention against plain loops in f64, lanes alone against lanes in a crowd, on every
//! instruction set of the machine.

use super::*;
use crate::check::{assert_same_bits, isas, values, wide};
use crate::simd::Isa;
use proptest::prelude::*;

const SCALE: f32 = 0.6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mask {
    Nothing,
    Lanes,
    Shared,
}

#[derive(Clone)]
struct Case {
    q: Vec<f32>,
    k: Vec<f32>,
    v: Vec<f32>,
    /// `[heads, queries, keys, lanes]`, or without lanes.
    additive: Vec<f32>,
    mask: Mask,
    dout: Vec<f32>,
    outside: Option<Vec<f32>>,
}

impl Case {
    /// Of additive scores every fifth is -inf, and all of the first query's.
    fn new(d: Dims, mask: Mask) -> Case {
        let pairs = d.heads * d.queries * d.keys;
        let lanes = if mask == Mask::Lanes { d.lanes } else { 1 };
        let mut additive = values(pairs * lanes, 4);
        for (i, score) in additive.iter_mut().enumerate() {
            if (i / lanes) % 5 == 4 || i / lanes < d.keys {
                *score = f32::NEG_INFINITY;
            }
        }
        Case {
            q: values(d.queries * d.step(), 1),
            k: values(d.keys * d.step(), 2),
            v: values(d.keys * d.value_step(), 3),
            additive,
            mask,
            dout: values(d.queries * d.out_step(), 5),
            outside: (mask == Mask::Lanes).then(|| values(pairs * d.lanes, 6)),
        }
    }

    fn lanes(&self, d: Dims, to: usize) -> Case {
        let cut = |v: &[f32]| first_lanes(v, d.lanes, to);
        let additive =
            if self.mask == Mask::Lanes { cut(&self.additive) } else { self.additive.clone() };
        Case {
            q: cut(&self.q),
            k: cut(&self.k),
            v: cut(&self.v),
            additive,
            mask: self.mask,
            dout: cut(&self.dout),
            outside: self.outside.as_deref().map(cut),
        }
    }

    fn run(&self, isa: Isa, d: Dims) -> [Vec<f32>; 7] {
        let new = |n: usize| vec![f32::NAN; n];
        let square = d.heads * d.square();
        let (mut out, mut probs, mut scores) = (new(self.dout.len()), new(square), new(square));
        let additive = match self.mask {
            Mask::Nothing => Additive::Nothing,
            Mask::Lanes => Additive::Lanes(&self.additive),
            Mask::Shared => Additive::Shared(&self.additive),
        };
        let inputs = Inputs { q: &self.q, k: &self.k, v: &self.v, additive };
        forward_on(isa, d, SCALE, inputs, &mut out, &mut probs, Some(&mut scores));
        let mut again = new(square);
        forward_on(isa, d, SCALE, inputs, &mut out, &mut again, None);
        assert_same_bits(isa, "probs", &again, &probs);

        let (mut dq, mut dk, mut dv) = (new(self.q.len()), new(self.k.len()), new(self.v.len()));
        let mut ds = new(square);
        let saved = Saved { q: &self.q, k: &self.k, v: &self.v, probs: &probs };
        let upstream = Upstream { dout: &self.dout, dscores: self.outside.as_deref() };
        let grads = Grads { dq: &mut dq, dk: &mut dk, dv: &mut dv, dscores: &mut ds };
        backward_on(isa, d, SCALE, saved, upstream, grads);
        [out, probs, scores, dq, dk, dv, ds]
    }

    fn reference(&self, d: Dims) -> [Vec<f64>; 7] {
        let [q, k, v] = [&self.q, &self.k, &self.v].map(|x| wide(x));
        let scale = f64::from(SCALE);
        let additive: Option<Vec<f64>> = match self.mask {
            Mask::Nothing => None,
            Mask::Lanes => Some(wide(&self.additive)),
            Mask::Shared => {
                Some(wide(&self.additive).iter().flat_map(|a| vec![*a; d.lanes]).collect())
            }
        };
        let inputs = [&q[..], &k[..], &v[..]];
        let [out, probs, scores] = reference::forward(d, scale, inputs, additive.as_deref());
        let outside = self.outside.as_deref().map(wide);
        let dout = wide(&self.dout);
        let [dq, dk, dv, ds] =
            reference::backward(d, scale, inputs, &probs, &dout, outside.as_deref());
        [out, probs, scores, dq, dk, dv, ds]
    }
}

const NAMES: [&str; 7] = ["out", "probs", "scores", "dq", "dk", "dv", "dscores"];

/// Rows of `from` lanes cut down to the first `to` of them.
fn first_lanes(values: &[f32], from: usize, to: usize) -> Vec<f32> {
    values.chunks(from).flat_map(|row| row[..to].iter().copied()).collect()
}

#[track_caller]
fn assert_close(isa: Isa, name: &str, got: &[f32], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let close = (f64::from(*g) - w).abs() <= 2e-5 * (1.0 + w.abs());
        assert!(f64::from(*g) == *w || close, "{} {name}[{i}]: {g}, not {w}", isa.name());
    }
}

fn check(d: Dims, mask: Mask) {
    let case = Case::new(d, mask);
    let want = case.reference(d);
    for isa in isas() {
        for ((got, want), name) in case.run(isa, d).iter().zip(&want).zip(NAMES) {
            assert_close(isa, name, got, want);
        }
    }
}

const SMALL: Dims = Dims {
    heads: 3,
    queries: 3,
    keys: 3,
    width: 8,
    value_width: 8,
    lanes: 33,
    shared_values: false,
};

fn dims() -> impl Strategy<Value = Dims> {
    let time = || prop::sample::select(vec![0, 1, 2, 3, 4, 5, 7, 8, 9, 17, 33]);
    let width = || prop::sample::select(vec![0, 1, 2, 3, 4, 5, 8, 16, 17]);
    let lanes = prop::sample::select(vec![0, 1, 1, 2, 7, 8, 15, 16, 17, 32, 33]);
    let shape = (1usize..4, time(), time(), width(), width(), lanes, any::<bool>());
    shape.prop_map(|(heads, queries, keys, width, value_width, lanes, shared_values)| Dims {
        heads,
        queries,
        keys,
        width,
        value_width,
        lanes,
        shared_values,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]
    #[test]
    fn equals_the_plain_loops(
        d in dims(), mask in prop::sample::select(vec![Mask::Nothing, Mask::Lanes, Mask::Shared]),
    ) {
        check(d, mask);
    }
}

#[test]
fn long_sequences_equal_the_plain_loops() {
    let long = Dims { heads: 2, queries: 90, keys: 130, width: 20, value_width: 12, ..SMALL };
    check(Dims { lanes: 17, ..long }, Mask::Nothing);
    check(Dims { lanes: 1, ..long }, Mask::Shared);
    check(Dims { lanes: 1, width: 150, value_width: 300, ..long }, Mask::Nothing);
}

#[test]
fn a_lane_does_not_depend_on_the_lanes_beside_it() {
    let long = Dims { queries: 21, keys: 40, width: 20, value_width: 33, ..SMALL };
    for d in [SMALL, long, Dims { shared_values: true, ..long }] {
        for mask in [Mask::Nothing, Mask::Lanes, Mask::Shared] {
            let case = Case::new(d, mask);
            for isa in isas() {
                let crowd = case.run(isa, d);
                for lanes in [1, 5, 16] {
                    let fewer = case.lanes(d, lanes).run(isa, Dims { lanes, ..d });
                    for ((few, all), name) in fewer.iter().zip(&crowd).zip(NAMES) {
                        assert_same_bits(isa, name, few, &first_lanes(all, d.lanes, lanes));
                    }
                }
            }
        }
    }
}

#[test]
fn fused_instruction_sets_agree() {
    let fused: Vec<Isa> = isas().filter(|isa| *isa != Isa::Portable).collect();
    for lanes in [1, 33] {
        let d = Dims { lanes, queries: 9, keys: 19, ..SMALL };
        let case = Case::new(d, Mask::Lanes);
        for pair in fused.windows(2) {
            let (a, b) = (case.run(pair[0], d), case.run(pair[1], d));
            for ((a, b), name) in a.iter().zip(&b).zip(NAMES) {
                assert_same_bits(pair[1], name, b, a);
            }
        }
    }
}

#[test]
fn a_query_without_keys_to_read_gets_zeros() {
    for lanes in [1, 16, 33] {
        let d = Dims { lanes, ..SMALL };
        let mut case = Case::new(d, Mask::Shared);
        case.additive.fill(f32::NEG_INFINITY);
        for isa in isas() {
            let [out, probs, scores, dq, dk, dv, ds] = case.run(isa, d);
            for zeros in [out, probs, dq, dk, dv, ds] {
                assert!(zeros.iter().all(|x| *x == 0.0));
            }
            assert!(scores.iter().all(|x| *x == f32::NEG_INFINITY));
        }
    }
}

#[test]
fn the_plain_gradient_is_the_slope_of_the_plain_loops() {
    for shared_values in [false, true] {
        let d = Dims { heads: 2, width: 2, value_width: 3, lanes: 2, shared_values, ..SMALL };
        let mut case = Case::new(d, Mask::Lanes);
        case.additive = values(case.additive.len(), 7);
        let weights = [wide(&case.dout), wide(case.outside.as_deref().unwrap_or_default())];
        let operands = [&case.q, &case.k, &case.v, &case.additive].map(|x| wide(x));
        let loss = |o: &[Vec<f64>; 4]| -> f64 {
            let inputs = [&o[0][..], &o[1][..], &o[2][..]];
            let [out, _, scores] = reference::forward(d, f64::from(SCALE), inputs, Some(&o[3]));
            let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            sum(&out, &weights[0]) + sum(&scores, &weights[1])
        };
        let [_, _, _, dq, dk, dv, ds] = case.reference(d);
        for (which, grad) in [dq, dk, dv, ds].iter().enumerate() {
            for (i, slope) in grad.iter().enumerate() {
                let at = |change: f64| {
                    let mut o = operands.clone();
                    o[which][i] += change;
                    loss(&o)
                };
                let want = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((slope - want).abs() <= 1e-7 * (1.0 + want.abs()), "{slope}, not {want}");
            }
        }
    }
}
