//! Network files of version 1.1, which libfann still reads: numbers without names, and functions for all neurons.

use super::Description;
use super::net::{Reader, connections};
use super::number::Number;
use super::scan::Scanner;
use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::parameters::{CascadeParameters, NetworkType, TrainParameters};

struct Head<V> {
    layers: usize,
    learning_rate: f32,
    connection_rate: f32,
    network_type: NetworkType,
    hidden: (Activation, V),
    output: (Activation, V),
}

fn head<V: Number>(s: &mut Scanner<'_>) -> Option<Head<V>> {
    let layers = s.unsigned().filter(|n| *n >= 2)? as usize;
    let (learning_rate, connection_rate) = (f32::scan(s)?, f32::scan(s)?);
    let network_type = NetworkType::from_code(s.unsigned()?)?;
    let mut function = || Activation::from_code(s.unsigned()?);
    let (hidden, output) = (function()?, function()?);
    let (hidden, output) = ((hidden, V::scan(s)?), (output, V::scan(s)?));
    s.space();
    Some(Head { layers, learning_rate, connection_rate, network_type, hidden, output })
}

/// What follows the version.
pub(super) fn parse<V: Number>(r: &mut Reader<'_>) -> Result<Description<V>> {
    let decimal_point = match V::KIND {
        i32::KIND => {
            let point = r.scanner.unsigned().filter(|n| *n < 31);
            point.ok_or_else(|| r.bad("decimal_point"))?
        }
        _ => 0,
    };
    let head = head::<V>(&mut r.scanner).ok_or_else(|| r.bad("parameters"))?;
    let mut training = TrainParameters::with_limit(V::default());
    training.learning_rate = head.learning_rate;
    let cascade = CascadeParameters::with(V::default(), V::default(), Vec::new());
    let mut d = Description::empty(head.network_type, head.connection_rate, training, cascade);
    d.decimal_point = decimal_point;
    let bad = || Error::CantReadNeuron { file: r.file.into() };
    let mut total = 0usize;
    for _ in 0..head.layers {
        let size = r.scanner.unsigned().ok_or_else(bad)? as usize;
        total = total.checked_add(size).filter(|n| *n <= i32::MAX as usize).ok_or_else(bad)?;
        d.sizes.push(size);
    }
    let inputs = d.sizes.first().copied().unwrap_or(0);
    let outputs = total - d.sizes.last().copied().unwrap_or(0);
    for neuron in 0..total {
        d.counts.push(r.scanner.unsigned().ok_or_else(bad)?);
        let (function, steepness) = match neuron {
            _ if neuron < inputs => (Activation::Linear, V::default()),
            _ if neuron < outputs => head.hidden,
            _ => head.output,
        };
        d.functions.push(function);
        d.steepness.push(steepness);
    }
    r.scanner.space();
    connections(r, &mut d, " ")?;
    Ok(d)
}
