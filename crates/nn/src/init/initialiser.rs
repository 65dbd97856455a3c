//! Initialiser: one way to begin, with its settings.

use super::{Fan, FanMode, Nonlinearity};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Init;

/// How a parameter begins; in a file `type` says which.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Initialiser {
    /// All 0.
    Zeros {},
    /// All 1.
    Ones {},
    /// All equal.
    Constant {
        /// The number.
        val: f64,
    },
    /// Uniform from `a` to `b`.
    Uniform {
        /// The least.
        #[serde(default)]
        a: f64,
        /// The end.
        #[serde(default = "one")]
        b: f64,
    },
    /// Normal.
    Normal {
        /// Its mean.
        #[serde(default)]
        mean: f64,
        /// Its deviation.
        #[serde(default = "one")]
        std: f64,
    },
    /// Normal, drawn again outside of `a` to `b`.
    TruncNormal {
        /// The mean before the cut.
        #[serde(default)]
        mean: f64,
        /// The deviation before the cut.
        #[serde(default = "one")]
        std: f64,
        /// The least.
        #[serde(default = "minus_two")]
        a: f64,
        /// The most.
        #[serde(default = "two")]
        b: f64,
    },
    /// Uniform, a compromise between the way forward and the way back.
    XavierUniform {
        /// Of the function that follows.
        #[serde(default = "one")]
        gain: f64,
    },
    /// Normal, a compromise between the way forward and the way back.
    XavierNormal {
        /// Of the function that follows.
        #[serde(default = "one")]
        gain: f64,
    },
    /// Uniform, so that the function that follows keeps the deviation of its inputs.
    KaimingUniform {
        /// The slope of a leaky ReLU.
        #[serde(default)]
        a: f64,
        /// Forward or back.
        #[serde(default)]
        mode: FanMode,
        /// The function.
        #[serde(default)]
        nonlinearity: Nonlinearity,
    },
    /// Normal, so that the function that follows keeps the deviation of its inputs.
    KaimingNormal {
        /// The slope of a leaky ReLU.
        #[serde(default)]
        a: f64,
        /// Forward or back.
        #[serde(default)]
        mode: FanMode,
        /// The function.
        #[serde(default)]
        nonlinearity: Nonlinearity,
    },
    /// Vectors at right angles to each other.
    Orthogonal {
        /// Their length.
        #[serde(default = "one")]
        gain: f64,
    },
}

fn one() -> f64 {
    1.0
}

fn two() -> f64 {
    2.0
}

fn minus_two() -> f64 {
    -2.0
}

impl Initialiser {
    /// What it means for a parameter of this shape, `[.., output, input]`.
    pub fn of(self, shape: &[usize]) -> Init {
        let fan = Fan::of(shape);
        let uniform = |std: f64| Init::Uniform { bound: (3f64.sqrt() * std) as f32 };
        let normal = |std: f64| Init::Normal { std: std as f32 };
        match self {
            Initialiser::Zeros {} => Init::Zeros,
            Initialiser::Ones {} => Init::Constant(1.0),
            Initialiser::Constant { val } => Init::Constant(val as f32),
            Initialiser::Uniform { a, b } => Init::Range { low: a as f32, high: b as f32 },
            Initialiser::Normal { mean: 0.0, std } => normal(std),
            Initialiser::Normal { mean, std } => {
                truncated(mean, std, f64::NEG_INFINITY, f64::INFINITY)
            }
            Initialiser::TruncNormal { mean, std, a, b } => truncated(mean, std, a, b),
            Initialiser::XavierUniform { gain } => uniform(fan.xavier_std(gain)),
            Initialiser::XavierNormal { gain } => normal(fan.xavier_std(gain)),
            Initialiser::KaimingUniform { a, mode, nonlinearity } => {
                uniform(fan.kaiming_std(mode, nonlinearity.gain(a)))
            }
            Initialiser::KaimingNormal { a, mode, nonlinearity } => {
                normal(fan.kaiming_std(mode, nonlinearity.gain(a)))
            }
            Initialiser::Orthogonal { gain } => Init::Orthogonal { gain: gain as f32 },
        }
    }

    /// Says what is wrong with the settings, if anything is; messages call it `place`.
    pub(crate) fn check(self, place: &str) -> Result<(), NnError> {
        let finite = |field: &'static str, value: f64| match value.is_finite() {
            true => Ok(()),
            false => Err(NnError::setting(place, field, value, "must be a finite number")),
        };
        let ordered = |a: f64, b: f64| match a <= b {
            true => finite("a", a).and(finite("b", b)),
            false => Err(NnError::setting(place, "a", a, format!("must not be above b, {b}"))),
        };
        let spread = |mean: f64, std: f64| match std >= 0.0 {
            true => finite("mean", mean).and(finite("std", std)),
            false => Err(NnError::setting(place, "std", std, "must not be below 0")),
        };
        match self {
            Initialiser::Zeros {} | Initialiser::Ones {} => Ok(()),
            Initialiser::Constant { val } => finite("val", val),
            Initialiser::Uniform { a, b } => ordered(a, b),
            Initialiser::Normal { mean, std } => spread(mean, std),
            Initialiser::TruncNormal { mean, std, a, b } => spread(mean, std).and(ordered(a, b)),
            Initialiser::XavierUniform { gain }
            | Initialiser::XavierNormal { gain }
            | Initialiser::Orthogonal { gain } => finite("gain", gain),
            Initialiser::KaimingUniform { a, .. } | Initialiser::KaimingNormal { a, .. } => {
                finite("a", a)
            }
        }
    }
}

fn truncated(mean: f64, std: f64, low: f64, high: f64) -> Init {
    let [mean, std, low, high] = [mean, std, low, high].map(|x| x as f32);
    Init::TruncatedNormal { mean, std, low, high }
}
