//! What FANN prints to standard output about a network.

use std::fmt::Write;

use whimbrel_fann::{Activation, Algorithm, ErrorFunction, NetworkType, StopFunction};

use crate::edge::export;
use crate::layout::{Ann, Real};
use crate::stream::print;

/// The name of a number of an enumeration.
macro_rules! name {
    ($kind:ident, $code:expr) => {
        $kind::from_code($code).map_or("(unknown)", $kind::name)
    };
}

/// The letter of a weight: from `a` downwards for negative ones, from `A` upwards for others, `Z` and `z` for
/// everything beyond 25.
fn letter(weight: Real) -> u8 {
    let size = ((f64::from(weight.abs()) + 0.5) as u8).min(25);
    if weight < 0.0 { b'a' + size } else { b'A' + size }
}

export! {
    /// A line for every neuron, with a letter for every connection.
    fn fann_print_connections(ann: &mut Ann) {
        let count = ann.told_neurons().saturating_sub(ann.num_output) as usize;
        let digits = (0..count).map(|i| char::from(b'0' + (i % 10) as u8)).collect::<String>();
        let mut text = format!("Layer / Neuron {digits}\n");
        for layer in 1..ann.layer_count() {
            for index in ann.layers().neurons(layer) {
                let mut line = vec![b'.'; count];
                for connection in ann.neurons()[index].connections() {
                    if let Some(place) = line.get_mut(ann.sources().at(connection)) {
                        *place = letter(ann.weights()[connection]);
                    }
                }
                let line = String::from_utf8_lossy(&line);
                let _ = writeln!(text, "L {layer:3} / N {index:4} {line}");
            }
        }
        print(&text);
    }

    /// All weights as they lie, a star where the room of candidates begins.
    fn fann_print_connections_raw(ann: &mut Ann) {
        let mut text = String::new();
        for (index, weight) in ann.weights().iter().enumerate() {
            if index == ann.total_connections as usize {
                text.push_str("* ");
            }
            let _ = write!(text, "{weight:.6} ");
        }
        text.push_str("\n\n");
        print(&text);
    }

    fn fann_print_parameters(ann: &mut Ann) {
        print(&parameters(ann));
    }
}

/// A line of [`parameters`].
macro_rules! line {
    ($text:expr, $label:literal, $($value:tt)*) => {
        let _ = writeln!($text, "{:<37}:{}", $label, format_args!($($value)*));
    };
}

fn parameters(ann: &Ann) -> String {
    let mut text = String::new();
    line!(text, "Input layer", "{:4} neurons, 1 bias", ann.num_input);
    let bias = usize::from(!ann.is_shortcut());
    for layer in 1..ann.layer_count().saturating_sub(1) {
        let neurons = ann.layers().neurons(layer).len().saturating_sub(bias);
        line!(text, "  Hidden layer", "{neurons:4} neurons, {bias} bias");
    }
    line!(text, "Output layer", "{:4} neurons", ann.num_output);
    line!(text, "Total neurons and biases", "{:4}", ann.told_neurons());
    line!(text, "Total connections", "{:4}", ann.total_connections);
    line!(text, "Connection rate", "{:8.3}", ann.connection_rate);
    line!(text, "Network type", "   {}", name!(NetworkType, ann.network_type));
    line!(text, "Training algorithm", "   {}", name!(Algorithm, ann.training_algorithm));
    let error = name!(ErrorFunction, ann.train_error_function);
    line!(text, "Training error function", "   {error}");
    let stop = name!(StopFunction, ann.train_stop_function);
    line!(text, "Training stop function", "   {stop}");
    line!(text, "Bit fail limit", "{:8.3}", ann.bit_fail_limit);
    line!(text, "Learning rate", "{:8.3}", ann.learning_rate);
    line!(text, "Learning momentum", "{:8.3}", ann.learning_momentum);
    line!(text, "Quickprop decay", "{:11.6}", ann.quickprop_decay);
    line!(text, "Quickprop mu", "{:8.3}", ann.quickprop_mu);
    line!(text, "RPROP increase factor", "{:8.3}", ann.rprop_increase_factor);
    line!(text, "RPROP decrease factor", "{:8.3}", ann.rprop_decrease_factor);
    line!(text, "RPROP delta min", "{:8.3}", ann.rprop_delta_min);
    line!(text, "RPROP delta max", "{:8.3}", ann.rprop_delta_max);
    cascade(ann, &mut text);
    text
}

fn cascade(ann: &Ann, text: &mut String) {
    line!(text, "Cascade output change fraction", "{:11.6}", ann.cascade_output_change_fraction);
    let fraction = ann.cascade_candidate_change_fraction;
    line!(text, "Cascade candidate change fraction", "{fraction:11.6}");
    line!(text, "Cascade output stagnation epochs", "{:4}", ann.cascade_output_stagnation_epochs);
    let epochs = ann.cascade_candidate_stagnation_epochs;
    line!(text, "Cascade candidate stagnation epochs", "{epochs:4}");
    line!(text, "Cascade max output epochs", "{:4}", ann.cascade_max_out_epochs);
    line!(text, "Cascade min output epochs", "{:4}", ann.cascade_min_out_epochs);
    line!(text, "Cascade max candidate epochs", "{:4}", ann.cascade_max_cand_epochs);
    line!(text, "Cascade min candidate epochs", "{:4}", ann.cascade_min_cand_epochs);
    line!(text, "Cascade weight multiplier", "{:8.3}", ann.cascade_weight_multiplier);
    line!(text, "Cascade candidate limit", "{:8.3}", ann.cascade_candidate_limit);
    for (index, value) in ann.cascade_functions().iter().enumerate() {
        let value = name!(Activation, *value);
        let _ = writeln!(text, "Cascade activation functions[{index}]      :   {value}");
    }
    for (index, value) in ann.cascade_steepnesses().iter().enumerate() {
        let _ = writeln!(text, "Cascade activation steepnesses[{index}]    :{value:8.3}");
    }
    line!(text, "Cascade candidate groups", "{:4}", ann.cascade_num_candidate_groups);
    line!(text, "Cascade no. of candidates", "{:4}", ann.candidate_count());
}
