//! How parameters begin. Layers have PyTorch's defaults; an [`InitRule`] gives parameters of some names
//! another [`Initialiser`], under PyTorch's names and with its defaults.
//!
//! A bound or deviation follows from the fan: the number of terms that are summed for one output
//! (`fan_in`) or that one input reaches (`fan_out`).

mod fan;
mod initialiser;
mod rule;

pub use fan::{Fan, FanMode, Nonlinearity};
pub use initialiser::Initialiser;
pub use rule::InitRule;

use whimbrel_graph::Init;

/// PyTorch's default for linear and convolutional weights and biases: uniform within
/// `1 / sqrt(fan_in)`, which is `kaiming_uniform` with a slope of `sqrt(5)`.
pub fn default_uniform(fan_in: usize) -> Init {
    let gain = Nonlinearity::LeakyRelu.gain(5f64.sqrt());
    Init::Uniform { bound: (3f64.sqrt() * gain / (fan_in.max(1) as f64).sqrt()) as f32 }
}

/// Uniform, a compromise between the way forward and the way back.
pub fn xavier_uniform(fan_in: usize, fan_out: usize, gain: f64) -> Init {
    let std = Fan { inputs: fan_in, outputs: fan_out }.xavier_std(gain);
    Init::Uniform { bound: (3f64.sqrt() * std) as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_pytorchs() {
        let Init::Uniform { bound } = default_uniform(16) else { panic!("not uniform") };
        assert!((bound - 0.25).abs() < 1e-7, "{bound}");
        let Init::Uniform { bound } = xavier_uniform(4, 8, 1.0) else { panic!("not uniform") };
        assert!((f64::from(bound) - (6.0f64 / 12.0).sqrt()).abs() < 1e-7, "{bound}");
    }
}
