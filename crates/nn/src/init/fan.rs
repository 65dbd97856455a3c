//! Fan: how many terms meet in a weight, and what that means for its deviation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many terms are summed for one output, and how many outputs one input reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fan {
    /// Called `fan_in`.
    pub inputs: usize,
    /// Called `fan_out`.
    pub outputs: usize,
}

/// Which of the two decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FanMode {
    /// Deviations are kept on the way forward.
    #[default]
    FanIn,
    /// Deviations are kept on the way back.
    FanOut,
}

/// The function after a weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Nonlinearity {
    /// None.
    Linear,
    /// The logistic function.
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
    /// max(x, 0).
    Relu,
    /// A gentle slope below 0.
    #[default]
    LeakyRelu,
    /// Scaled, exponential below 0.
    Selu,
}

impl Fan {
    /// The fan of a parameter `[.., output, input]`; all other axes are taps.
    pub fn of(shape: &[usize]) -> Fan {
        match *shape {
            [ref taps @ .., outputs, inputs] => {
                let taps: usize = taps.iter().product();
                Fan { inputs: taps * inputs, outputs: taps * outputs }
            }
            [size] => Fan { inputs: 1, outputs: size },
            [] => Fan { inputs: 1, outputs: 1 },
        }
    }

    /// A compromise between the way forward and the way back (Glorot and Bengio, 2010).
    pub(super) fn xavier_std(self, gain: f64) -> f64 {
        gain * (2.0 / (self.inputs + self.outputs).max(1) as f64).sqrt()
    }

    /// The deviation that one of the two ways keeps (He et al., 2015).
    pub(super) fn kaiming_std(self, mode: FanMode, gain: f64) -> f64 {
        let fan = match mode {
            FanMode::FanIn => self.inputs,
            FanMode::FanOut => self.outputs,
        };
        gain / (fan.max(1) as f64).sqrt()
    }
}

impl Nonlinearity {
    /// By what the deviation of its inputs is to be multiplied to be kept, as PyTorch's
    /// `calculate_gain` has it; `a` is the slope of a leaky ReLU.
    pub fn gain(self, a: f64) -> f64 {
        match self {
            Nonlinearity::Linear | Nonlinearity::Sigmoid => 1.0,
            Nonlinearity::Tanh => 5.0 / 3.0,
            Nonlinearity::Relu => 2f64.sqrt(),
            Nonlinearity::LeakyRelu => (2.0 / (1.0 + a * a)).sqrt(),
            Nonlinearity::Selu => 0.75,
        }
    }
}
