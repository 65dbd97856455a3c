//! Constant: one rate, or a fraction of it for the first steps.

use super::{Rate, expect_not_negative};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `factor lr` for `total_iters` steps, then lr. Unlike PyTorch's it is constant unless told otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Constant {
    /// The fraction of the rate in the first steps.
    pub factor: f64,
    /// Number of first steps.
    pub total_iters: usize,
}

impl Default for Constant {
    fn default() -> Constant {
        Constant { factor: 1.0, total_iters: 0 }
    }
}

impl Rate for Constant {
    fn rate(&self, base: f64, step: usize) -> f64 {
        if step < self.total_iters { base * self.factor } else { base }
    }

    fn check(&self) -> Result<(), NnError> {
        expect_not_negative("constant", "factor", self.factor)
    }
}
