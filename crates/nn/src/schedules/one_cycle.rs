//! OneCycle: up to the rate of the optimiser, then down to almost nothing (Smith and Topin, 2019).

use super::{Rate, expect, expect_steps};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// The way from one rate to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Anneal {
    /// Half a wave.
    #[default]
    Cos,
    /// A straight line.
    Linear,
}

/// From `lr / div_factor` up to lr, then down to `lr / div_factor / final_div_factor`: the rate of the
/// optimiser is what PyTorch calls `max_lr`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OneCycle {
    /// Steps of the cycle.
    pub total_steps: usize,
    /// The share of steps that go up.
    #[serde(default = "default_pct_start")]
    pub pct_start: f64,
    /// The way up and down.
    #[serde(default)]
    pub anneal_strategy: Anneal,
    /// The highest rate over the first.
    #[serde(default = "default_div_factor")]
    pub div_factor: f64,
    /// The first rate over the last.
    #[serde(default = "default_final_div_factor")]
    pub final_div_factor: f64,
}

fn default_pct_start() -> f64 {
    0.3
}

fn default_div_factor() -> f64 {
    25.0
}

fn default_final_div_factor() -> f64 {
    1e4
}

impl OneCycle {
    /// A cycle of `total_steps` steps.
    pub fn new(total_steps: usize) -> OneCycle {
        OneCycle {
            total_steps,
            pct_start: default_pct_start(),
            anneal_strategy: Anneal::Cos,
            div_factor: default_div_factor(),
            final_div_factor: default_final_div_factor(),
        }
    }
}

impl Anneal {
    /// The rate after a share of the way from `start` to `end`.
    fn between(self, start: f64, end: f64, share: f64) -> f64 {
        match self {
            Anneal::Cos => end + (start - end) * 0.5 * (1.0 + (PI * share).cos()),
            Anneal::Linear => start + (end - start) * share,
        }
    }
}

impl Rate for OneCycle {
    fn rate(&self, base: f64, step: usize) -> f64 {
        let first = base / self.div_factor;
        let last = first / self.final_div_factor;
        let step = step as f64;
        // Steps are counted from 0, hence the ones taken off, as in PyTorch.
        let top = self.pct_start * self.total_steps as f64 - 1.0;
        let end = self.total_steps as f64 - 1.0;
        match step {
            // A way up of a single step is at its end at once.
            step if step <= top => {
                let share = if top > 0.0 { step / top } else { 1.0 };
                self.anneal_strategy.between(first, base, share)
            }
            step if step >= end => last,
            step => self.anneal_strategy.between(base, last, (step - top) / (end - top)),
        }
    }

    fn check(&self) -> Result<(), NnError> {
        let OneCycle { total_steps, pct_start: share, div_factor, final_div_factor, .. } = *self;
        expect_steps("one_cycle", "total_steps", total_steps)?;
        let fits = (0.0..=1.0).contains(&share);
        expect("one_cycle", "pct_start", share, fits, "a share from 0 to 1")?;
        for (field, value) in [("div_factor", div_factor), ("final_div_factor", final_div_factor)] {
            let fits = value.is_finite() && value > 0.0;
            expect("one_cycle", field, value, fits, "a number above 0")?;
        }
        Ok(())
    }
}
