//! The kernels against plain loops in f64; cuts, lanes and instruction sets against each other.

use super::*;
use crate::check::{assert_same_bits, isas, values, wide};
use crate::gemm::{PANEL, Start, pack, unpack};
use crate::simd::Isa;
use proptest::prelude::*;

/// Packs each tap of a row-major weight.
fn packed(d: &Dims, w: &[f32]) -> Vec<f32> {
    let mut packed = vec![f32::NAN; d.weight_len()];
    if d.tap_len() > 0 {
        let taps = w.chunks(d.outputs * d.inputs());
        for (tap, dst) in taps.zip(packed.chunks_mut(d.tap_len())) {
            pack(d.outputs, d.inputs(), tap, dst);
        }
    }
    packed
}

fn unpacked(d: &Dims, packed: &[f32]) -> Vec<f32> {
    let mut w = vec![f32::NAN; d.taps * d.outputs * d.inputs()];
    if d.tap_len() > 0 {
        let taps = w.chunks_mut(d.outputs * d.inputs());
        for (tap, src) in taps.zip(packed.chunks(d.tap_len())) {
            unpack(d.outputs, d.inputs(), src, tap);
        }
    }
    w
}

struct Case {
    w: Vec<f32>,
    x: Vec<f32>,
    dy: Vec<f32>,
    /// What results hold before, for chains that start there: y, dx, dw.
    before: [Vec<f32>; 3],
}

impl Case {
    fn new(d: &Dims) -> Case {
        let w = values(d.taps * d.outputs * d.inputs(), 1);
        let x = values(d.time * d.x_step(), 2);
        let dy = values(d.time_out() * d.y_step(), 3);
        let before = [values(dy.len(), 4), values(x.len(), 5), values(w.len(), 6)];
        Case { w, x, dy, before }
    }

    /// y, dx, dw (packed).
    fn run(&self, isa: Isa, d: Dims, start: Start) -> [Vec<f32>; 3] {
        let p = packed(&d, &self.w);
        let [mut y, mut dx, dw] = self.before.clone();
        let mut dw = packed(&d, &dw);
        forward_on(isa, d, &p, &self.x, &mut y, 0..d.time_out(), start);
        input_grad_on(isa, d, &p, &self.dy, &mut dx, 0..d.time, start);
        weight_grad_on(isa, d, &Part::whole(&d), &self.x, &self.dy, &mut dw, start);
        [y, dx, dw]
    }
}

#[track_caller]
fn assert_close(isa: Isa, name: &str, got: &[f32], want: &[f64], terms: usize) {
    assert_eq!(got.len(), want.len());
    let bound = 4.0 * (terms + 1) as f64 * f64::from(f32::EPSILON);
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let error = (f64::from(*g) - w).abs();
        assert!(error <= bound, "{} {name}[{i}]: {g}, not {w}", isa.name());
    }
}

fn check(d: Dims, start: Start) {
    let case = Case::new(&d);
    let (w, x, dy) = (wide(&case.w), wide(&case.x), wide(&case.dy));
    let [mut y, mut dx, mut dw] = case.before.each_ref().map(|b| match start {
        Start::Zero => vec![0.0; b.len()],
        Start::Dst => wide(b),
    });
    reference::forward(&d, &w, &x, &mut y);
    reference::input_grad(&d, &w, &dy, &mut dx);
    reference::weight_grad(&d, &x, &dy, &mut dw);
    for isa in isas() {
        let [got_y, got_dx, got_dw] = case.run(isa, d, start);
        assert_close(isa, "y", &got_y, &y, d.taps * d.inputs());
        assert_close(isa, "dx", &got_dx, &dx, d.taps * d.outputs);
        assert_close(isa, "dw", &unpacked(&d, &got_dw), &dw, d.time_out() * d.lanes);
        let padding = got_dw.iter().filter(|v| **v != 0.0).count();
        assert_eq!(padding, unpacked(&d, &got_dw).iter().filter(|v| **v != 0.0).count());
    }
}

/// A plain causal layer; tests change what they are about.
const LAYER: Dims = Dims {
    time: 12,
    channels: 18,
    outputs: 35,
    lanes: 33,
    taps: 2,
    stride: 1,
    dilation: 4,
    groups: 1,
    pad_left: 4,
    pad_right: 0,
};

fn dims() -> impl Strategy<Value = Dims> {
    let width = || prop::sample::select(vec![0, 1, 2, 3, 5, 8, 9, 16, 17, 20]);
    let lanes = prop::sample::select(vec![0, 1, 2, 5, 8, 15, 16, 17, 32, 33, 48]);
    let groups = prop::sample::select(vec![1, 1, 2, 3]);
    let shape = (0usize..9, width(), width(), lanes, groups);
    let filter = (0usize..4, 1usize..4, 1usize..4, 0usize..5, 0usize..4);
    (shape, filter).prop_map(|((time, inputs, outputs, lanes, groups), filter)| {
        let (taps, stride, dilation, pad_left, pad_right) = filter;
        let (channels, outputs) = (inputs * groups, outputs * groups);
        let groups = if channels == 0 && outputs == 0 { 1 } else { groups };
        let (time, taps) = (time, taps.max(1));
        Dims { time, channels, outputs, lanes, taps, stride, dilation, groups, pad_left, pad_right }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn equals_the_plain_loops(
        d in dims(), start in prop::sample::select(vec![Start::Zero, Start::Dst]),
    ) {
        check(d, start);
    }
}

#[test]
fn layers_of_common_shapes_equal_the_plain_loops() {
    check(LAYER, Start::Zero);
    check(Dims { lanes: 1, ..LAYER }, Start::Zero);
    check(Dims { lanes: 5, outputs: 200, ..LAYER }, Start::Dst);
    check(Dims { channels: 70, outputs: 140, lanes: 16, ..LAYER }, Start::Zero);
}

#[test]
fn reductions_longer_than_a_block_equal_the_plain_loops() {
    let short = Dims { time: 6, pad_left: 3, dilation: 3, ..LAYER };
    for lanes in [1, 16, 33] {
        check(Dims { channels: 600, outputs: 20, lanes, ..short }, Start::Zero);
        check(Dims { channels: 20, outputs: 600, lanes, ..short }, Start::Dst);
        check(Dims { channels: 4, outputs: 1200, groups: 2, lanes, ..short }, Start::Zero);
    }
}

#[test]
fn depthwise_and_grouped_layers_equal_the_plain_loops() {
    for lanes in [1, 7, 16, 33] {
        check(Dims { channels: 21, outputs: 21, groups: 21, lanes, ..LAYER }, Start::Zero);
        check(Dims { channels: 21, outputs: 42, groups: 21, lanes, ..LAYER }, Start::Dst);
        check(Dims { channels: 10, outputs: 64, groups: 2, lanes, ..LAYER }, Start::Zero);
    }
    check(Dims { channels: 140, outputs: 6, groups: 2, ..LAYER }, Start::Dst);
}

#[test]
fn a_lane_does_not_depend_on_the_lanes_beside_it() {
    let grouped = Dims { channels: 32, outputs: 64, groups: 2, ..LAYER };
    let strided = Dims { stride: 2, taps: 3, pad_right: 5, ..LAYER };
    for d in [LAYER, grouped, strided] {
        let case = Case::new(&d);
        let cut = |v: &[f32], to: usize| -> Vec<f32> {
            v.chunks(d.lanes).flat_map(|row| row[..to].iter().copied()).collect()
        };
        for isa in isas() {
            let [y, dx, _] = case.run(isa, d, Start::Dst);
            for lanes in [1, 5, 16] {
                let [y0, dx0, dw0] = &case.before;
                let fewer = Case {
                    w: case.w.clone(),
                    x: cut(&case.x, lanes),
                    dy: cut(&case.dy, lanes),
                    before: [cut(y0, lanes), cut(dx0, lanes), dw0.clone()],
                };
                let [few_y, few_dx, _] = fewer.run(isa, Dims { lanes, ..d }, Start::Dst);
                assert_same_bits(isa, "y", &few_y, &cut(&y, lanes));
                assert_same_bits(isa, "dx", &few_dx, &cut(&dx, lanes));
            }
        }
    }
}

#[test]
fn fused_instruction_sets_agree() {
    let fused: Vec<Isa> = isas().filter(|isa| *isa != Isa::Portable).collect();
    for lanes in [1, 5, 33] {
        let d = Dims { lanes, ..LAYER };
        let case = Case::new(&d);
        for pair in fused.windows(2) {
            let (a, b) = (case.run(pair[0], d, Start::Zero), case.run(pair[1], d, Start::Zero));
            for ((a, b), name) in a.iter().zip(&b).zip(["y", "dx", "dw"]) {
                assert_same_bits(pair[1], name, b, a);
            }
        }
    }
}

#[test]
fn pieces_make_up_the_whole() {
    let strided = Dims { stride: 2, pad_right: 5, ..LAYER };
    let grouped = Dims { channels: 18, outputs: 36, groups: 3, ..LAYER };
    for d in [LAYER, strided, grouped, Dims { lanes: 3, ..LAYER }] {
        let case = Case::new(&d);
        let p = packed(&d, &case.w);
        let isa = Isa::current();
        let [y, dx, dw] = case.run(isa, d, Start::Zero);
        for cut in [1, 3, 5] {
            let mut part = vec![f32::NAN; y.len()];
            for (t, dst) in part.chunks_mut(cut * d.y_step()).enumerate() {
                let times = t * cut..d.time_out().min((t + 1) * cut);
                forward_on(isa, d, &p, &case.x, dst, times, Start::Zero);
            }
            assert_same_bits(isa, "y", &part, &y);
            let mut part = vec![f32::NAN; dx.len()];
            for (t, dst) in part.chunks_mut(cut * d.x_step()).enumerate() {
                let times = t * cut..d.time.min((t + 1) * cut);
                input_grad_on(isa, d, &p, &case.dy, dst, times, Start::Zero);
            }
            assert_same_bits(isa, "dx", &part, &dx);
        }
        let panel = d.inputs() * PANEL;
        for tap in 0..d.taps {
            for k in 0..d.outputs.div_ceil(PANEL) {
                let part = Part { taps: tap..tap + 1, panels: k..k + 1 };
                let mut dst = vec![f32::NAN; panel];
                weight_grad_on(isa, d, &part, &case.x, &case.dy, &mut dst, Start::Zero);
                assert_same_bits(isa, "dw", &dst, &dw[tap * d.tap_len() + k * panel..][..panel]);
            }
        }
    }
}
