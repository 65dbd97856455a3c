//! WarmUp: up along a straight line, then as another schedule says.

use super::{Rate, Schedule, expect_not_negative, way};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// From `start_factor lr` up to lr in `warmup_steps` steps, then `decay`, whose first step is the one
/// after them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WarmUp {
    /// Steps up.
    pub warmup_steps: usize,
    /// The fraction of the rate in the first step.
    #[serde(default)]
    pub start_factor: f64,
    /// What follows.
    pub decay: Box<Schedule>,
}

impl WarmUp {
    /// `warmup_steps` up from nothing, then `decay`.
    pub fn new(warmup_steps: usize, decay: impl Into<Schedule>) -> WarmUp {
        WarmUp { warmup_steps, start_factor: 0.0, decay: Box::new(decay.into()) }
    }
}

impl Rate for WarmUp {
    fn rate(&self, base: f64, step: usize) -> f64 {
        match step.checked_sub(self.warmup_steps) {
            Some(after) => self.decay.rate(base, after),
            None => {
                let start = self.start_factor;
                base * (start + (1.0 - start) * way(step, self.warmup_steps))
            }
        }
    }

    fn check(&self) -> Result<(), NnError> {
        expect_not_negative("warm_up", "start_factor", self.start_factor)?;
        self.decay.check()
    }
}
