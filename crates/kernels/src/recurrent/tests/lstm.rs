//! The long short-term memory.

use super::*;
use crate::recurrent::lstm::{Saved, backward_on, forward_on};

struct Case {
    w: Vec<f32>,
    packed: Vec<f32>,
    pre: Vec<f32>,
    h0: Vec<f32>,
    c0: Vec<f32>,
    dh: Vec<f32>,
    dc: Vec<f32>,
}

impl Case {
    fn new(d: Dims) -> Self {
        let (w, packed) = weight(d, 4);
        Case {
            w,
            packed,
            pre: scaled(d.time * 4 * d.state(), 2, 2.0),
            h0: values(d.state(), 3),
            c0: scaled(d.state(), 4, 1.5),
            dh: values((d.time + 1) * d.state(), 5),
            dc: values((d.time + 1) * d.state(), 6),
        }
    }

    fn lanes(&self, d: Dims, lanes: usize) -> Self {
        let cut = |v: &[f32]| first_lanes(v, d.lanes, lanes);
        Case {
            w: self.w.clone(),
            packed: self.packed.clone(),
            pre: cut(&self.pre),
            h0: cut(&self.h0),
            c0: cut(&self.c0),
            dh: cut(&self.dh),
            dc: cut(&self.dc),
        }
    }

    /// h_all, c_all, gates, dh0, dc0, dpre.
    fn run(&self, isa: Isa, d: Dims) -> [Vec<f32>; 6] {
        let (mut h, mut c) = (from_first(&self.h0, d.time), from_first(&self.c0, d.time));
        let mut gates = self.pre.clone();
        forward_on(isa, d, &self.packed, &mut gates, &mut h, &mut c);
        let (mut dh, mut dc) = (self.dh.clone(), self.dc.clone());
        let mut dpre = vec![f32::NAN; gates.len()];
        let saved = Saved { c_all: &c, gates: &gates };
        backward_on(isa, d, &turned(d, 4, &self.packed), saved, &mut dh, &mut dc, &mut dpre);
        let initial = |d_all: Vec<f32>| d_all[..d.state()].to_vec();
        [h, c, gates, initial(dh), initial(dc), dpre]
    }
}

const NAMES: [&str; 6] = ["h_all", "c_all", "gates", "dh0", "dc0", "dpre"];

fn check(d: Dims) {
    let case = Case::new(d);
    let w = wide(&case.w);
    let (mut h, mut c) = (wide(&from_first(&case.h0, d.time)), wide(&from_first(&case.c0, d.time)));
    let mut gates = wide(&case.pre);
    reference::lstm(d, &w, &mut gates, &mut h, &mut c);
    let (mut dh, mut dc) = (wide(&case.dh), wide(&case.dc));
    let dpre = reference::lstm_back(d, &w, (&c, &gates), &mut dh, &mut dc);
    dh.truncate(d.state());
    dc.truncate(d.state());
    let want = [h, c, gates, dh, dc, dpre];
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
    let (w, dh, dc) = (wide(&case.w), wide(&case.dh), wide(&case.dc));
    let n = d.state();
    let loss = |pre: &[f64], h0: &[f64], c0: &[f64]| {
        let (mut h, mut c) = (vec![0.0; dh.len()], vec![0.0; dc.len()]);
        h[..n].copy_from_slice(h0);
        c[..n].copy_from_slice(c0);
        reference::lstm(d, &w, &mut pre.to_vec(), &mut h, &mut c);
        dot(&h, &dh) + dot(&c, &dc)
    };
    let (mut pre, mut h0, mut c0) = (wide(&case.pre), wide(&case.h0), wide(&case.c0));
    let by_pre = differences(&mut pre, |pre| loss(pre, &h0, &c0));
    let by_c0 = differences(&mut c0, |c0| loss(&pre, &h0, c0));
    let by_h0 = differences(&mut h0, |h0| loss(&pre, h0, &c0));

    let (mut h, mut c) = (wide(&from_first(&case.h0, d.time)), wide(&from_first(&case.c0, d.time)));
    let mut gates = pre;
    reference::lstm(d, &w, &mut gates, &mut h, &mut c);
    let (mut dh, mut dc) = (dh.clone(), dc.clone());
    let dpre = reference::lstm_back(d, &w, (&c, &gates), &mut dh, &mut dc);
    assert_slopes(&dpre, &by_pre);
    assert_slopes(&dh[..n], &by_h0);
    assert_slopes(&dc[..n], &by_c0);
}
