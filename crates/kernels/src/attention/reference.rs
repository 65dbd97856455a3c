//! Plain loops in f64 that say what attention computes.

use super::Dims;

/// Places of elements in the operands.
struct At(Dims);

impl At {
    fn query(&self, head: usize, t: usize, c: usize, l: usize) -> usize {
        ((t * self.0.heads + head) * self.0.width + c) * self.0.lanes + l
    }

    fn out(&self, head: usize, t: usize, c: usize, l: usize) -> usize {
        ((t * self.0.heads + head) * self.0.value_width + c) * self.0.lanes + l
    }

    fn value(&self, head: usize, t: usize, c: usize, l: usize) -> usize {
        let d = self.0;
        if d.shared_values {
            (t * d.value_width + c) * d.lanes + l
        } else {
            self.out(head, t, c, l)
        }
    }

    fn score(&self, head: usize, i: usize, j: usize, l: usize) -> usize {
        ((head * self.0.queries + i) * self.0.keys + j) * self.0.lanes + l
    }
}

/// Calls `f` for every head, query and lane.
fn rows(d: Dims, mut f: impl FnMut(usize, usize, usize)) {
    for head in 0..d.heads {
        for i in 0..d.queries {
            for l in 0..d.lanes {
                f(head, i, l);
            }
        }
    }
}

/// out, probs, scores; `additive` is `[heads, queries, keys, lanes]`.
pub(super) fn forward(
    d: Dims,
    scale: f64,
    [q, k, v]: [&[f64]; 3],
    additive: Option<&[f64]>,
) -> [Vec<f64>; 3] {
    let at = At(d);
    let square = d.heads * d.queries * d.keys * d.lanes;
    let mut out = vec![0.0; d.queries * d.heads * d.value_width * d.lanes];
    let (mut probs, mut scores) = (vec![0.0; square], vec![0.0; square]);
    rows(d, |h, i, l| {
        for j in 0..d.keys {
            let term = |c| q[at.query(h, i, c, l)] * k[at.query(h, j, c, l)];
            let s = at.score(h, i, j, l);
            scores[s] =
                scale * (0..d.width).map(term).sum::<f64>() + additive.map_or(0.0, |a| a[s]);
        }
        let row = || (0..d.keys).map(|j| at.score(h, i, j, l));
        let most = row().map(|s| scores[s]).fold(f64::NEG_INFINITY, f64::max);
        if most > f64::NEG_INFINITY {
            let sum: f64 = row().map(|s| (scores[s] - most).exp()).sum();
            row().for_each(|s| probs[s] = (scores[s] - most).exp() / sum);
        }
        for c in 0..d.value_width {
            let term = |j| probs[at.score(h, i, j, l)] * v[at.value(h, j, c, l)];
            out[at.out(h, i, c, l)] = (0..d.keys).map(term).sum();
        }
    });
    [out, probs, scores]
}

/// dq, dk, dv, dscores.
pub(super) fn backward(
    d: Dims,
    scale: f64,
    [q, k, v]: [&[f64]; 3],
    probs: &[f64],
    dout: &[f64],
    outside: Option<&[f64]>,
) -> [Vec<f64>; 4] {
    let at = At(d);
    let [mut dq, mut dk, mut dv] = [q, k, v].map(|x| vec![0.0; x.len()]);
    let mut ds = vec![0.0; probs.len()];
    rows(d, |h, i, l| {
        let dp: Vec<f64> = (0..d.keys)
            .map(|j| {
                (0..d.value_width).map(|c| dout[at.out(h, i, c, l)] * v[at.value(h, j, c, l)]).sum()
            })
            .collect();
        let mean: f64 = (0..d.keys).map(|j| probs[at.score(h, i, j, l)] * dp[j]).sum();
        for j in 0..d.keys {
            let s = at.score(h, i, j, l);
            ds[s] = probs[s] * (dp[j] - mean) + outside.map_or(0.0, |o| o[s]);
            for c in 0..d.width {
                let (iq, ik) = (at.query(h, i, c, l), at.query(h, j, c, l));
                dq[iq] += scale * ds[s] * k[ik];
                dk[ik] += scale * ds[s] * q[iq];
            }
            for c in 0..d.value_width {
                dv[at.value(h, j, c, l)] += probs[s] * dout[at.out(h, i, c, l)];
            }
        }
    });
    [dq, dk, dv, ds]
}
