//! The optimisers, one file each: how a parameter follows the gradient of the loss.
//!
//! [`Optimiser`] holds the rule and what is common to all of them: groups, clipping, averaging.
//! Adding a rule: a file here with a struct that implements [`Update`], one line in `rules!`, a case
//! in `tests/golden/optimisers.py`. `rmsprop.rs` is the one to imitate.

mod accumulate;
mod adagrad;
mod adam;
mod clip;
mod ema;
mod group;
mod memory;
mod optimiser;
mod rmsprop;
mod rprop;
mod sgd;

pub(crate) use accumulate::is_sum;
pub use adagrad::Adagrad;
pub use adam::{Adam, AdamW};
pub use clip::Clip;
pub(crate) use ema::SUFFIX as AVERAGE_SUFFIX;
pub use ema::{Ema, average_of};
pub use group::Group;
pub use optimiser::Optimiser;
pub use rmsprop::RmsProp;
pub use rprop::Rprop;
pub use sgd::Sgd;

use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// The two numbers that change from step to step.
#[derive(Clone, Copy, Debug)]
pub struct Step<'g> {
    /// The learning rate.
    pub lr: Var<'g>,
    /// The number of the step, 1 in the first.
    pub number: Var<'g>,
}

/// What every optimiser can do.
pub trait Update {
    /// The learning rate at the start; schedules change it.
    fn lr(&self) -> f64;

    /// Says what is wrong with the settings, if anything is.
    fn check(&self) -> Result<(), NnError>;

    /// The same rule with another weight decay.
    fn with_weight_decay(&self, weight_decay: f64) -> Self;

    /// Writes one step for each parameter into the graph, with the state it needs.
    fn update<'g>(
        &self,
        parameters: &[Var<'g>],
        gradients: &[Var<'g>],
        step: Step<'g>,
    ) -> Result<(), NnError>;
}

/// Declares [`Rule`] and its dispatch.
macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $kind:literal,)*) => {
        /// Any rule with its settings; in a file `type` says which.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "type")]
        pub enum Rule {
            $($(#[$doc])* #[serde(rename = $kind)] $name($name),)*
        }

        impl Update for Rule {
            fn lr(&self) -> f64 {
                match self { $(Rule::$name(rule) => rule.lr(),)* }
            }
            fn check(&self) -> Result<(), NnError> {
                match self { $(Rule::$name(rule) => rule.check(),)* }
            }
            fn with_weight_decay(&self, weight_decay: f64) -> Rule {
                match self { $(Rule::$name(rule) => rule.with_weight_decay(weight_decay).into(),)* }
            }
            fn update<'g>(
                &self,
                parameters: &[Var<'g>],
                gradients: &[Var<'g>],
                step: Step<'g>,
            ) -> Result<(), NnError> {
                match self { $(Rule::$name(rule) => rule.update(parameters, gradients, step),)* }
            }
        }

        $(impl From<$name> for Rule {
            fn from(rule: $name) -> Rule {
                Rule::$name(rule)
            }
        }

        impl From<$name> for Optimiser {
            fn from(rule: $name) -> Optimiser {
                Optimiser::new(rule)
            }
        })*
    };
}

rules! {
    /// Gradient descent.
    Sgd = "sgd",
    /// Steps of a size that follows the gradient's own.
    Adam = "adam",
    /// Adam with decay of the weights themselves.
    AdamW = "adamw",
    /// Steps relative to the recent size of the gradient.
    RmsProp = "rmsprop",
    /// Steps relative to the size of all gradients so far.
    Adagrad = "adagrad",
    /// Steps by the signs of the gradient alone.
    Rprop = "rprop",
}

/// Refuses a setting outside its range.
fn expect(
    rule: &str,
    field: &'static str,
    value: f64,
    fits: bool,
    range: &str,
) -> Result<(), NnError> {
    NnError::unless(fits, || format!("optimiser {rule}"), field, value, range)
}

/// Refuses a setting that is negative or not finite.
fn expect_not_negative(rule: &str, field: &'static str, value: f64) -> Result<(), NnError> {
    expect(rule, field, value, value.is_finite() && value >= 0.0, "a number not below 0")
}

/// Refuses a setting that is 0, negative or not finite.
fn expect_positive(rule: &str, field: &'static str, value: f64) -> Result<(), NnError> {
    expect(rule, field, value, value.is_finite() && value > 0.0, "a number above 0")
}

/// Refuses a decay outside `[0, 1)`.
fn expect_decay(rule: &str, field: &'static str, value: f64) -> Result<(), NnError> {
    expect(rule, field, value, (0.0..1.0).contains(&value), "at least 0 and below 1")
}
