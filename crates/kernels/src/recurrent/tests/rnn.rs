//! The plain cell.

use super::*;
use crate::recurrent::rnn::{Activation, backward_on, forward_on};

struct Case {
    w: Vec<f32>,
    packed: Vec<f32>,
    pre: Vec<f32>,
    h0: Vec<f32>,
    dh: Vec<f32>,
}

impl Case {
    fn new(d: Dims) -> Self {
        let (w, packed) = weight(d, 1);
        Case {
            w,
            packed,
            pre: values(d.time * d.state(), 2),
            h0: values(d.state(), 3),
            dh: values((d.time + 1) * d.state(), 5),
        }
    }

    fn lanes(&self, d: Dims, lanes: usize) -> Self {
        let cut = |v: &[f32]| first_lanes(v, d.lanes, lanes);
        Case {
            w: self.w.clone(),
            packed: self.packed.clone(),
            pre: cut(&self.pre),
            h0: cut(&self.h0),
            dh: cut(&self.dh),
        }
    }

    /// h_all, dh0, dpre.
    fn run(&self, isa: Isa, d: Dims, activation: Activation) -> [Vec<f32>; 3] {
        let mut h = from_first(&self.h0, d.time);
        forward_on(isa, d, activation, &self.packed, &self.pre, &mut h);
        let mut dh = self.dh.clone();
        let mut dpre = vec![f32::NAN; self.pre.len()];
        backward_on(isa, d, activation, &turned(d, 1, &self.packed), &h, &mut dh, &mut dpre);
        dh.truncate(d.state());
        [h, dh, dpre]
    }
}

const NAMES: [&str; 3] = ["h_all", "dh0", "dpre"];
const BOTH: [Activation; 2] = [Activation::Tanh, Activation::Relu];

fn check(d: Dims, activation: Activation) {
    let case = Case::new(d);
    let w = wide(&case.w);
    let mut h = wide(&from_first(&case.h0, d.time));
    reference::rnn(d, activation, &w, &wide(&case.pre), &mut h);
    let mut dh = wide(&case.dh);
    let dpre = reference::rnn_back(d, activation, &w, &h, &mut dh);
    dh.truncate(d.state());
    let want = [h, dh, dpre];
    for isa in isas() {
        for ((got, want), name) in case.run(isa, d, activation).iter().zip(&want).zip(NAMES) {
            assert_close(isa, name, got, want);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn equals_the_plain_loops(d in dims()) {
        check(d, Activation::Tanh);
    }
}

/// A rectifier's slope jumps at zero, so that one rounding can flip a gradient: few values, none
/// of them near it.
#[test]
fn rectified_equals_the_plain_loops() {
    for (time, hidden, lanes) in [(1, 17, 33), (2, 16, 16), (3, 5, 1)] {
        check(Dims { time, hidden, lanes }, Activation::Relu);
    }
}

#[test]
fn a_lane_does_not_depend_on_the_lanes_beside_it() {
    for activation in BOTH {
        let d = LARGE;
        let case = Case::new(d);
        for isa in isas() {
            let crowd = case.run(isa, d, activation);
            for lanes in [1, 16] {
                let fewer = case.lanes(d, lanes).run(isa, Dims { lanes, ..d }, activation);
                for ((few, all), name) in fewer.iter().zip(&crowd).zip(NAMES) {
                    for l in [0, lanes - 1] {
                        assert_same_bits(isa, name, &lane(few, lanes, l), &lane(all, d.lanes, l));
                    }
                }
            }
        }
    }
}

#[test]
fn the_plain_gradient_is_the_slope_of_the_plain_loops() {
    for activation in BOTH {
        let d = SMALL;
        let case = Case::new(d);
        let (w, dh) = (wide(&case.w), wide(&case.dh));
        let n = d.state();
        let loss = |pre: &[f64], h0: &[f64]| {
            let mut h = vec![0.0; dh.len()];
            h[..n].copy_from_slice(h0);
            reference::rnn(d, activation, &w, pre, &mut h);
            dot(&h, &dh)
        };
        let (mut pre, mut h0) = (wide(&case.pre), wide(&case.h0));
        let by_pre = differences(&mut pre, |pre| loss(pre, &h0));
        let by_h0 = differences(&mut h0, |h0| loss(&pre, h0));
        let mut h = wide(&from_first(&case.h0, d.time));
        reference::rnn(d, activation, &w, &pre, &mut h);
        let mut dh = dh.clone();
        let dpre = reference::rnn_back(d, activation, &w, &h, &mut dh);
        assert_slopes(&dpre, &by_pre);
        assert_slopes(&dh[..n], &by_h0);
    }
}
