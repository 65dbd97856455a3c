//! Gradients of the composite operations agree with central differences.

mod harness;

use harness::{check, integers, piece, positive, signed};
use whimbrel_graph::Op;
use whimbrel_graph::ops::{
    Attention, BatchNorm, Conv1d, Conv1dGradInput, Conv1dGradWeight, LayerNorm, Pool1d, PoolOp,
    RnnActivation,
};

#[test]
fn softmax_and_its_logarithm() {
    check(&[signed(&[4, 3])], |_, x| Ok(vec![x[0].softmax(0)?]));
    check(&[signed(&[2, 5, 2])], |_, x| Ok(vec![x[0].softmax(1)?, x[0].log_softmax(0)?]));
    check(&[signed(&[4, 3])], |_, x| Ok(vec![x[0].log_softmax(0)?]));
}

#[test]
fn cross_entropy_with_an_item_left_out() {
    let leaves = [signed(&[4, 5]), integers(&[0, 3, -1, 1, 3])];
    check(&leaves, |_, x| Ok(vec![x[0].cross_entropy(x[1])?]));
}

#[test]
fn layer_norm_with_weight_and_bias() {
    let leaves = [signed(&[2, 5, 3]), signed(&[5, 1]), positive(&[5, 1])];
    check(&leaves, |_, x| Ok(vec![x[0].layer_norm(1, 1e-3, Some(x[1]), Some(x[2]))?]));
    check(&[signed(&[4, 3])], |_, x| Ok(vec![x[0].layer_norm(0, 1e-5, None, None)?]));
}

#[test]
fn layer_norm_through_its_scale() {
    check(&[signed(&[4, 3])], |g, x| {
        g.apply(Op::LayerNorm(LayerNorm { axis: 0, eps: 1e-3 }), &[x[0]])
    });
}

#[test]
fn batch_norm_of_both_kinds() {
    check(&[signed(&[3, 4])], |_, x| Ok(vec![x[0].batch_norm("norm", BatchNorm::new(0), true)?]));
    check(&[signed(&[3, 2, 4])], |_, x| {
        let norm = BatchNorm { eps: 0.5, ..BatchNorm::new(1) };
        Ok(vec![x[0].batch_norm("norm", norm, false)?])
    });
    check(&[signed(&[2, 3, 4]), signed(&[3, 1]), signed(&[3, 1])], |_, x| {
        let norm = BatchNorm::new(1);
        Ok(vec![x[0].batch_norm_affine("norm", norm, true, [x[1], x[2]])?])
    });
}

#[test]
fn conv1d_of_every_kind() {
    let plain = Conv1d::default();
    let kinds = [
        (plain, [6, 3, 2], [2, 4, 3]),
        (Conv1d::causal(3, 2), [5, 2, 2], [3, 2, 2]),
        (Conv1d { stride: 2, pad_left: 1, ..plain }, [6, 2, 2], [3, 3, 2]),
        (
            Conv1d { stride: 3, dilation: 2, pad_left: 2, pad_right: 3, ..plain },
            [7, 2, 1],
            [3, 1, 2],
        ),
        (Conv1d { groups: 2, pad_right: 1, ..plain }, [4, 4, 2], [2, 6, 2]),
        (Conv1d { groups: 3, ..plain }, [4, 3, 1], [2, 3, 1]),
    ];
    for (conv, x, w) in kinds {
        check(&[signed(&x), signed(&w)], move |_, v| Ok(vec![v[0].conv1d(v[1], conv)?]));
    }
}

#[test]
fn conv1d_gradients_have_gradients() {
    let conv = Conv1d { stride: 2, dilation: 2, groups: 2, pad_left: 1, pad_right: 0 };
    let time_out = conv.time_out(6, 2).unwrap();
    check(&[signed(&[2, 4, 1]), signed(&[time_out, 4, 2])], move |g, v| {
        g.apply(Op::Conv1dGradInput(Conv1dGradInput { conv, time: 6 }), v)
    });
    check(&[signed(&[6, 2, 2]), signed(&[time_out, 4, 2])], move |g, v| {
        g.apply(Op::Conv1dGradWeight(Conv1dGradWeight { conv, taps: 2 }), v)
    });
}

#[test]
fn pool1d_of_every_kind() {
    for op in [PoolOp::Max, PoolOp::Average] {
        let plain = Pool1d::new(op, 2);
        let kinds = [
            plain,
            Pool1d { kernel: 3, stride: 1, padding: 1, ..plain },
            Pool1d { kernel: 3, stride: 2, dilation: 2, ..plain },
        ];
        for pool in kinds {
            check(&[signed(&[7, 2, 2])], move |_, x| Ok(vec![x[0].pool1d(pool)?]));
        }
    }
}

#[test]
fn rnn_with_and_without_initial_state() {
    for activation in [RnnActivation::Tanh, RnnActivation::Relu] {
        let shapes: [&[usize]; 5] = [&[4, 2, 2], &[3, 2], &[3, 3], &[3, 1], &[3, 2]];
        let leaves = shapes.map(signed);
        check(&leaves, move |_, v| {
            let made = v[0].rnn(activation, v[1], v[2], v[3], Some(v[4]))?;
            Ok(vec![made.hs, made.h_last])
        });
        check(&leaves[..4], move |_, v| {
            Ok(vec![v[0].rnn(activation, v[1], v[2], v[3], None)?.h_last])
        });
    }
}

#[test]
fn lstm_with_and_without_initial_state() {
    let shapes: [&[usize]; 6] = [&[3, 2, 2], &[12, 2], &[12, 3], &[12, 1], &[3, 2], &[3, 2]];
    let mut leaves = shapes.map(signed);
    leaves[5] = signed(&[3, 2]).seeded(5);
    check(&leaves, |_, v| {
        let made = v[0].lstm(v[1], v[2], v[3], Some(v[4]), Some(v[5]))?;
        Ok(vec![made.hs, made.h_last, made.c_last])
    });
    check(&leaves[..4], |_, v| Ok(vec![v[0].lstm(v[1], v[2], v[3], None, None)?.h_last]));
}

#[test]
fn gru_with_and_without_initial_state() {
    let shapes: [&[usize]; 6] = [&[3, 2, 2], &[9, 2], &[9, 3], &[9, 1], &[9, 1], &[3, 2]];
    let mut leaves = shapes.map(signed);
    leaves[4] = signed(&[9, 1]).seeded(6);
    check(&leaves, |_, v| {
        let made = v[0].gru(v[1], v[2], v[3], v[4], Some(v[5]))?;
        Ok(vec![made.hs, made.h_last])
    });
    check(&leaves[..5], |_, v| Ok(vec![v[0].gru(v[1], v[2], v[3], v[4], None)?.hs]));
}

#[test]
fn attention_of_every_kind() {
    let plain = Attention { scale: 0.7, ..Attention::new(2, 2) };
    let [q, k, v] = [signed(&[3, 4, 2]), signed(&[2, 4, 2]), signed(&[2, 6, 2])];
    let [per_item, shared] = [signed(&[2, 3, 2, 2]), signed(&[2, 3, 2, 1])];
    let leaves = [q, k, v, per_item];
    check(&leaves[..3], move |_, x| Ok(vec![x[0].attention(x[1], x[2], None, plain)?.out]));
    let all = piece(move |_, x| {
        let attention = Attention { return_scores: true, ..plain };
        let made = x[0].attention(x[1], x[2], x.get(3).copied(), attention)?;
        Ok([made.out, made.probs].into_iter().chain(made.scores).collect())
    });
    check(&leaves[..3], all);
    check(&leaves, all);
    let [q, k, v, _] = leaves;
    check(&[q, k, v, shared], all);
}

#[test]
fn attention_with_shared_values() {
    let leaves = [signed(&[3, 4, 2]), signed(&[2, 4, 2]), signed(&[2, 3, 2])];
    check(&leaves, |_, x| {
        let attention = Attention { shared_values: true, ..Attention::new(2, 2) };
        let made = x[0].attention(x[1], x[2], None, attention)?;
        Ok(vec![made.out, made.probs])
    });
}

#[test]
fn dropout_of_a_given_step() {
    let leaves = [signed(&[5, 7]), integers(&[3, 4])];
    check(&leaves, |_, x| Ok(vec![x[0].dropout(0.4, x[1])?]));
}
