//! Step: down by a factor now and then.

use super::{Rate, expect_not_negative, expect_steps};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The rate is multiplied by `gamma` after every `step_size` steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Steps from one change to the next.
    pub step_size: usize,
    /// The factor.
    #[serde(default = "tenth")]
    pub gamma: f64,
}

fn tenth() -> f64 {
    0.1
}

impl Rate for Step {
    fn rate(&self, base: f64, step: usize) -> f64 {
        base * self.gamma.powf((step / self.step_size.max(1)) as f64)
    }

    fn check(&self) -> Result<(), NnError> {
        expect_steps("step", "step_size", self.step_size)?;
        expect_not_negative("step", "gamma", self.gamma)
    }
}
