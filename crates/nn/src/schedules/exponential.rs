//! Exponential: down by a factor in every step.

use super::{Rate, expect_not_negative};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `lr gamma^step`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exponential {
    /// The factor.
    pub gamma: f64,
}

impl Rate for Exponential {
    fn rate(&self, base: f64, step: usize) -> f64 {
        base * self.gamma.powf(step as f64)
    }

    fn check(&self) -> Result<(), NnError> {
        expect_not_negative("exponential", "gamma", self.gamma)
    }
}
