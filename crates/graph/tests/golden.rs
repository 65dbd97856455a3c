//! Composites, functions and optimisers give what PyTorch gives, forward and backward, in f64.
//! `golden/make.py` writes the data.

use serde_json::Value;
use std::collections::HashMap;
use whimbrel_graph::ops::{Adam, Attention, BatchNorm, Conv1d, Pool1d, PoolOp, RnnActivation, Sgd};
use whimbrel_graph::{Array, Builder, GraphError, Init, Type, Var};
use whimbrel_tensor::Shape;

const TOLERANCE: f64 = 1e-6;

fn golden() -> Value {
    serde_json::from_str(include_str!("golden/golden.json")).unwrap()
}

fn array(value: &Value) -> Array {
    let numbers = |key: &str| value[key].as_array().unwrap().iter().map(|x| x.as_f64().unwrap());
    let sizes: Vec<usize> = numbers("shape").map(|x| x as usize).collect();
    Array { shape: Shape::from_slice(&sizes).unwrap(), data: numbers("data").collect() }
}

#[track_caller]
fn close(what: &str, got: &Array, want: &Array) {
    assert_eq!(got.data.len(), want.data.len(), "{what}: {} against {}", got.shape, want.shape);
    let scale = want.data.iter().fold(1e-3f64, |s, x| s.max(x.abs()));
    for (i, (got, want)) in got.data.iter().zip(&want.data).enumerate() {
        assert!((got - want).abs() <= TOLERANCE * scale, "{what}[{i}]: {got} instead of {want}");
    }
}

/// What a case computes from its inputs.
fn build<'g>(name: &str, input: &HashMap<String, Var<'g>>) -> Result<Var<'g>, GraphError> {
    let at = |key: &str| input[key];
    match name {
        "lstm" => Ok(at("x").lstm(at("w_ih"), at("w_hh"), at("bias"), None, None)?.hs),
        "gru" => Ok(at("x").gru(at("w_ih"), at("w_hh"), at("b_ih"), at("b_hh"), None)?.hs),
        "rnn" => {
            let tanh = RnnActivation::Tanh;
            Ok(at("x").rnn(tanh, at("w_ih"), at("w_hh"), at("bias"), None)?.hs)
        }
        "conv1d" => {
            let conv = Conv1d { stride: 2, dilation: 2, groups: 2, pad_left: 2, pad_right: 1 };
            at("x").conv1d(at("w"), conv)
        }
        "max_pool" | "avg_pool" => {
            let op = if name == "max_pool" { PoolOp::Max } else { PoolOp::Average };
            at("x").pool1d(Pool1d { stride: 2, padding: 1, ..Pool1d::new(op, 3) })
        }
        "attention" => {
            let scale = 1.0 / 3f64.sqrt();
            let op = Attention { heads: 2, scale, shared_values: false, return_scores: false };
            Ok(at("q").attention(at("k"), at("v"), None, op)?.out)
        }
        "layer_norm" => at("x").layer_norm(1, 1e-5, Some(at("w")), Some(at("b"))),
        "softmax" => at("x").softmax(1),
        "log_softmax" => at("x").log_softmax(1),
        "cross_entropy" => at("x").cross_entropy(at("labels")),
        "batch_norm" => at("x").batch_norm("norm", BatchNorm::new(0), true),
        "gelu" => at("x").gelu(),
        "silu" => at("x").silu(),
        "softplus" => at("x").softplus(),
        "relu" => at("x").relu(),
        "tanh" => at("x").tanh(),
        "sigmoid" => at("x").sigmoid(),
        "erf" => at("x").erf(),
        other => panic!("no such case: {other}"),
    }
}

#[test]
fn results_and_gradients_equal_pytorchs() {
    for case in golden()["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let mut contents: HashMap<String, Array> = HashMap::new();
        let g = Builder::new();
        let mut inputs = HashMap::new();
        for (key, value) in case["inputs"].as_object().unwrap() {
            let content = array(value);
            let ty = match key.as_str() {
                "labels" => Type::i32(content.shape),
                _ => Type::f32(content.shape),
            };
            inputs.insert(key.clone(), g.input(key, ty).unwrap());
            contents.insert(key.clone(), content);
        }
        let weights = array(&case["weights"]);
        let factor = g.input("weights", Type::f32(weights.shape)).unwrap();
        contents.insert("weights".into(), weights);
        let y = build(name, &inputs).unwrap();
        let wanted: Vec<&String> = case["gradients"].as_object().unwrap().keys().collect();
        let loss = y.mul(factor).unwrap().sum().unwrap();
        let grads = g.gradients(loss, &wanted.iter().map(|k| inputs[*k]).collect::<Vec<_>>());
        let ids: Vec<_> = grads.unwrap().iter().map(|v| v.id()).collect();
        let y = y.id();
        let graph = g.finish().unwrap();
        let zeros = |shape| Array::full(shape, 0.0);
        let made = graph.evaluate(|v| {
            let content = contents.get(&graph.label(v)).cloned();
            Some(content.unwrap_or_else(|| zeros(graph.ty(v).shape)))
        });
        let made = made.unwrap();
        close(name, made[y.index()].as_ref().unwrap(), &array(&case["y"]));
        for (key, id) in wanted.iter().zip(&ids) {
            let want = array(&case["gradients"][key.as_str()]);
            close(&format!("{name}: d{key}"), made[id.index()].as_ref().unwrap(), &want);
        }
    }
}

#[test]
fn ten_steps_of_every_optimiser_equal_pytorchs() {
    for case in golden()["optimisers"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let start = array(&case["start"]);
        let g = Builder::new();
        let p = g.parameter("p", Type::f32(start.shape), Init::Zeros).unwrap();
        let grad = g.input("grad", Type::f32(start.shape)).unwrap();
        let (lr, step) = (g.input("lr", []).unwrap(), g.input("step", []).unwrap());
        let decoupled = name == "adamw";
        match name {
            "sgd" => {
                let sgd =
                    Sgd { momentum: 0.9, nesterov: true, weight_decay: 0.1, ..Sgd::default() };
                g.sgd(sgd, &[p], &[grad], lr).unwrap();
            }
            _ => {
                let adam = Adam { weight_decay: 0.1, decoupled, ..Adam::default() };
                g.adam(adam, &[p], &[grad], lr, step).unwrap();
            }
        }
        let graph = g.finish().unwrap();
        let mut state: HashMap<String, Array> = HashMap::from([("p".into(), start.clone())]);
        for (i, gradient) in case["gradients"].as_array().unwrap().iter().enumerate() {
            let leaf = |label: &str| match label {
                "grad" => array(gradient),
                "lr" => Array::scalar(0.05),
                "step" => Array::scalar(i as f64 + 1.0),
                other => state.get(other).cloned().unwrap_or(Array::full(start.shape, 0.0)),
            };
            let made = graph.evaluate(|v| Some(leaf(&graph.label(v)))).unwrap();
            let updates = graph.updates().iter();
            state = updates
                .map(|u| (graph.label(u.state), made[u.value.index()].clone().unwrap()))
                .collect();
        }
        close(name, &state["p"], &array(&case["end"]));
    }
}
