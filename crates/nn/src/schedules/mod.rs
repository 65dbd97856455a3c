//! The schedules, one file each: how the learning rate changes from step to step.
//!
//! A schedule is a pure function of the step, so that a resumed run goes on as if never stopped; only
//! [`Plateau`] depends on how training went, and [`Scheduler`] keeps what it needs to know.
//!
//! Adding one: a file here with a struct that implements [`Rate`], one line in `schedules!`, a case in
//! `tests/golden/schedules.py`. `exponential.rs` is the one to imitate.

mod constant;
mod cosine;
mod exponential;
mod linear;
mod one_cycle;
mod plateau;
mod scheduler;
mod step;
mod warm_up;

pub use constant::Constant;
pub use cosine::Cosine;
pub use exponential::Exponential;
pub use linear::Linear;
pub use one_cycle::{Anneal, OneCycle};
pub use plateau::{Mode, Plateau, Progress, ThresholdMode};
pub use scheduler::Scheduler;
pub use step::Step;
pub use warm_up::WarmUp;

use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What every schedule can do.
pub trait Rate {
    /// The learning rate of a step, counted from 0; `base` is that of the optimiser.
    fn rate(&self, base: f64, step: usize) -> f64;
    /// Says what is wrong with the settings, if anything is.
    fn check(&self) -> Result<(), NnError>;
}

/// Declares [`Schedule`] and its dispatch.
macro_rules! schedules {
    ($($(#[$doc:meta])* $name:ident = $kind:literal,)*) => {
        /// Any schedule with its settings; in a file `type` says which.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "type")]
        pub enum Schedule {
            $($(#[$doc])* #[serde(rename = $kind)] $name($name),)*
        }

        impl Rate for Schedule {
            fn rate(&self, base: f64, step: usize) -> f64 {
                match self { $(Schedule::$name(schedule) => schedule.rate(base, step),)* }
            }

            fn check(&self) -> Result<(), NnError> {
                match self { $(Schedule::$name(schedule) => schedule.check(),)* }
            }
        }

        $(impl From<$name> for Schedule {
            fn from(schedule: $name) -> Schedule {
                Schedule::$name(schedule)
            }
        })*
    };
}

schedules! {
    /// Always the same.
    Constant = "constant",
    /// Down by a factor now and then.
    Step = "step",
    /// Down by a factor in every step.
    Exponential = "exponential",
    /// Down along half a wave.
    Cosine = "cosine",
    /// Along a straight line.
    Linear = "linear",
    /// Up, then further down.
    OneCycle = "one_cycle",
    /// Down where training stands still.
    Plateau = "plateau",
    /// Up to another schedule.
    WarmUp = "warm_up",
}

impl Schedule {
    /// The plateau in it and its first step, counted from 0, if there is one.
    pub fn plateau(&self) -> Option<(usize, &Plateau)> {
        match self {
            Schedule::Plateau(plateau) => Some((0, plateau)),
            Schedule::WarmUp(warm_up) => {
                let (first, plateau) = warm_up.decay.plateau()?;
                Some((first.saturating_add(warm_up.warmup_steps), plateau))
            }
            _ => None,
        }
    }
}

/// How far step `step` is on the way of `steps` steps, from 0 to 1.
fn way(step: usize, steps: usize) -> f64 {
    match steps {
        0 => 1.0,
        _ => step.min(steps) as f64 / steps as f64,
    }
}

/// Refuses a setting outside its range.
fn expect(
    schedule: &str,
    field: &'static str,
    value: impl ToString,
    fits: bool,
    range: &str,
) -> Result<(), NnError> {
    NnError::unless(fits, || format!("schedule {schedule}"), field, value, range)
}

/// Refuses a number of steps that is 0.
fn expect_steps(schedule: &str, field: &'static str, steps: usize) -> Result<(), NnError> {
    expect(schedule, field, steps, steps > 0, "at least 1")
}

/// Refuses a number that is negative or not finite.
fn expect_not_negative(schedule: &str, field: &'static str, value: f64) -> Result<(), NnError> {
    let fits = value.is_finite() && value >= 0.0;
    expect(schedule, field, value, fits, "a number not below 0")
}
