//! Rough rates of the sequence kernels on one core: `cargo run --release -p whimbrel-kernels
//! --example sequence`. Products are counted, the element-wise work is not; the last column
//! compares with multiply-adds on registers, measured beside each row.

use std::hint::black_box;
use std::time::Instant;
use whimbrel_kernels::gemm::{Start, packed_len, turn};
use whimbrel_kernels::recurrent::{self, gru, lstm};
use whimbrel_kernels::simd::{Kernel, Simd, run};
use whimbrel_kernels::{attention, conv1d};

fn main() {
    println!("{:<44} {:>10} {:>10} {:>7}", "", "us", "GFLOP/s", "% peak");
    for lanes in [64, 32, 16, 1] {
        lstm_rows(recurrent::Dims { time: 24, hidden: 128, lanes });
    }
    for lanes in [64, 32, 16, 1] {
        gru_rows(recurrent::Dims { time: 24, hidden: 200, lanes });
    }
    for (channels, dilation) in [(1, 1), (128, 1), (128, 4), (128, 16)] {
        for lanes in [64, 32, 16, 1] {
            conv_rows(channels, dilation, lanes);
        }
    }
    for (time, heads, width) in [(3, 16, 8), (24, 4, 32), (300, 4, 32)] {
        for lanes in if time < 100 { [32, 16, 1] } else { [16, 8, 1] } {
            attention_rows(attention::Dims {
                heads,
                queries: time,
                keys: time,
                width,
                value_width: width,
                lanes,
                shared_values: false,
            });
        }
    }
}

fn turned(outputs: usize, inputs: usize, w: &[f32]) -> Vec<f32> {
    let mut turned = vec![0.0; packed_len(inputs, outputs)];
    turn(outputs, inputs, w, &mut turned);
    turned
}

fn lstm_rows(d: recurrent::Dims) {
    let state = d.hidden * d.lanes;
    let w = values(packed_len(4 * d.hidden, d.hidden), 0.1);
    let pre = values(d.time * 4 * state, 1.0);
    let (mut h, mut c) = (values((d.time + 1) * state, 1.0), values((d.time + 1) * state, 1.0));
    let mut gates = pre.clone();
    let flops = 2.0 * (d.time * 4 * d.hidden * state) as f64;
    let name = format!("lstm {} steps {} lanes {}", d.hidden, d.time, d.lanes);
    report(&format!("{name} forward"), flops, || {
        gates.copy_from_slice(&pre);
        lstm::forward(d, &w, &mut gates, &mut h, &mut c);
    });
    let (mut dh, mut dc) = (h.clone(), c.clone());
    let mut dpre = gates.clone();
    let w = turned(4 * d.hidden, d.hidden, &w);
    report(&format!("{name} backward"), flops, || {
        dh.fill(0.01);
        dc.fill(0.0);
        let saved = lstm::Saved { c_all: &c, gates: &gates };
        lstm::backward(d, &w, saved, &mut dh, &mut dc, &mut dpre);
    });
}

fn gru_rows(d: recurrent::Dims) {
    let state = d.hidden * d.lanes;
    let (w, b) = (values(packed_len(3 * d.hidden, d.hidden), 0.1), values(3 * d.hidden, 0.1));
    let pre = values(d.time * 3 * state, 1.0);
    let mut h = values((d.time + 1) * state, 1.0);
    let mut saved = vec![0.0; d.time * 4 * state];
    let flops = 2.0 * (d.time * 3 * d.hidden * state) as f64;
    let name = format!("gru {} steps {} lanes {}", d.hidden, d.time, d.lanes);
    report(&format!("{name} forward"), flops, || {
        let weights = gru::Weights { w_hh: &w, b_hh: &b };
        gru::forward(d, weights, &pre, &mut h, &mut saved);
    });
    let mut dh = h.clone();
    let (mut dpre, mut dhid) = (pre.clone(), pre.clone());
    let w = turned(3 * d.hidden, d.hidden, &w);
    report(&format!("{name} backward"), flops, || {
        dh.fill(0.01);
        let saved = gru::Saved { h_all: &h, saved: &saved };
        gru::backward(d, &w, saved, &mut dh, &mut dpre, &mut dhid);
    });
}

/// A causal layer of a temporal convolutional network: two taps, 128 outputs.
fn conv_rows(channels: usize, dilation: usize, lanes: usize) {
    let d = conv1d::Dims {
        time: 24,
        channels,
        outputs: 128,
        lanes,
        taps: 2,
        stride: 1,
        dilation,
        groups: 1,
        pad_left: dilation,
        pad_right: 0,
    };
    let w = values(d.weight_len(), 0.1);
    let x = values(d.time * d.channels * lanes, 1.0);
    let dy = values(d.time_out() * d.outputs * lanes, 1.0);
    let (mut y, mut dx, mut dw) = (dy.clone(), x.clone(), w.clone());
    let pairs = 2 * d.time - dilation;
    let flops = 2.0 * (pairs * d.channels * d.outputs * lanes) as f64;
    let name = format!("conv {channels}x128 dilation {dilation} lanes {lanes}");
    report(&format!("{name} forward"), flops, || {
        conv1d::forward(d, &w, &x, &mut y, 0..d.time_out(), Start::Zero);
    });
    report(&format!("{name} input grad"), flops, || {
        conv1d::input_grad(d, &w, &dy, &mut dx, 0..d.time, Start::Zero);
    });
    let whole = conv1d::Part::whole(&d);
    report(&format!("{name} weight grad"), flops, || {
        conv1d::weight_grad(d, &whole, &x, &dy, &mut dw, Start::Zero);
    });
}

fn attention_rows(d: attention::Dims) {
    let n = d.queries * d.heads * d.width * d.lanes;
    let (q, k, v) = (values(n, 1.0), values(n, 1.0), values(n, 1.0));
    let pairs = d.heads * d.queries * d.keys * d.lanes;
    let (mut out, mut probs) = (vec![0.0; n], vec![0.0; pairs]);
    let flops = 4.0 * (pairs * d.width) as f64;
    let name =
        format!("attention {} of {} heads {} lanes {}", d.width, d.queries, d.heads, d.lanes);
    let scale = 1.0 / (d.width as f32).sqrt();
    report(&format!("{name} forward"), flops, || {
        let additive = attention::Additive::Nothing;
        let inputs = attention::Inputs { q: &q, k: &k, v: &v, additive };
        attention::forward(d, scale, inputs, &mut out, &mut probs, None);
    });
    let (mut dq, mut dk, mut dv) = (q.clone(), k.clone(), v.clone());
    let mut ds = probs.clone();
    report(&format!("{name} backward"), 2.0 * flops, || {
        let saved = attention::Saved { q: &q, k: &k, v: &v, probs: &probs };
        let upstream = attention::Upstream { dout: &out, dscores: None };
        let (dq, dk, dv, dscores) = (&mut dq[..], &mut dk[..], &mut dv[..], &mut ds[..]);
        let grads = attention::Grads { dq, dk, dv, dscores };
        attention::backward(d, scale, saved, upstream, grads);
    });
}

/// Values in [-size, size).
fn values(n: usize, size: f32) -> Vec<f32> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 40) as f32 / (1u64 << 23) as f32 - 1.0) * size
    };
    (0..n).map(|_| next()).collect()
}

/// Prints the best of several rounds of `work`, and its share of the best peak between them.
fn report(name: &str, flops: f64, mut work: impl FnMut()) {
    work();
    let mut once = seconds(&mut work);
    let repeats = (4e-4 / once).clamp(1.0, 1e4) as usize;
    let mut peak = 0.0f64;
    for _ in 0..25 {
        let start = Instant::now();
        (0..repeats).for_each(|_| work());
        once = once.min(start.elapsed().as_secs_f64() / repeats as f64);
        peak = peak.max(peak_flops());
    }
    let rate = flops / once;
    let share = 100.0 * rate / peak;
    println!("{name:<44} {:>10.1} {:>10.1} {share:>7.0}", once * 1e6, rate / 1e9);
}

fn seconds(work: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

/// Operations a second of multiply-adds that never leave the registers.
fn peak_flops() -> f64 {
    const ROUNDS: usize = 4000;
    let start = Instant::now();
    let lanes = black_box(run(Peak(black_box(ROUNDS))));
    let chains = 2.0 * (CHAINS * ROUNDS * lanes) as f64;
    chains / start.elapsed().as_secs_f64()
}

const CHAINS: usize = 12;

struct Peak(usize);

impl Kernel for Peak {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> usize {
        let mut acc = [s.splat(black_box(1.0)); CHAINS];
        let factor = s.splat(black_box(0.999));
        for _ in 0..self.0 {
            for chain in &mut acc {
                *chain = s.fma(*chain, factor, factor);
            }
        }
        let total: f32 = acc.into_iter().map(|chain| s.sum(chain)).sum();
        black_box(total);
        S::LANES
    }
}
