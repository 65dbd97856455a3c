//! `whimbrel fann convert`: between FANN's networks and the house's.

use super::{network, unwritten};
use crate::cli::ConvertFann;
use crate::command::net::{Format, Learned};
use crate::command::output::check_file;
use crate::command::terminal::print;
use crate::failure::Failure;
use serde_json::json;
use std::path::Path;
use whimbrel::fann::{Activation, Network, NetworkType};
use whimbrel::nn::export::Weight;
use whimbrel::nn::layers::{Layer, Linear, Sequential, Sigmoid, Softsign, Tanh};

pub fn run(options: &ConvertFann) -> Result<(), Failure> {
    let (from, out) = (options.from.as_path(), options.out.as_path());
    check_file("--out", out, &[from], options.force)?;
    if options.fixed && ending(out) != "net" {
        return Err(Failure::input("--fixed: only .net files hold whole numbers"));
    }
    let written = match (ending(from), ending(out)) {
        ("toml", "net") => save(&from_layers(from)?, out, options.fixed)?,
        (_, "net") => save(&network(from)?, out, options.fixed)?,
        (_, "safetensors" | "onnx") => {
            let format = Format::of(out)?;
            let refuse = |why: String| Failure::input(format!("{}: {why}", from.display()));
            let learned = to_layers(&network(from)?).map_err(refuse)?;
            let count = learned.write(format, out, Failure::input)?;
            Written { count, key: "numbers", words: "numbers" }
        }
        _ => {
            return Err(Failure::input(format!(
                "{}: the format is not known; let the name end in .net, .safetensors or .onnx",
                out.display()
            )));
        }
    };
    let (file, Written { count, key, words }) = (out.display(), written);
    if options.json {
        let result = json!({ "file": file.to_string(), "format": ending(out), key: count });
        return print(format_args!("{result}\n"));
    }
    print(format_args!("{file}: {count} {words}\n"))
}

/// What the file written holds: how many, their name in JSON and in words.
struct Written {
    count: usize,
    key: &'static str,
    words: &'static str,
}

fn ending(path: &Path) -> &str {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or_default()
}

fn save(network: &Network<f32>, out: &Path, fixed: bool) -> Result<Written, Failure> {
    if fixed {
        let count = network.save_to_fixed(out).map_err(unwritten)? as usize;
        return Ok(Written { count, key: "decimal_point", words: "bits after the point" });
    }
    network.save(out).map_err(unwritten)?;
    Ok(Written { count: network.total_connections(), key: "weights", words: "weights" })
}

/// The layers that compute the same as a network, or why there are none.
fn to_layers(network: &Network<f32>) -> Result<Learned, String> {
    if network.network_type() == NetworkType::Shortcut || network.connection_rate() < 1.0 {
        return Err(
            "only fully connected networks without shortcuts have layers of one kind".into()
        );
    }
    if network.scaling().is_some() {
        return Err("inputs and outputs are scaled, which no layer does; clear the scaling".into());
    }
    let (mut layers, mut weights) = (Vec::new(), Vec::new());
    let sizes = network.layer_sizes();
    let mut rest = network.weights();
    for (number, pair) in sizes.windows(2).enumerate() {
        let [inputs, outputs] = [pair[0], pair[1]];
        let (function, factor) = function_of(network, number + 1, outputs)?;
        let (own, others) = rest.split_at(outputs * (inputs + 1));
        rest = others;
        let rows = || own.chunks_exact(inputs + 1);
        let matrix = rows().flat_map(|row| row[..inputs].iter().map(|w| w * factor)).collect();
        let bias = rows().map(|row| row[inputs] * factor).collect();
        let place = layers.len();
        weights.push(Weight { name: format!("{place}.bias"), shape: vec![outputs], data: bias });
        weights.push(Weight {
            name: format!("{place}.weight"),
            shape: vec![outputs, inputs],
            data: matrix,
        });
        layers.push(Linear::new(outputs).into());
        layers.extend(function);
    }
    Ok(Learned {
        network: Sequential { layers },
        features: network.num_input(),
        weights,
        means: None,
    })
}

/// The layer that stands for the function all neurons of a layer have, and what their sums are multiplied by.
fn function_of(
    network: &Network<f32>,
    layer: usize,
    neurons: usize,
) -> Result<(Option<Layer>, f32), String> {
    let of = |neuron| {
        let function = network.activation_function(layer, neuron).map_err(|e| e.to_string())?;
        let steepness = network.activation_steepness(layer, neuron).map_err(|e| e.to_string())?;
        Ok((function, steepness))
    };
    let (function, steepness) = of(0)?;
    for neuron in 1..neurons {
        let other: Result<_, String> = of(neuron);
        if other? != (function, steepness) {
            return Err(format!("the neurons of layer {layer} have different functions"));
        }
    }
    match function {
        Activation::Linear => Ok((None, steepness)),
        Activation::Sigmoid => Ok((Some(Sigmoid {}.into()), 2.0 * steepness)),
        Activation::SigmoidSymmetric => Ok((Some(Tanh {}.into()), steepness)),
        Activation::ElliotSymmetric => Ok((Some(Softsign {}.into()), steepness)),
        other => Err(format!("no layer computes {}", other.name())),
    }
}

/// The network of a file that has been trained.
fn from_layers(path: &Path) -> Result<Network<f32>, Failure> {
    let Learned { network, features, weights, means } = Learned::read(path)?;
    let refuse = |why: String| Failure::input(format!("{}: {why}", path.display()));
    if means.is_some() {
        return Err(refuse("FANN has no inputs that may be missing".into()));
    }
    let mut sizes = vec![features];
    let mut functions = Vec::new();
    for layer in &network.layers {
        let function = match layer {
            Layer::Linear(linear) if linear.bias => {
                sizes.push(linear.out_features);
                functions.push((Activation::Linear, 1.0));
                continue;
            }
            Layer::Sigmoid(_) => (Activation::Sigmoid, 0.5),
            Layer::Tanh(_) => (Activation::SigmoidSymmetric, 1.0),
            Layer::Softsign(_) => (Activation::ElliotSymmetric, 1.0),
            other => return Err(refuse(format!("FANN has no layer {}", other.kind()))),
        };
        match functions.last_mut() {
            Some(last) if last.0 == Activation::Linear => *last = function,
            _ => return Err(refuse(format!("FANN has no layer {} without weights", layer.kind()))),
        }
    }
    let failed = |error: whimbrel::fann::Error| refuse(error.to_string());
    let mut made = Network::standard(&sizes).map_err(failed)?;
    for (number, (function, steepness)) in functions.into_iter().enumerate() {
        made.set_activation_function_layer(function, number + 1).map_err(failed)?;
        made.set_activation_steepness_layer(steepness, number + 1).map_err(failed)?;
    }
    let find = |ending: &str| {
        let own = weights.iter().filter(move |weight| weight.name.ends_with(ending));
        let mut own: Vec<&Weight> = own.collect();
        own.sort_by_key(|weight| {
            weight.name.split('.').next().and_then(|n| n.parse::<usize>().ok())
        });
        own
    };
    let (matrices, biases) = (find(".weight"), find(".bias"));
    let rows = matrices.iter().zip(biases).flat_map(|(matrix, bias)| {
        let width = matrix.shape.get(1).copied().unwrap_or(1).max(1);
        matrix.data.chunks_exact(width).zip(&bias.data)
    });
    let all = rows.flat_map(|(row, bias)| row.iter().chain(std::iter::once(bias)));
    made.weights_mut().iter_mut().zip(all).for_each(|(to, from)| *to = *from);
    Ok(made)
}
