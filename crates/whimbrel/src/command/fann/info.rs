//! `whimbrel fann info`.

use super::{network, short};
use crate::cli::InfoFann;
use crate::command::terminal::print;
use crate::failure::Failure;
use serde_json::{Value, json};
use whimbrel::chart::Table;
use whimbrel::fann::Network;

pub fn run(options: &InfoFann) -> Result<(), Failure> {
    let network = network(&options.net)?;
    if options.json {
        return print(format_args!("{}\n", as_json(&network)));
    }
    let (kind, rate) = (network.network_type().name(), network.connection_rate());
    let kind = short(kind, "FANN_NETTYPE_");
    let sparse = if rate < 1.0 {
        format!(", {:.0} % of the connections", 100.0 * rate)
    } else {
        String::new()
    };
    let training = &network.training;
    let mut table =
        Table::new(["layer", "neurons", "bias", "function", "steepness"]).left([0, 3, 4]);
    for layer in layers(&network) {
        table.row([
            layer.name,
            layer.neurons.to_string(),
            layer.biases.to_string(),
            layer.functions,
            layer.steepness,
        ]);
    }
    print(format_args!(
        "{}: {kind}{sparse}, {} neurons, {} weights\n\n{table}\ntraining {}, learning rate {}, momentum {}, stops at {}{}\n",
        options.net.display(),
        network.total_neurons(),
        network.total_connections(),
        short(training.training_algorithm.name(), "FANN_TRAIN_"),
        training.learning_rate,
        training.learning_momentum,
        short(training.train_stop_function.name(), "FANN_STOPFUNC_"),
        if network.scaling().is_some() { ", inputs and outputs scaled" } else { "" },
    ))
}

struct Layer {
    name: String,
    neurons: usize,
    biases: usize,
    functions: String,
    steepness: String,
}

/// The layers from the inputs to the outputs. Where neurons of a layer differ, all that occur are named.
fn layers(network: &Network<f32>) -> Vec<Layer> {
    let sizes = network.layer_sizes();
    let last = sizes.len() - 1;
    let layer = |(number, (&neurons, biases)): (usize, (&usize, usize))| {
        let name = match number {
            0 => "input".into(),
            n if n == last => "output".into(),
            n => n.to_string(),
        };
        let of_neurons = (0..neurons).filter(|_| number > 0);
        let functions =
            of_neurons.clone().filter_map(|n| network.activation_function(number, n).ok());
        let functions = distinct(functions.map(|function| short(function.name(), "FANN_")));
        let steepness = of_neurons.filter_map(|n| network.activation_steepness(number, n).ok());
        let steepness = distinct(steepness.map(|steepness| steepness.to_string()));
        Layer { name, neurons, biases, functions, steepness }
    };
    sizes.iter().zip(network.layer_biases()).enumerate().map(layer).collect()
}

fn distinct(names: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all.join(" ")
}

fn as_json(network: &Network<f32>) -> Value {
    let layers = layers(network).into_iter().map(|layer| {
        json!({
            "name": layer.name,
            "neurons": layer.neurons,
            "biases": layer.biases,
            "activation_functions": layer.functions.split_whitespace().collect::<Vec<_>>(),
            "activation_steepnesses": layer.steepness.split_whitespace().map(str::parse::<f64>).filter_map(Result::ok).collect::<Vec<_>>(),
        })
    });
    let training = &network.training;
    json!({
        "network_type": short(network.network_type().name(), "FANN_NETTYPE_"),
        "connection_rate": network.connection_rate(),
        "layers": layers.collect::<Vec<_>>(),
        "total_neurons": network.total_neurons(),
        "total_connections": network.total_connections(),
        "training_algorithm": short(training.training_algorithm.name(), "FANN_TRAIN_"),
        "learning_rate": training.learning_rate,
        "learning_momentum": training.learning_momentum,
        "train_error_function": short(training.train_error_function.name(), "FANN_ERRORFUNC_"),
        "train_stop_function": short(training.train_stop_function.name(), "FANN_STOPFUNC_"),
        "bit_fail_limit": training.bit_fail_limit,
        "scaled": network.scaling().is_some(),
    })
}
