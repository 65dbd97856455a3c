//! Plain loops in f64 that say what the cells compute. Weights are row-major.

use super::Dims;
use super::rnn::Activation;

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// `W h` for lane `l`, row `row` of `w [.., hidden]`.
fn row_product(d: Dims, w: &[f64], h: &[f64], row: usize, l: usize) -> f64 {
    (0..d.hidden).map(|k| w[row * d.hidden + k] * h[k * d.lanes + l]).sum()
}

/// `dh += W^T d` for the `gates * hidden` rows of one step.
fn back_product(d: Dims, gates: usize, w: &[f64], dstep: &[f64], dh: &mut [f64]) {
    for row in 0..gates * d.hidden {
        for k in 0..d.hidden {
            for l in 0..d.lanes {
                dh[k * d.lanes + l] += w[row * d.hidden + k] * dstep[row * d.lanes + l];
            }
        }
    }
}

/// `gates` holds the projected inputs on entry.
pub(super) fn lstm(d: Dims, w: &[f64], gates: &mut [f64], h_all: &mut [f64], c_all: &mut [f64]) {
    let n = d.state();
    for t in 0..d.time {
        let step = &mut gates[t * 4 * n..][..4 * n];
        for row in 0..4 * d.hidden {
            for l in 0..d.lanes {
                let x = step[row * d.lanes + l] + row_product(d, w, &h_all[t * n..], row, l);
                let squash = if row / d.hidden == 2 { f64::tanh } else { sigmoid };
                step[row * d.lanes + l] = squash(x);
            }
        }
        for e in 0..n {
            let (i, f, g, o) = (step[e], step[n + e], step[2 * n + e], step[3 * n + e]);
            let c = f * c_all[t * n + e] + i * g;
            c_all[(t + 1) * n + e] = c;
            h_all[(t + 1) * n + e] = o * c.tanh();
        }
    }
}

pub(super) fn lstm_back(
    d: Dims,
    w: &[f64],
    (c_all, gates): (&[f64], &[f64]),
    dh_all: &mut [f64],
    dc_all: &mut [f64],
) -> Vec<f64> {
    let n = d.state();
    let mut dpre = vec![0.0; d.time * 4 * n];
    for t in (0..d.time).rev() {
        let step = &gates[t * 4 * n..];
        let dstep = &mut dpre[t * 4 * n..][..4 * n];
        for e in 0..n {
            let (i, f, g, o) = (step[e], step[n + e], step[2 * n + e], step[3 * n + e]);
            let c = c_all[(t + 1) * n + e].tanh();
            let dh = dh_all[(t + 1) * n + e];
            dc_all[(t + 1) * n + e] += dh * o * (1.0 - c * c);
            let dc = dc_all[(t + 1) * n + e];
            dc_all[t * n + e] += dc * f;
            dstep[e] = dc * g * i * (1.0 - i);
            dstep[n + e] = dc * c_all[t * n + e] * f * (1.0 - f);
            dstep[2 * n + e] = dc * i * (1.0 - g * g);
            dstep[3 * n + e] = dh * c * o * (1.0 - o);
        }
        back_product(d, 4, w, dstep, &mut dh_all[t * n..]);
    }
    dpre
}

pub(super) fn gru(
    d: Dims,
    (w, b): (&[f64], &[f64]),
    pre: &[f64],
    h_all: &mut [f64],
    saved: &mut [f64],
) {
    let n = d.state();
    for t in 0..d.time {
        for u in 0..d.hidden {
            for l in 0..d.lanes {
                let e = u * d.lanes + l;
                let hid = |g: usize| {
                    let row = g * d.hidden + u;
                    row_product(d, w, &h_all[t * n..], row, l) + b[row]
                };
                let pre = |g: usize| pre[(t * 3 + g) * n + e];
                let (r, z) = (sigmoid(pre(0) + hid(0)), sigmoid(pre(1) + hid(1)));
                let hn = hid(2);
                let new = (pre(2) + r * hn).tanh();
                for (part, value) in [r, z, new, hn].into_iter().enumerate() {
                    saved[(t * 4 + part) * n + e] = value;
                }
                h_all[(t + 1) * n + e] = (1.0 - z) * new + z * h_all[t * n + e];
            }
        }
    }
}

pub(super) fn gru_back(
    d: Dims,
    w: &[f64],
    (h_all, saved): (&[f64], &[f64]),
    dh_all: &mut [f64],
) -> (Vec<f64>, Vec<f64>) {
    let n = d.state();
    let (mut dpre, mut dhid) = (vec![0.0; d.time * 3 * n], vec![0.0; d.time * 3 * n]);
    for t in (0..d.time).rev() {
        for e in 0..n {
            let [r, z, new, hn] = [0, 1, 2, 3].map(|part| saved[(t * 4 + part) * n + e]);
            let dh = dh_all[(t + 1) * n + e];
            dh_all[t * n + e] += dh * z;
            let dn = dh * (1.0 - z) * (1.0 - new * new);
            let dz = dh * (h_all[t * n + e] - new) * z * (1.0 - z);
            let dr = dn * hn * r * (1.0 - r);
            for (gate, (p, h)) in [(dr, dr), (dz, dz), (dn, dn * r)].into_iter().enumerate() {
                dpre[(t * 3 + gate) * n + e] = p;
                dhid[(t * 3 + gate) * n + e] = h;
            }
        }
        back_product(d, 3, w, &dhid[t * 3 * n..][..3 * n], &mut dh_all[t * n..]);
    }
    (dpre, dhid)
}

pub(super) fn rnn(d: Dims, activation: Activation, w: &[f64], pre: &[f64], h_all: &mut [f64]) {
    let n = d.state();
    for t in 0..d.time {
        for row in 0..d.hidden {
            for l in 0..d.lanes {
                let e = row * d.lanes + l;
                let x = pre[t * n + e] + row_product(d, w, &h_all[t * n..], row, l);
                h_all[(t + 1) * n + e] = match activation {
                    Activation::Tanh => x.tanh(),
                    Activation::Relu => x.max(0.0),
                };
            }
        }
    }
}

pub(super) fn rnn_back(
    d: Dims,
    activation: Activation,
    w: &[f64],
    h_all: &[f64],
    dh_all: &mut [f64],
) -> Vec<f64> {
    let n = d.state();
    let mut dpre = vec![0.0; d.time * n];
    for t in (0..d.time).rev() {
        for e in 0..n {
            let h = h_all[(t + 1) * n + e];
            let slope = match activation {
                Activation::Tanh => 1.0 - h * h,
                Activation::Relu => f64::from(u8::from(h > 0.0)),
            };
            dpre[t * n + e] = dh_all[(t + 1) * n + e] * slope;
        }
        back_product(d, 1, w, &dpre[t * n..][..n], &mut dh_all[t * n..]);
    }
    dpre
}
