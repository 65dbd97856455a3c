//! The gated recurrent unit.

use super::*;
use crate::recurrent::gru::{Saved, Weights, backward_on, forward_on};

struct Case {
    w: Vec<f32>,
    packed: Vec<f32>,
    b: Vec<f32>,
    pre: Vec<f32>,
    h0: Vec<f32>,
    dh: Vec<f32>,
}

impl Case {
    fn new(d: Dims) -> Self {
        let (w, packed) = weight(d, 3);
        Case {
            w,
            packed,
            b: scaled(3 * d.hidden, 7, 0.5),
            pre: scaled(d.time * 3 * d.state(), 2, 2.0),
            h0: values(d.state(), 3),
            dh: values((d.time + 1) * d.state(), 5),
        }
    }

    fn lanes(&self, d: Dims, lanes: usize) -> Self {
        let cut = |v: &[f32]| first_lanes(v, d.lanes, lanes);
        Case {
            w: self.w.clone(),
            packed: self.packed.clone(),
            b: self.b.clone(),
            pre: cut(&self.pre),
            h0: cut(&self.h0),
            dh: cut(&self.dh),
        }
    }

    /// h_all, saved, dh0, dpre, dhid.
    fn run(&self, isa: Isa, d: Dims) -> [Vec<f32>; 5] {
        let mut h = from_first(&self.h0, d.time);
        let mut saved = vec![f32::NAN; d.time * 4 * d.state()];
        let weights = Weights { w_hh: &self.packed, b_hh: &self.b };
        forward_on(isa, d, weights, &self.pre, &mut h, &mut saved);
        let mut dh = self.dh.clone();
        let (mut dpre, mut dhid) = (self.pre.clone(), self.pre.clone());
        let kept = Saved { h_all: &h, saved: &saved };
        backward_on(isa, d, &turned(d, 3, &self.packed), kept, &mut dh, &mut dpre, &mut dhid);
        dh.truncate(d.state());
        [h, saved, dh, dpre, dhid]
    }
}

const NAMES: [&str; 5] = ["h_all", "saved", "dh0", "dpre", "dhid"];

fn check(d: Dims) {
    let case = Case::new(d);
    let (w, b) = (wide(&case.w), wide(&case.b));
    let mut h = wide(&from_first(&case.h0, d.time));
    let mut saved = vec![0.0; d.time * 4 * d.state()];
    reference::gru(d, (&w, &b), &wide(&case.pre), &mut h, &mut saved);
    let mut dh = wide(&case.dh);
    let (dpre, dhid) = reference::gru_back(d, &w, (&h, &saved), &mut dh);
    dh.truncate(d.state());
    let want = [h, saved, dh, dpre, dhid];
    for isa in isas() {
        for ((got, want), name) in case.run(isa, d).iter().zip(&want).zip(NAMES) {
            assert_close(isa, name, got, want);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn equals_the_plain_loops(d in dims()) {
        check(d);
    }
}

#[test]
fn blocks_of_units_equal_the_plain_loops() {
    check(LARGE);
    check(BLOCKS);
}

#[test]
fn a_lane_does_not_depend_on_the_lanes_beside_it() {
    for hidden in [19, 128] {
        let d = Dims { hidden, ..LARGE };
        let case = Case::new(d);
        for isa in isas() {
            let crowd = case.run(isa, d);
            for lanes in [1, 16] {
                let fewer = case.lanes(d, lanes).run(isa, Dims { lanes, ..d });
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
    let d = SMALL;
    let case = Case::new(d);
    let (w, b, dh) = (wide(&case.w), wide(&case.b), wide(&case.dh));
    let n = d.state();
    let loss = |pre: &[f64], h0: &[f64]| {
        let mut h = vec![0.0; dh.len()];
        h[..n].copy_from_slice(h0);
        reference::gru(d, (&w, &b), pre, &mut h, &mut vec![0.0; d.time * 4 * n]);
        dot(&h, &dh)
    };
    let (mut pre, mut h0) = (wide(&case.pre), wide(&case.h0));
    let by_pre = differences(&mut pre, |pre| loss(pre, &h0));
    let by_h0 = differences(&mut h0, |h0| loss(&pre, h0));

    let mut h = wide(&from_first(&case.h0, d.time));
    let mut saved = vec![0.0; d.time * 4 * n];
    reference::gru(d, (&w, &b), &pre, &mut h, &mut saved);
    let mut dh = dh.clone();
    let (dpre, dhid) = reference::gru_back(d, &w, (&h, &saved), &mut dh);
    assert_slopes(&dpre, &by_pre);
    assert_slopes(&dh[..n], &by_h0);

    // The recurrent product carries the bias: its gradient is the slope along the bias.
    let mut bias = b.clone();
    let by_bias = differences(&mut bias, |b| {
        let mut h = wide(&from_first(&case.h0, d.time));
        reference::gru(d, (&w, b), &pre, &mut h, &mut vec![0.0; d.time * 4 * n]);
        dot(&h, &wide(&case.dh))
    });
    let mut db = vec![0.0; 3 * d.hidden];
    for (i, g) in dhid.iter().enumerate() {
        db[i / d.lanes % (3 * d.hidden)] += g;
    }
    assert_slopes(&db, &by_bias);
}
