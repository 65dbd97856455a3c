//! What other programs are given: weights by PyTorch's conventions, and refusals by name.

use whimbrel_engine::Session;
use whimbrel_graph::Builder;
use whimbrel_nn::Scope;
use whimbrel_nn::export::{onnx, state_dict};
use whimbrel_nn::layers::{
    Conv1d, Embedding, Flatten, Forward, Linear, Prelu, Reshape, Residual, Sequential,
};

/// A session of a network for rows of `features` inputs.
fn session(network: &Sequential, features: usize) -> Session {
    let g = Builder::new();
    let x = network.input(&g, features, 2).unwrap();
    g.output("y", network.forward(x, &Scope::predicting(&g)).unwrap());
    Session::new(&g.finish().unwrap()).unwrap()
}

#[test]
fn a_weight_of_a_convolution_has_its_taps_last() {
    let network = Sequential::new()
        .then(Reshape { shape: vec![4, 2] })
        .then(Residual { layers: vec![same(2, 3).into()] });
    let mut session = session(&network, 8);
    // Tap t, output o, input i has the number 100 t + 10 o + i.
    let numbers: Vec<f32> =
        (0..12).map(|at| (100 * (at / 4) + 10 * (at / 2 % 2) + at % 2) as f32).collect();
    session.write_state("1.0.weight", &numbers).unwrap();
    let weights = state_dict(&network, &session).unwrap();
    let weight = weights.iter().find(|weight| weight.name == "1.0.weight").unwrap();
    assert_eq!(weight.shape, [2, 2, 3]);
    assert_eq!(weight.data[..6], [0.0, 100.0, 200.0, 1.0, 101.0, 201.0]);
    let bias = weights.iter().find(|weight| weight.name == "1.0.bias").unwrap();
    assert_eq!(bias.shape, [2]);
}

fn same(channels: usize, taps: usize) -> Conv1d {
    use whimbrel_nn::layers::{Padding, PaddingRule};
    Conv1d { padding: Padding::Named(PaddingRule::Same), ..Conv1d::new(channels, taps) }
}

#[test]
fn a_dense_layer_of_one_input_keeps_both_axes() {
    let network = Sequential::new().then(Linear::new(3)).then(Prelu::default());
    let weights = state_dict(&network, &session(&network, 1)).unwrap();
    let shape = |name: &str| weights.iter().find(|w| w.name == name).unwrap().shape.clone();
    assert_eq!(shape("0.weight"), [3, 1]);
    assert_eq!(shape("0.bias"), [3]);
    assert_eq!(shape("1.weight"), [1]);
}

#[test]
fn the_vector_of_nothing_is_zeros_elsewhere() {
    let padded = Embedding { padding_idx: Some(1), ..Embedding::new(3, 2) };
    let network = Sequential::new().then(padded).then(Flatten);
    let weights = state_dict(&network, &session(&network, 4)).unwrap();
    assert_eq!(weights[0].shape, [3, 2]);
    let zeros: Vec<bool> = weights[0].data.iter().map(|&x| x == 0.0).collect();
    assert_eq!(zeros, [false, false, true, true, false, false]);
}

#[test]
fn layers_that_do_not_fit_are_refused_by_name() {
    let inner = Residual { layers: vec![Embedding::new(3, 2).into()] };
    let network = Sequential::new().then(Flatten).then(inner);
    let message = onnx(&network, 1, Vec::new(), None).unwrap_err().to_string();
    assert!(message.starts_with("layer 1.0 (embedding): needs indices, i32"), "{message}");
    assert!(message.ends_with("make it the first layer"), "{message}");
}
