//! Every layer gives what PyTorch gives, forward and backward.

mod golden;

use golden::{Case, cases, close, covered, every, setting, write};
use whimbrel_engine::Session;
use whimbrel_graph::Builder;
use whimbrel_nn::Scope;
use whimbrel_nn::layers::{
    Approximation, Forward, Layer, Merge, MultiheadAttention, Nonlinearity, Padding, PaddingRule,
};

/// The layer of a case, whose settings also say whether it learns.
fn layer(case: &Case) -> Layer {
    let mut settings = case.settings.clone();
    settings.as_object_mut().unwrap().remove("training").unwrap();
    serde_json::from_value(settings).unwrap_or_else(|e| panic!("{}: {e}", case.name))
}

fn check(case: &Case) {
    let training = case.settings["training"].as_bool().unwrap();
    let layer = layer(case);
    let g = Builder::new();
    let x = g.batch("x", case.get("x").ty).unwrap();
    let dy = g.batch("dy", case.get("dy").ty).unwrap();
    let scope = if training { Scope::training(&g) } else { Scope::predicting(&g) };
    let y = layer.forward(x, &scope).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    assert_eq!(y.shape(), dy.shape(), "{}", case.name);
    let parameters = g.parameters();
    let mut names: Vec<_> = parameters.iter().map(|&p| g.label(p)).collect();
    let (count, mut wanted) = (parameters.len(), parameters);
    if case.find("dx").is_some() {
        names.push("x".into());
        wanted.push(x);
    }
    let gradients = g.gradients(y.mul(dy).unwrap().sum().unwrap(), &wanted).unwrap();
    g.output("y", y);
    for (name, gradient) in names.iter().zip(gradients) {
        g.output(&format!("grad/{name}"), gradient);
    }
    let mut session = Session::new(&g.finish().unwrap()).unwrap();
    write(&mut session, "x", case.get("x"));
    write(&mut session, "dy", case.get("dy"));
    for (name, tensor) in case.under("state/") {
        session.write_state(name, &tensor.data).unwrap();
    }
    session.run().unwrap();

    let name = &case.name;
    close(&format!("{name}: y"), &session.read("y").unwrap(), case.get("y"));
    if let Some(dx) = case.find("dx") {
        close(&format!("{name}: dx"), &session.read("grad/x").unwrap(), dx);
    }
    let expected: Vec<_> = case.under("grad/").collect();
    assert_eq!(expected.len(), count, "{name}: parameters");
    for (parameter, gradient) in expected {
        let got = session.read(&format!("grad/{parameter}")).unwrap();
        close(&format!("{name}: d{parameter}"), &got, gradient);
    }
    for (state, after) in case.under("after/") {
        close(&format!("{name}: {state}"), &session.read_state(state).unwrap(), after);
    }
}

#[test]
fn every_layer_equals_pytorchs_forward_and_backward() {
    for case in cases("layers") {
        check(&case);
    }
}

#[test]
fn no_layer_is_without_a_case() {
    let layers = every! { Layer:
        Linear = "linear", Conv1d = "conv1d", MaxPool1d = "max_pool1d", AvgPool1d = "avg_pool1d",
        AdaptiveMaxPool1d = "adaptive_max_pool1d", AdaptiveAvgPool1d = "adaptive_avg_pool1d",
        BatchNorm1d = "batch_norm1d_training", LayerNorm = "layer_norm", RmsNorm = "rms_norm",
        Dropout = "dropout", Embedding = "embedding", Rnn = "rnn", Lstm = "lstm", Gru = "gru",
        MultiheadAttention = "multihead_attention", PositionalEncoding = "positional_encoding",
        PositionalEmbedding = "positional_embedding", Sequential = "sequential",
        Residual = "residual", Parallel = "parallel_concat", Flatten = "flatten",
        Reshape = "reshape", Transpose = "transpose", LastStep = "last_step", Relu = "relu",
        Relu6 = "relu6", LeakyRelu = "leaky_relu", Prelu = "prelu", Elu = "elu", Celu = "celu",
        Selu = "selu", Gelu = "gelu", Silu = "silu", Mish = "mish", Softplus = "softplus",
        Softsign = "softsign", Tanh = "tanh", Tanhshrink = "tanhshrink", Hardtanh = "hardtanh",
        Sigmoid = "sigmoid", LogSigmoid = "log_sigmoid", Hardsigmoid = "hardsigmoid",
        Hardswish = "hardswish", Glu = "glu", Softmax = "softmax", LogSoftmax = "log_softmax",
    };
    covered("layers", layers, layer);
    let merges = every! { Merge: Concat = "parallel_concat", Sum = "parallel_sum", Product = "parallel_product", };
    covered("layers", merges, |case| setting(&layer(case), "merge"));
    let paddings = every! { Padding: Both = "conv1d_all", Named = "conv1d_same", };
    covered("layers", paddings, |case| setting(&layer(case), "padding"));
    let rules = every! { PaddingRule: Valid = "conv1d_valid", Same = "conv1d_same", Causal = "conv1d_causal", };
    covered("layers", rules, |case| setting(&layer(case), "padding"));
    let cells = every! { Nonlinearity: Tanh = "rnn", Relu = "rnn_relu", };
    covered("layers", cells, |case| setting(&layer(case), "nonlinearity"));
    let approximations = every! { Approximation: None = "gelu", Tanh = "gelu_tanh", };
    covered("layers", approximations, |case| setting(&layer(case), "approximate"));
}

#[test]
fn attention_to_other_steps_equals_pytorchs_forward_and_backward() {
    for case in cases("attend") {
        let name = &case.name;
        let attention: MultiheadAttention = serde_json::from_value(case.settings.clone()).unwrap();
        let g = Builder::new();
        let input = |what: &str| {
            let tensor = case.find(&format!("input/{what}"))?;
            Some(g.input(what, tensor.ty).unwrap())
        };
        let read = ["query", "key", "value"].map(|what| input(what).unwrap());
        let additive = input("additive");
        let dy = g.input("dy", case.get("dy").ty).unwrap();
        let y = attention.attend(read, additive, &Scope::training(&g)).unwrap();
        let wanted: Vec<_> = g.parameters().into_iter().chain(read).chain(additive).collect();
        let gradients = g.gradients(y.mul(dy).unwrap().sum().unwrap(), &wanted).unwrap();
        assert_eq!(case.under("grad/").count(), wanted.len(), "{name}");
        for (value, gradient) in wanted.into_iter().zip(gradients) {
            g.output(&format!("grad/{}", g.label(value)), gradient);
        }
        g.output("y", y);
        let mut session = Session::new(&g.finish().unwrap()).unwrap();
        for (what, tensor) in case.under("input/").chain([("dy", case.get("dy"))]) {
            write(&mut session, what, tensor);
        }
        for (parameter, tensor) in case.under("state/") {
            session.write_state(parameter, &tensor.data).unwrap();
        }
        session.run().unwrap();
        close(&format!("{name}: y"), &session.read("y").unwrap(), case.get("y"));
        for (what, gradient) in case.under("grad/") {
            let got = session.read(&format!("grad/{what}")).unwrap();
            close(&format!("{name}: d{what}"), &got, gradient);
        }
    }
}

#[test]
fn attention_to_the_same_steps_is_self_attention() {
    let attention = MultiheadAttention::new(2);
    let y = |attend: bool| {
        let g = Builder::new();
        let x = g.batch("x", [5, 4, 3]).unwrap();
        let scope = Scope::predicting(&g);
        let y = match attend {
            true => attention.attend([x, x, x], None, &scope),
            false => attention.forward(x, &scope),
        };
        g.output("y", y.unwrap());
        let mut session = Session::new(&g.finish().unwrap()).unwrap();
        let content: Vec<f32> = (0..60).map(|i| (i as f32 * 0.37).sin()).collect();
        session.write("x", &content).unwrap();
        session.run().unwrap();
        session.read("y").unwrap()
    };
    for (a, b) in y(true).iter().zip(y(false)) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
}
