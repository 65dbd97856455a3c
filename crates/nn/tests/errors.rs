//! Mistakes are named with layer, shapes and remedy, before anything runs.

use whimbrel_graph::{Builder, Type};
use whimbrel_nn::layers::*;
use whimbrel_nn::losses::{Criterion, CrossEntropy, Gaussian, Loss, Mase, Mse, MultiQuantile};
use whimbrel_nn::optimisers::{Adam, Clip, Group, Optimiser, Sgd};
use whimbrel_nn::{NnError, Scope};

#[track_caller]
fn says<T: std::fmt::Debug>(result: Result<T, NnError>, parts: &[&str]) {
    let message = result.unwrap_err().to_string();
    for part in parts {
        assert!(message.contains(part), "\"{message}\" does not say \"{part}\"");
    }
}

/// What a network says of an input of this type.
#[track_caller]
fn refuses(network: Sequential, ty: impl Into<Type>, parts: &[&str]) {
    let g = Builder::new();
    let x = g.batch("x", ty).unwrap();
    says(network.forward(x, &Scope::training(&g)), parts);
}

fn after_relu(layer: impl Into<Layer>) -> Sequential {
    Sequential::new().then(Relu).then(layer)
}

#[test]
fn shapes_that_do_not_fit_are_named_with_layer_and_remedy() {
    let wrong = Linear { in_features: Some(5), ..Linear::new(2) };
    refuses(
        after_relu(wrong),
        [4, 32],
        &["layer 1 (linear)", "expects 5", "f32[4, 32]", "set in_features to 4"],
    );
    refuses(after_relu(Lstm::new(3)), [4, 32], &["layer 1 (lstm)", "[time, channel, batch]"]);
    refuses(after_relu(MultiheadAttention::new(3)), [5, 4, 32], &["3 heads", "num_heads"]);
    let grouped = Conv1d { groups: 3, ..Conv1d::new(6, 3) };
    refuses(after_relu(grouped), [9, 4, 32], &["layer 1 (conv1d)", "3 groups", "f32[9, 4, 32]"]);
    let long =
        ["layer 1 (conv1d)", "11 steps at once, and there are 9 with padding", "kernel_size"];
    refuses(after_relu(Conv1d::new(6, 11)), [9, 4, 32], &long);
    let long = ["layer 1 (avg_pool1d)", "10 steps at once, and there are 9", "f32[9, 4, 32]"];
    refuses(after_relu(AvgPool1d::new(10)), [9, 4, 32], &long);
    refuses(after_relu(Glu), [5, 32], &["layer 1 (glu)", "even"]);
    refuses(after_relu(Embedding::new(5, 2)), [5, 32], &["layer 1 (embedding)", "i32"]);
    let shape = vec![3, 2];
    refuses(after_relu(Reshape { shape }), [5, 32], &["layer 1 (reshape)", "[3, 2]", "f32[5, 32]"]);
}

#[test]
fn inner_layers_are_named_by_their_whole_path() {
    let inner = Sequential::new().then(Linear::new(3));
    refuses(after_relu(Residual::around(inner)), [4, 32], &["layer 1 (residual)", "f32[3, 32]"]);
    let wrong = Linear { in_features: Some(5), ..Linear::new(2) };
    let branches = vec![vec![Relu.into()], vec![wrong.into()]];
    let parallel = Parallel { branches, merge: Merge::Sum };
    refuses(after_relu(parallel), [4, 32], &["layer 1.1.0 (linear)", "expects 5"]);
    let parallel = Parallel { branches: Vec::new(), merge: Merge::Sum };
    refuses(after_relu(parallel), [4, 32], &["layer 1 (parallel)", "at least one"]);
}

#[test]
fn settings_that_cannot_be_are_refused() {
    refuses(after_relu(Linear::new(0)), [4, 32], &["out_features is 0", "at least 1"]);
    refuses(after_relu(Gru::new(0)), [5, 4, 32], &["layer 1 (gru)", "hidden_size is 0"]);
    refuses(after_relu(Dropout { p: 1.5 }), [4, 32], &["layer 1 (dropout)", "p is 1.5"]);
    refuses(after_relu(Dropout { p: 0.5 }), [4, 32], &["random numbers", "with_random"]);
    let sequence = [5, 4, 32];
    refuses(after_relu(MaxPool1d::new(0)), sequence, &["layer 1 (max_pool1d)", "kernel_size is 0"]);
    let still = AvgPool1d { stride: Some(0), ..AvgPool1d::new(2) };
    refuses(after_relu(still), sequence, &["layer 1 (avg_pool1d)", "stride is 0"]);
    let padded = MaxPool1d { padding: 2, ..MaxPool1d::new(3) };
    refuses(after_relu(padded), sequence, &["padding is 2", "at most half of kernel_size, 1"]);
    let normed = LayerNorm { eps: -1.0, ..LayerNorm::default() };
    refuses(after_relu(normed), sequence, &["layer 1 (layer_norm)", "eps is -1", "not below 0"]);
    let normed = RmsNorm { eps: f32::NAN, ..RmsNorm::default() };
    refuses(after_relu(normed), sequence, &["layer 1 (rms_norm)", "eps is NaN"]);
    let normed = BatchNorm1d { momentum: 2.0, ..BatchNorm1d::default() };
    refuses(after_relu(normed), sequence, &["layer 1 (batch_norm1d)", "momentum is 2"]);
    refuses(after_relu(PositionalEncoding { base: 0.0 }), sequence, &["base is 0", "above 0"]);
    refuses(after_relu(PositionalEmbedding { std: -1.0 }), sequence, &["std is -1"]);

    let g = Builder::new();
    let loss = g.parameter("w", [1, 1], whimbrel_graph::Init::Zeros).unwrap();
    let negative = Optimiser::new(Adam { lr: -1.0, ..Adam::default() });
    says(negative.minimise(loss), &["optimiser adam", "lr is -1", "not below 0"]);
    let still = Optimiser::new(Sgd { nesterov: true, ..Sgd::default() });
    says(still.minimise(loss), &["optimiser sgd", "momentum is 0", "nesterov"]);
    let clip = Optimiser { clip: Some(Clip::Norm(0.0)), ..Optimiser::new(Sgd::default()) };
    says(clip.minimise(loss), &["clip", "above 0"]);
    let groups = vec![Group { lr_scale: 0.1, ..Group::new("*.bias") }];
    let grouped = Optimiser { groups, ..Optimiser::new(Sgd::default()) };
    says(grouped.minimise(loss), &["parameters is *.bias", "no parameter has such a name", "w"]);
}

#[test]
fn losses_name_what_does_not_fit() {
    let g = Builder::new();
    let (x, y) = (g.batch("x", [4, 8]).unwrap(), g.batch("y", [3, 8]).unwrap());
    says(Mse.loss(x, y), &["loss mse", "f32[4, 8]", "f32[3, 8]", "last layer"]);
    says(CrossEntropy::default().loss(x, y), &["loss cross_entropy", "i32", "f32[4, 8]"]);
    says(Gaussian::default().loss(x, y), &["loss gaussian", "2 predictions", "6 channels"]);
    let none = MultiQuantile { quantiles: vec![1.5] };
    says(none.loss(x, y), &["loss multi_quantile", "1.5", "between 0 and 1"]);
    says(Loss::from(Mase::default()).loss(x, x), &["loss mase", "with_history"]);
}

#[test]
fn files_with_unknown_fields_or_layers_are_refused() {
    let read = |text: &str| serde_json::from_str::<Layer>(text).unwrap_err().to_string();
    let misspelt = read(r#"{"type": "linear", "out_feature": 3}"#);
    assert!(misspelt.contains("out_feature") && misspelt.contains("out_features"), "{misspelt}");
    assert!(read(r#"{"type": "linar", "out_features": 3}"#).contains("linear"));
    assert!(serde_json::from_str::<Layer>(r#"{"type": "relu", "slope": 1}"#).is_err());
    assert!(read(r#"{"type": "lstm"}"#).contains("hidden_size"));
    let rule = r#"{"rule": {"type": "adam", "beta": 1}}"#;
    assert!(serde_json::from_str::<Optimiser>(rule).unwrap_err().to_string().contains("beta"));
}

#[test]
fn networks_are_read_as_they_were_written() {
    let network = Sequential::new()
        .then(Conv1d { padding: Padding::Named(PaddingRule::Causal), ..Conv1d::new(6, 3) })
        .then(Relu)
        .then(Residual::around(Sequential::new().then(Lstm::new(6)).then(Dropout::default())))
        .then(LastStep)
        .then(Linear::new(2));
    let text = serde_json::to_string(&network).unwrap();
    assert_eq!(serde_json::from_str::<Sequential>(&text).unwrap(), network);
}
