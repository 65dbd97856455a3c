//! Plateau: down where training stands still.

use super::{Rate, expect, expect_not_negative};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which way is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Down, as for losses.
    #[default]
    Min,
    /// Up, as for accuracy. Not in a training, which observes its loss.
    #[schemars(skip)]
    Max,
}

/// What `threshold` is measured in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThresholdMode {
    /// Parts of the best value.
    #[default]
    Rel,
    /// The units of the value.
    Abs,
}

/// The rate is multiplied by `factor` when a value has not become better for more than `patience`
/// observations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Plateau {
    /// Which way is better.
    pub mode: Mode,
    /// The factor.
    pub factor: f64,
    /// Observations without a gain that are tolerated.
    pub patience: usize,
    /// How much better is better.
    pub threshold: f64,
    /// What `threshold` is measured in.
    pub threshold_mode: ThresholdMode,
    /// Observations after a change that do not count.
    pub cooldown: usize,
    /// The lowest rate.
    pub min_lr: f64,
    /// Smaller changes of the rate are not made.
    pub eps: f64,
}

impl Default for Plateau {
    fn default() -> Plateau {
        Plateau {
            mode: Mode::Min,
            factor: 0.1,
            patience: 10,
            threshold: 1e-4,
            threshold_mode: ThresholdMode::Rel,
            cooldown: 0,
            min_lr: 0.0,
            eps: 1e-8,
        }
    }
}

/// How training went so far, as a plateau sees it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// The learning rate.
    pub lr: f64,
    /// The best value observed, if there was one.
    pub best: Option<f64>,
    /// Observations since then without a gain.
    pub bad: usize,
    /// Observations left that do not count.
    pub cooldown: usize,
}

impl Plateau {
    /// Nothing observed yet.
    pub fn start(&self, lr: f64) -> Progress {
        Progress { lr, best: None, bad: 0, cooldown: 0 }
    }

    /// What an observation changes.
    pub fn observe(&self, before: Progress, value: f64) -> Progress {
        let mut now = before;
        match self.better(value, before.best) {
            true => (now.best, now.bad) = (Some(value), 0),
            false => now.bad += 1,
        }
        if now.cooldown > 0 {
            now.cooldown -= 1;
            now.bad = 0;
        }
        if now.bad > self.patience {
            let lr = (now.lr * self.factor).max(self.min_lr);
            if now.lr - lr > self.eps {
                now.lr = lr;
            }
            (now.cooldown, now.bad) = (self.cooldown, 0);
        }
        now
    }

    /// Whether a value is better than the best; NaN never is.
    fn better(&self, value: f64, best: Option<f64>) -> bool {
        let Some(best) = best else { return !value.is_nan() };
        let gain = match self.threshold_mode {
            ThresholdMode::Rel => self.threshold * best,
            ThresholdMode::Abs => self.threshold,
        };
        match self.mode {
            Mode::Min => value < best - gain,
            Mode::Max => value > best + gain,
        }
    }
}

impl Rate for Plateau {
    /// The rate before anything is observed; [`Scheduler`](super::Scheduler) observes.
    fn rate(&self, base: f64, _: usize) -> f64 {
        base
    }

    fn check(&self) -> Result<(), NnError> {
        let fits = (0.0..1.0).contains(&self.factor);
        expect("plateau", "factor", self.factor, fits, "at least 0 and below 1")?;
        expect_not_negative("plateau", "threshold", self.threshold)?;
        expect_not_negative("plateau", "min_lr", self.min_lr)?;
        expect_not_negative("plateau", "eps", self.eps)
    }
}
