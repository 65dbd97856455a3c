//! The cases of `golden.json`, which `make.py` writes: what each computes, as a graph. `build` is the place
//! for a new one.
#![allow(dead_code, reason = "every test file uses its part")]

use serde_json::Value;
use std::collections::HashMap;
use whimbrel_graph::ops::{Attention, BatchNorm, Conv1d, Pool1d, PoolOp, RnnActivation};
use whimbrel_graph::{Array, Builder, Graph, GraphError, Type, ValueId, Var};
use whimbrel_tensor::Shape;

pub fn golden() -> Value {
    serde_json::from_str(include_str!("golden.json")).unwrap()
}

/// JSON has no infinities: null is the one below all numbers.
pub fn array(value: &Value) -> Array {
    let number = |x: &Value| if x.is_null() { f64::NEG_INFINITY } else { x.as_f64().unwrap() };
    let numbers = |key: &str| value[key].as_array().unwrap().iter().map(number);
    let sizes: Vec<usize> = numbers("shape").map(|x| x as usize).collect();
    Array { shape: Shape::from_slice(&sizes).unwrap(), data: numbers("data").collect() }
}

/// The tensors of a case under `key`, by name; none if there are none.
pub fn arrays(case: &Value, key: &str) -> Vec<(String, Array)> {
    let named = case[key].as_object().into_iter().flatten();
    named.map(|(name, value)| (name.clone(), array(value))).collect()
}

/// What a case computes from its inputs. Where there are several results, all their rows.
fn build<'g>(name: &str, input: &HashMap<String, Var<'g>>) -> Result<Var<'g>, GraphError> {
    let at = |key: &str| input[key];
    let given = |key: &str| input.get(key).copied();
    let batch_norm = |axis: usize| {
        let norm = BatchNorm { eps: 0.01, momentum: 0.3, ..BatchNorm::new(axis) };
        let training = name.contains("training");
        match given("w") {
            Some(w) => at("x").batch_norm_affine("norm", norm, training, [w, at("b")]),
            None => at("x").batch_norm("norm", norm, training),
        }
    };
    match name {
        "lstm" | "lstm_h0" | "lstm_c0" | "lstm_h0_c0" => {
            let (w_ih, w_hh, bias) = (at("w_ih"), at("w_hh"), at("bias"));
            let made = at("x").lstm(w_ih, w_hh, bias, given("h0"), given("c0"))?;
            steps(&[made.hs, made.h_last, made.c_last])
        }
        "gru" | "gru_h0" => {
            let (w_ih, w_hh) = (at("w_ih"), at("w_hh"));
            let made = at("x").gru(w_ih, w_hh, at("b_ih"), at("b_hh"), given("h0"))?;
            steps(&[made.hs, made.h_last])
        }
        "rnn" | "rnn_h0" | "rnn_relu" | "rnn_relu_h0" => {
            let relu = name.contains("relu");
            let activation = if relu { RnnActivation::Relu } else { RnnActivation::Tanh };
            let (w_ih, w_hh) = (at("w_ih"), at("w_hh"));
            let made = at("x").rnn(activation, w_ih, w_hh, at("bias"), given("h0"))?;
            steps(&[made.hs, made.h_last])
        }
        "conv1d" => at("x").conv1d(at("w"), Conv1d::default()),
        "conv1d_causal" => at("x").conv1d(at("w"), Conv1d::causal(3, 2)),
        "conv1d_all" => {
            let conv = Conv1d { stride: 2, dilation: 2, groups: 2, pad_left: 2, pad_right: 1 };
            at("x").conv1d(at("w"), conv)
        }
        "max_pool" => at("x").pool1d(Pool1d::new(PoolOp::Max, 3)),
        "avg_pool" => at("x").pool1d(Pool1d::new(PoolOp::Average, 3)),
        "max_pool_all" | "avg_pool_all" => {
            let op = if name == "max_pool_all" { PoolOp::Max } else { PoolOp::Average };
            at("x").pool1d(Pool1d { op, kernel: 3, stride: 2, padding: 1, dilation: 2 })
        }
        name if name.starts_with("attention") => {
            let mut op = Attention {
                shared_values: name.contains("shared"),
                return_scores: name.contains("scores") || name.contains("results"),
                ..Attention::new(2, at("q").shape()[1] / 2)
            };
            if name.contains("narrow") {
                op.scale = 0.7;
            }
            let made = at("q").attention(at("k"), at("v"), given("additive"), op)?;
            match name {
                name if name.ends_with("probs") => rows(&[made.probs]),
                name if name.ends_with("scores") => rows(&[made.scores.unwrap()]),
                name if name.ends_with("results") => {
                    rows(&[made.out, made.probs, made.scores.unwrap()])
                }
                _ => rows(&[made.out]),
            }
        }
        "layer_norm_of_steps" => at("x").layer_norm(0, 0.01, None, None),
        "layer_norm" | "layer_norm_weight" | "layer_norm_bias" | "layer_norm_plain" => {
            at("x").layer_norm(1, 1e-5, given("w"), given("b"))
        }
        "softmax" | "softmax_masked" => at("x").softmax(1),
        "softmax_of_steps" => at("x").softmax(0),
        "log_softmax" => at("x").log_softmax(1),
        "log_softmax_of_steps" => at("x").log_softmax(0),
        "cross_entropy" | "cross_entropy_ignored" => at("x").cross_entropy(at("labels")),
        name if name.starts_with("batch_norm") && name.ends_with("steps") => batch_norm(1),
        name if name.starts_with("batch_norm") => batch_norm(0),
        "gelu" => at("x").gelu(),
        "silu" => at("x").silu(),
        "softplus" => at("x").softplus(),
        "relu" => at("x").relu(),
        "tanh" => at("x").tanh(),
        "sigmoid" => at("x").sigmoid(),
        "erf" => at("x").erf(),
        "neg" => at("x").neg(),
        "abs" => at("x").abs(),
        "sign" => at("x").sign(),
        "square" => at("x").square(),
        "sqrt" => at("x").sqrt(),
        "rsqrt" => at("x").rsqrt(),
        "recip" => at("x").recip(),
        "exp" => at("x").exp(),
        "log" => at("x").log(),
        "log1p" => at("x").log1p(),
        "sin" => at("x").sin(),
        "cos" => at("x").cos(),
        "floor" => at("x").floor(),
        other => panic!("no such case: {other}"),
    }
}

/// Sequences `[T, H, B]` and states `[H, B]` as one sequence.
fn steps<'g>(parts: &[Var<'g>]) -> Result<Var<'g>, GraphError> {
    let [hidden, batch] = [1, 2].map(|axis| parts[0].shape()[axis]);
    let steps = |x: &Var<'g>| x.reshape([x.ty().numel() / (hidden * batch), hidden, batch]);
    Var::concat(&parts.iter().map(steps).collect::<Result<Vec<_>, _>>()?, 0)
}

/// Values `[.., B]` as rows of the batch, one after another.
fn rows<'g>(parts: &[Var<'g>]) -> Result<Var<'g>, GraphError> {
    let rows = |x: &Var<'g>| {
        let batch = x.shape().last().copied().unwrap();
        x.reshape([x.ty().numel() / batch, batch])
    };
    Var::concat(&parts.iter().map(rows).collect::<Result<Vec<_>, _>>()?, 0)
}

/// A case as a graph, and what PyTorch made of it.
pub struct Built {
    pub graph: Graph,
    /// What the leaves hold.
    pub contents: HashMap<String, Array>,
    /// What is to be compared, the result and the gradients: outputs of these names.
    pub made: Vec<(String, ValueId, Array)>,
}

pub fn built(case: &Value) -> Built {
    let name = case["name"].as_str().unwrap();
    let g = Builder::new();
    let mut contents: HashMap<String, Array> = arrays(case, "state").into_iter().collect();
    let mut inputs = HashMap::new();
    for (key, content) in arrays(case, "inputs") {
        let ty = match key.as_str() {
            "labels" => Type::i32(content.shape),
            _ => Type::f32(content.shape),
        };
        inputs.insert(key.clone(), g.input(&key, ty).unwrap());
        contents.insert(key, content);
    }
    let weights = array(&case["weights"]);
    let factor = g.input("weights", Type::f32(weights.shape)).unwrap();
    contents.insert("weights".into(), weights);
    let y = build(name, &inputs).unwrap();
    let wanted = arrays(case, "gradients");
    let loss = y.mul(factor).unwrap().sum().unwrap();
    let of: Vec<_> = wanted.iter().map(|(key, _)| inputs[key]).collect();
    let grads = g.gradients(loss, &of).unwrap();
    let results = [(name.to_string(), y, array(&case["y"]))];
    let grads = wanted.into_iter().zip(grads);
    let grads = grads.map(|((key, want), grad)| (format!("{name}: d{key}"), grad, want));
    let made = results.into_iter().chain(grads).map(|(what, value, want)| {
        g.output(&what, value);
        (what, value.id(), want)
    });
    let made = made.collect();
    Built { graph: g.finish().unwrap(), contents, made }
}
