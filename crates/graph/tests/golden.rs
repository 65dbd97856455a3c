//! Composites, functions and optimisers give what PyTorch gives, forward and backward, in f64.
//! `golden/make.py` writes the data; `build` says what a case is, and the last test that none is
//! missing.

use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use whimbrel_graph::ops::{
    Adam, Attention, BatchNorm, Conv1d, Pool1d, PoolOp, RnnActivation, Sgd, UnaryOp,
};
use whimbrel_graph::{Array, Builder, Graph, GraphError, Init, Op, Type, ValueId, Var};
use whimbrel_tensor::Shape;

const TOLERANCE: f64 = 1e-6;

fn golden() -> Value {
    serde_json::from_str(include_str!("golden/golden.json")).unwrap()
}

/// JSON has no infinities: null is the one below all numbers.
fn array(value: &Value) -> Array {
    let number = |x: &Value| if x.is_null() { f64::NEG_INFINITY } else { x.as_f64().unwrap() };
    let numbers = |key: &str| value[key].as_array().unwrap().iter().map(number);
    let sizes: Vec<usize> = numbers("shape").map(|x| x as usize).collect();
    Array { shape: Shape::from_slice(&sizes).unwrap(), data: numbers("data").collect() }
}

/// The tensors of a case under `key`, by name; none if there are none.
fn arrays(case: &Value, key: &str) -> Vec<(String, Array)> {
    let named = case[key].as_object().into_iter().flatten();
    named.map(|(name, value)| (name.clone(), array(value))).collect()
}

#[track_caller]
fn close(what: &str, got: &Array, want: &Array) {
    assert_eq!(got.data.len(), want.data.len(), "{what}: {} against {}", got.shape, want.shape);
    let scale = want.data.iter().fold(1e-3f64, |s, x| s.max(x.abs()));
    for (i, (got, want)) in got.data.iter().zip(&want.data).enumerate() {
        assert!((got - want).abs() <= TOLERANCE * scale, "{what}[{i}]: {got} instead of {want}");
    }
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
struct Built {
    graph: Graph,
    /// What the leaves hold.
    contents: HashMap<String, Array>,
    /// What is to be compared: the result and the gradients.
    made: Vec<(String, ValueId, Array)>,
}

fn built(case: &Value) -> Built {
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
    let mut made = vec![(name.to_string(), y.id(), array(&case["y"]))];
    for ((key, want), grad) in wanted.into_iter().zip(grads) {
        made.push((format!("{name}: d{key}"), grad.id(), want));
    }
    Built { graph: g.finish().unwrap(), contents, made }
}

#[test]
fn results_and_gradients_equal_pytorchs() {
    for case in golden()["cases"].as_array().unwrap() {
        let Built { graph, contents, made } = built(case);
        let values = graph.evaluate(|v| contents.get(&graph.label(v)).cloned()).unwrap();
        for (what, id, want) in made {
            close(&what, values[id.index()].as_ref().unwrap(), &want);
        }
        let after: HashMap<_, _> = arrays(case, "after").into_iter().collect();
        assert_eq!(graph.updates().len(), after.len(), "{}", case["name"]);
        for update in graph.updates() {
            let state = graph.label(update.state);
            close(&state, values[update.value.index()].as_ref().unwrap(), &after[&state]);
        }
    }
}

fn optimiser_step(name: &str, shape: Shape) -> Graph {
    let g = Builder::new();
    let p = g.parameter("p", Type::f32(shape), Init::Zeros).unwrap();
    let grad = g.input("grad", Type::f32(shape)).unwrap();
    let (lr, step) = (g.input("lr", []).unwrap(), g.input("step", []).unwrap());
    let all = name.ends_with("all");
    let weight_decay = if all || name.ends_with("decay") { 0.1 } else { 0.0 };
    let made = match name {
        "sgd" | "sgd_decay" => g.sgd(Sgd { weight_decay, ..Sgd::default() }, &[p], &[grad], lr),
        "sgd_momentum" | "sgd_nesterov" | "sgd_all" => {
            let nesterov = name != "sgd_momentum";
            let sgd = Sgd { momentum: 0.9, nesterov, weight_decay, ..Sgd::default() };
            g.sgd(sgd, &[p], &[grad], lr)
        }
        "adam" | "adam_decay" | "adam_all" | "adamw" | "adamw_all" => {
            let decoupled = name.starts_with("adamw");
            let weight_decay = if decoupled { 0.1 } else { weight_decay };
            let mut adam = Adam { weight_decay, decoupled, ..Adam::default() };
            if all {
                adam = Adam { beta1: 0.8, beta2: 0.99, eps: 0.01, ..adam };
            }
            g.adam(adam, &[p], &[grad], lr, step)
        }
        other => panic!("no such case: {other}"),
    };
    made.unwrap();
    g.finish().unwrap()
}

#[test]
fn ten_steps_of_every_optimiser_equal_pytorchs() {
    for case in golden()["optimisers"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let start = array(&case["start"]);
        let graph = optimiser_step(name, start.shape);
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

/// Sorts the variants of an enum into those that need a case, which have a name and are listed, and
/// others. Without one of them the match does not compile.
macro_rules! sort {
    ($name:ident, $list:ident of $type:ident: $($kind:ident)*; others: $($other:ident)*) => {
        const $list: &[&str] = &[$(stringify!($kind)),*];

        fn $name(x: &$type) -> Option<&'static str> {
            match x {
                $($type::$kind { .. } => Some(stringify!($kind)),)*
                $($type::$other { .. } => None,)*
            }
        }
    };
}

// Primitives have finite differences, `gradients_of_primitives.rs`; what only passes make has the tests of
// passes; random numbers are not PyTorch's.
sort! {
    composite, COMPOSITES of Op:
        Softmax LogSoftmax CrossEntropy CrossEntropyGrad LayerNorm Conv1d Conv1dGradInput Conv1dGradWeight
        Pool1d Pool1dGrad Rnn RnnGrad Lstm LstmGrad Gru GruGrad Attention AttentionGrad AdamRate Adam Sgd;
    others:
        Input State Constant Unary Binary Select Fused Broadcast Reshape Permute Slice Concat Reduce Dot
        Dense Gather StopGradient Pad Cumsum Reverse Iota Cast Random ScatterAdd
}

sort! {
    function, FUNCTIONS of UnaryOp:
        Neg Abs Sign Square Sqrt Rsqrt Recip Exp Log Log1p Sin Cos Tanh Sigmoid Relu Softplus Silu Gelu Erf
        Floor;
    others:
}

sort! { pooling, POOLINGS of PoolOp: Max Average; others: }

sort! { activation, ACTIVATIONS of RnnActivation: Tanh Relu; others: }

#[test]
fn every_composite_and_function_has_a_case() {
    let mut met: [BTreeSet<&str>; 4] = Default::default();
    let golden = golden();
    for case in golden["cases"].as_array().unwrap() {
        let Built { graph, made, .. } = built(case);
        // A function counts where it is the case, not where a composite happens to need it.
        if let Op::Unary(unary) = graph.op_of(made[0].1) {
            met[1].extend(function(&unary.op));
        }
        for node in graph.nodes() {
            met[0].extend(composite(&node.op));
            match &node.op {
                Op::Pool1d(pool) => met[2].extend(pooling(&pool.op)),
                Op::Rnn(rnn) => met[3].extend(activation(&rnn.activation)),
                _ => {}
            }
        }
    }
    for case in golden["optimisers"].as_array().unwrap() {
        let graph = optimiser_step(case["name"].as_str().unwrap(), array(&case["start"]).shape);
        met[0].extend(graph.nodes().iter().filter_map(|node| composite(&node.op)));
    }
    for (met, list) in met.iter().zip([COMPOSITES, FUNCTIONS, POOLINGS, ACTIVATIONS]) {
        let missing: Vec<_> = list.iter().filter(|name| !met.contains(*name)).collect();
        assert!(missing.is_empty(), "no case in golden/make.py has {missing:?}");
    }
}
