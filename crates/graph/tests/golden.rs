//! Composites, functions and optimisers give what PyTorch gives, forward and backward, in f64; the last
//! test says that none is without a case.

#[path = "golden/cases.rs"]
mod cases;

use cases::{Built, array, arrays, built, golden};
use std::collections::{BTreeSet, HashMap};
use whimbrel_graph::ops::{Adam, PoolOp, RnnActivation, Sgd, UnaryOp};
use whimbrel_graph::{Array, Builder, Graph, Init, Op, Type};
use whimbrel_tensor::Shape;

const TOLERANCE: f64 = 1e-6;

#[track_caller]
fn close(what: &str, got: &Array, want: &Array) {
    assert_eq!(got.data.len(), want.data.len(), "{what}: {} against {}", got.shape, want.shape);
    let scale = want.data.iter().fold(1e-3f64, |s, x| s.max(x.abs()));
    for (i, (got, want)) in got.data.iter().zip(&want.data).enumerate() {
        assert!((got - want).abs() <= TOLERANCE * scale, "{what}[{i}]: {got} instead of {want}");
    }
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
