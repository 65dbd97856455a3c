//! Cosine: down along half a wave, slowly at both ends.

use super::{Rate, expect_not_negative, expect_steps};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// From lr to `eta_min` in `T_max` steps; then up again, as the wave goes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cosine {
    /// Steps down.
    #[serde(rename = "T_max")]
    pub t_max: usize,
    /// The lowest rate.
    #[serde(default)]
    pub eta_min: f64,
}

impl Rate for Cosine {
    fn rate(&self, base: f64, step: usize) -> f64 {
        let angle = PI * step as f64 / self.t_max.max(1) as f64;
        self.eta_min + (base - self.eta_min) * 0.5 * (1.0 + angle.cos())
    }

    fn check(&self) -> Result<(), NnError> {
        expect_steps("cosine", "T_max", self.t_max)?;
        expect_not_negative("cosine", "eta_min", self.eta_min)
    }
}
