//! Linear: along a straight line from one fraction of the rate to another.

use super::{Rate, expect_not_negative, way};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// From `start_factor lr` to `end_factor lr` in `total_iters` steps; there it stays.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Linear {
    /// The fraction in the first step.
    pub start_factor: f64,
    /// The fraction in the end.
    pub end_factor: f64,
    /// Steps from one to the other.
    pub total_iters: usize,
}

impl Default for Linear {
    fn default() -> Linear {
        Linear { start_factor: 1.0 / 3.0, end_factor: 1.0, total_iters: 5 }
    }
}

impl Rate for Linear {
    fn rate(&self, base: f64, step: usize) -> f64 {
        let Linear { start_factor: start, end_factor: end, total_iters } = *self;
        base * (start + (end - start) * way(step, total_iters))
    }

    fn check(&self) -> Result<(), NnError> {
        expect_not_negative("linear", "start_factor", self.start_factor)?;
        expect_not_negative("linear", "end_factor", self.end_factor)
    }
}
