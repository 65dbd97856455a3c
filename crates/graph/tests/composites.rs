//! Composite operations equal what they abbreviate, written in primitives, and keep their promises
//! at the edges.

mod harness;

use harness::{Leaf, close, integers, signed, values};
use whimbrel_graph::ops::{Attention, BatchNorm, Conv1d, Pool1d, PoolOp, RnnActivation};
use whimbrel_graph::{Array, Builder, GraphError, Var};

/// Asserts that two pieces of graph make the same of the same leaves.
#[track_caller]
fn same(leaves: &[Leaf], composite: impl harness::Piece, primitives: impl harness::Piece) {
    let (a, b) = (values(leaves, &composite), values(leaves, &primitives));
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(&b) {
        close(a, b, 1e-9, "composite and primitives");
    }
}

/// Step `t` of a sequence `[T, C, B]` as `[C, B]`.
fn step<'g>(x: Var<'g>, t: usize) -> Result<Var<'g>, GraphError> {
    x.slice(0, t, t + 1)?.reshape([x.shape()[1], x.shape()[2]])
}

/// States `[H, B]` one after another as `[T, H, B]`.
fn stack<'g>(states: &[Var<'g>]) -> Result<Var<'g>, GraphError> {
    let rows: Result<Vec<_>, _> =
        states.iter().map(|h| h.reshape([1, h.shape()[0], h.shape()[1]])).collect();
    Var::concat(&rows?, 0)
}

#[test]
fn softmax_is_exponentials_over_their_sum() {
    same(
        &[signed(&[4, 3])],
        |_, x| Ok(vec![x[0].softmax(0)?, x[0].log_softmax(0)?]),
        |_, x| {
            let shares = x[0].exp()?.div(x[0].exp()?.sum_axes(&[0])?)?;
            Ok(vec![shares, shares.log()?])
        },
    );
}

#[test]
fn softmax_of_masked_columns_is_zero_and_of_large_numbers_finite() {
    let inf = f64::INFINITY;
    let content = Array::new([2, 3], vec![-inf, -inf, 1000.0, -inf, 0.0, 1000.0]);
    let leaf = Leaf { ty: [2, 3].into(), content };
    let made = values(&[leaf], &harness::piece(|_, x| Ok(vec![x[0].softmax(0)?])));
    assert_eq!(made[0].data, [0.0, 0.0, 0.5, 0.0, 1.0, 0.5]);
}

#[test]
fn cross_entropy_is_the_negated_log_share_of_the_label() {
    same(
        &[signed(&[4, 3]), integers(&[2, 0, 3])],
        |_, x| Ok(vec![x[0].cross_entropy(x[1])?]),
        |g, x| {
            let truth = vec![0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
            let hit = x[0].log_softmax(0)?.mul(g.constant([4, 3], truth))?;
            Ok(vec![hit.sum_axes(&[0])?.neg()?])
        },
    );
}

#[test]
fn cross_entropy_leaves_out_negative_labels_and_marks_impossible_ones() {
    let leaves = [signed(&[2, 3]), integers(&[-1, 5, 1])];
    let made = values(&leaves, &harness::piece(|_, x| Ok(vec![x[0].cross_entropy(x[1])?])));
    assert_eq!(made[0].data[0], 0.0);
    assert!(made[0].data[1].is_nan());
    assert!(made[0].data[2] > 0.0);
}

#[test]
fn layer_norm_is_centring_and_scaling() {
    same(
        &[signed(&[2, 4, 3])],
        |_, x| Ok(vec![x[0].layer_norm(1, 0.25, None, None)?]),
        |g, x| {
            let centred = x[0].sub(x[0].mean_axes(&[1])?)?;
            let variance = centred.square()?.mean_axes(&[1])?;
            Ok(vec![centred.mul(variance.add(g.scalar(0.25))?.rsqrt()?)?])
        },
    );
}

#[test]
fn batch_norm_moves_its_running_statistics() -> Result<(), GraphError> {
    let g = Builder::new();
    let x = g.batch("x", [1, 4])?;
    let norm = BatchNorm { eps: 0.0, momentum: 0.5, ..BatchNorm::new(0) };
    g.output("y", x.batch_norm("norm", norm, true)?);
    let graph = g.finish()?;
    let x = Array::new([1, 4], vec![1.0, 2.0, 3.0, 6.0]);
    let leaf = |id| match graph.label(id).as_str() {
        "x" => Some(x.clone()),
        "norm.running_mean" => Some(Array::new([1, 1], vec![1.0])),
        _ => Some(Array::new([1, 1], vec![2.0])),
    };
    let arrays = graph.evaluate(leaf)?;
    let updated = |i: usize| arrays[graph.updates()[i].value.index()].clone().map(|a| a.data[0]);
    // Mean 3, variance 3.5, unbiased 14 / 3.
    let (mean, variance) = (updated(0).unwrap_or(0.0), updated(1).unwrap_or(0.0));
    assert!((mean - 2.0).abs() < 1e-6, "{mean}");
    assert!((variance - (1.0 + 7.0 / 3.0)).abs() < 1e-6, "{variance}");
    Ok(())
}

#[test]
fn convolution_is_a_product_per_tap() {
    same(
        &[signed(&[5, 2, 3]), signed(&[2, 4, 2])],
        |_, x| Ok(vec![x[0].conv1d(x[1], Conv1d::causal(2, 2))?]),
        |_, x| {
            let padded = x[0].pad(0, 2, 0, 0.0)?;
            let tap = |i: usize| x[1].slice(0, i, i + 1)?.reshape([4, 2]);
            let early = tap(0)?.dot(padded.slice(0, 0, 5)?)?;
            Ok(vec![early.add(tap(1)?.dot(padded.slice(0, 2, 7)?)?)?])
        },
    );
}

#[test]
fn groups_convolve_their_own_channels() {
    same(
        &[signed(&[4, 4, 2]), signed(&[2, 6, 2])],
        |_, x| Ok(vec![x[0].conv1d(x[1], Conv1d { groups: 2, ..Conv1d::default() })?]),
        |_, x| {
            let half = |i: usize| {
                let w = x[1].slice(1, 3 * i, 3 * i + 3)?;
                x[0].slice(1, 2 * i, 2 * i + 2)?.conv1d(w, Conv1d::default())
            };
            Ok(vec![Var::concat(&[half(0)?, half(1)?], 1)?])
        },
    );
}

#[test]
fn pooling_looks_at_windows() {
    let pool = |op| Pool1d { stride: 1, ..Pool1d::new(op, 2) };
    same(
        &[signed(&[5, 2, 2])],
        move |_, x| Ok(vec![x[0].pool1d(pool(PoolOp::Max))?, x[0].pool1d(pool(PoolOp::Average))?]),
        move |g, x| {
            let (a, b) = (x[0].slice(0, 0, 4)?, x[0].slice(0, 1, 5)?);
            Ok(vec![a.max(b)?, a.add(b)?.mul(g.scalar(0.5))?])
        },
    );
}

#[test]
fn rnn_is_its_cell_step_by_step() {
    let leaves =
        [signed(&[3, 2, 2]), signed(&[4, 2]), signed(&[4, 4]), signed(&[4, 1]), signed(&[4, 2])];
    for activation in [RnnActivation::Tanh, RnnActivation::Relu] {
        same(
            &leaves,
            move |_, v| Ok(vec![v[0].rnn(activation, v[1], v[2], v[3], Some(v[4]))?.hs]),
            move |_, v| {
                let (mut h, mut hs) = (v[4], Vec::new());
                for t in 0..3 {
                    let x = v[1].dot(step(v[0], t)?)?.add(v[3])?.add(v[2].dot(h)?)?;
                    h = if activation == RnnActivation::Tanh { x.tanh()? } else { x.relu()? };
                    hs.push(h);
                }
                Ok(vec![stack(&hs)?])
            },
        );
    }
}

#[test]
fn lstm_is_its_cell_step_by_step() {
    let leaves = [signed(&[3, 2, 2]), signed(&[8, 2]), signed(&[8, 2]).seeded(2), signed(&[8, 1])];
    same(
        &leaves,
        |_, v| {
            let made = v[0].lstm(v[1], v[2], v[3], None, None)?;
            Ok(vec![made.hs, made.h_last, made.c_last])
        },
        |g, v| {
            let zeros = g.scalar(0.0).broadcast([2, 2])?;
            let (mut h, mut c, mut hs) = (zeros, zeros, Vec::new());
            for t in 0..3 {
                let x = v[1].dot(step(v[0], t)?)?.add(v[3])?.add(v[2].dot(h)?)?;
                let gate = |q: usize| x.slice(0, 2 * q, 2 * q + 2);
                let kept = gate(1)?.sigmoid()?.mul(c)?;
                c = kept.add(gate(0)?.sigmoid()?.mul(gate(2)?.tanh()?)?)?;
                h = gate(3)?.sigmoid()?.mul(c.tanh()?)?;
                hs.push(h);
            }
            Ok(vec![stack(&hs)?, h, c])
        },
    );
}

#[test]
fn gru_is_its_cell_step_by_step() {
    let leaves = [
        signed(&[3, 2, 2]),
        signed(&[6, 2]),
        signed(&[6, 2]).seeded(2),
        signed(&[6, 1]),
        signed(&[6, 1]).seeded(3),
        signed(&[2, 2]),
    ];
    same(
        &leaves,
        |_, v| {
            let made = v[0].gru(v[1], v[2], v[3], v[4], Some(v[5]))?;
            Ok(vec![made.hs, made.h_last])
        },
        |g, v| {
            let (mut h, mut hs) = (v[5], Vec::new());
            for t in 0..3 {
                let x = v[1].dot(step(v[0], t)?)?.add(v[3])?;
                let hidden = v[2].dot(h)?.add(v[4])?;
                let r = x.slice(0, 0, 2)?.add(hidden.slice(0, 0, 2)?)?.sigmoid()?;
                let z = x.slice(0, 2, 4)?.add(hidden.slice(0, 2, 4)?)?.sigmoid()?;
                let n = x.slice(0, 4, 6)?.add(r.mul(hidden.slice(0, 4, 6)?)?)?.tanh()?;
                h = g.scalar(1.0).sub(z)?.mul(n)?.add(z.mul(h)?)?;
                hs.push(h);
            }
            Ok(vec![stack(&hs)?, h])
        },
    );
}

#[test]
fn attention_is_products_and_softmax() {
    // One head; with the batch as leading axis the products are plain ones.
    let leaves = [signed(&[3, 4, 2]), signed(&[5, 4, 2]), signed(&[5, 6, 2])];
    same(
        &leaves,
        |_, x| {
            let attention = Attention { scale: 0.5, ..Attention::new(1, 4) };
            Ok(vec![x[0].attention(x[1], x[2], None, attention)?.out])
        },
        |g, x| {
            let [q, k, v] =
                [x[0].permute(&[2, 0, 1])?, x[1].permute(&[2, 1, 0])?, x[2].permute(&[2, 0, 1])?];
            let weights = q.dot(k)?.mul(g.scalar(0.5))?.permute(&[0, 2, 1])?.softmax(1)?;
            Ok(vec![weights.permute(&[0, 2, 1])?.dot(v)?.permute(&[1, 2, 0])?])
        },
    );
}

#[test]
fn heads_attend_on_their_own() {
    let leaves =
        [signed(&[3, 4, 2]), signed(&[2, 4, 2]), signed(&[2, 6, 2]), signed(&[2, 3, 2, 1])];
    same(
        &leaves,
        |_, x| Ok(vec![x[0].attention(x[1], x[2], Some(x[3]), Attention::new(2, 2))?.out]),
        |_, leaf| {
            let head = |i: usize| {
                let part = |x: usize, n: usize| leaf[x].slice(1, n * i, n * i + n);
                let (q, k, v) = (part(0, 2)?, part(1, 2)?, part(2, 3)?);
                q.attention(k, v, Some(leaf[3].slice(0, i, i + 1)?), Attention::new(1, 2))
            };
            Ok(vec![Var::concat(&[head(0)?.out, head(1)?.out], 1)?])
        },
    );
}

#[test]
fn a_query_that_may_see_no_key_reads_zeros() {
    let mask = vec![0.0, f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    let mask = Leaf { ty: [1, 2, 2, 1].into(), content: Array::new([1, 2, 2, 1], mask) };
    let leaves = [signed(&[2, 3, 1]), signed(&[2, 3, 1]).seeded(1), signed(&[2, 1, 1]), mask];
    let attend = harness::piece(|_, x| {
        let made = x[0].attention(x[1], x[2], Some(x[3]), Attention::new(1, 3))?;
        Ok(vec![made.probs, made.out])
    });
    let made = values(&leaves, &attend);
    assert_eq!(made[0].data, [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(made[1].data[1], 0.0);
}

#[test]
fn iota_counts_and_cumsum_adds_up() {
    let made = values(
        &[],
        &harness::piece(|g, _| {
            let count = g.iota([2, 3], 1)?;
            Ok(vec![count, g.iota([3, 1], 0)?.cumsum(0)?])
        }),
    );
    assert_eq!(made[0].data, [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]);
    assert_eq!(made[1].data, [0.0, 1.0, 3.0]);
}
