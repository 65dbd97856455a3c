//! Initialisers under PyTorch's names. A bound or deviation follows from the fan: the number of
//! terms that are summed for one output (`fan_in`) or that one input reaches (`fan_out`).

use whimbrel_graph::Init;

/// The gain of a function, by which its inputs' deviation is to be multiplied to be kept.
pub fn leaky_relu_gain(negative_slope: f64) -> f64 {
    (2.0 / (1.0 + negative_slope * negative_slope)).sqrt()
}

/// PyTorch's default for linear and convolutional weights and biases: uniform within
/// `1 / sqrt(fan_in)`, which is [`kaiming_uniform`] with a slope of `sqrt(5)`.
pub fn default_uniform(fan_in: usize) -> Init {
    kaiming_uniform(fan_in, 5f64.sqrt())
}

/// Uniform, so that a leaky ReLU of slope `a` keeps the deviation of its inputs.
pub fn kaiming_uniform(fan_in: usize, a: f64) -> Init {
    let std = leaky_relu_gain(a) / (fan_in.max(1) as f64).sqrt();
    Init::Uniform { bound: (3f64.sqrt() * std) as f32 }
}

/// Normal, so that a leaky ReLU of slope `a` keeps the deviation of its inputs.
pub fn kaiming_normal(fan_in: usize, a: f64) -> Init {
    Init::Normal { std: (leaky_relu_gain(a) / (fan_in.max(1) as f64).sqrt()) as f32 }
}

/// Uniform, a compromise between the way forward and the way back.
pub fn xavier_uniform(fan_in: usize, fan_out: usize, gain: f64) -> Init {
    Init::Uniform { bound: (3f64.sqrt() * xavier_std(fan_in, fan_out, gain)) as f32 }
}

/// Normal, a compromise between the way forward and the way back.
pub fn xavier_normal(fan_in: usize, fan_out: usize, gain: f64) -> Init {
    Init::Normal { std: xavier_std(fan_in, fan_out, gain) as f32 }
}

fn xavier_std(fan_in: usize, fan_out: usize, gain: f64) -> f64 {
    gain * (2.0 / (fan_in + fan_out).max(1) as f64).sqrt()
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
