//! The losses, one file each: a struct of settings that makes one number of predictions and targets.
//!
//! Adding one: a file here with a struct that implements [`Criterion`], one line in `losses!`, a case
//! in `tests/golden/losses.py`. `mse.rs` is the one to imitate.

mod binary_cross_entropy;
mod cross_entropy;
mod domain;
mod gaussian;
mod huber;
mod kl_divergence;
mod log_cosh;
mod log_gamma;
mod mae;
mod mape;
mod mase;
mod mse;
mod multi_quantile;
mod negative_binomial;
mod parts;
mod poisson;
mod quantile;
mod rmse;
mod smape;
mod student_t;
mod target;

pub use binary_cross_entropy::BinaryCrossEntropy;
pub use cross_entropy::CrossEntropy;
pub use domain::Domain;
pub use gaussian::Gaussian;
pub use huber::Huber;
pub use kl_divergence::KlDivergence;
pub use log_cosh::LogCosh;
pub use mae::Mae;
pub use mape::Mape;
pub use mase::Mase;
pub use mse::Mse;
pub use multi_quantile::MultiQuantile;
pub use negative_binomial::NegativeBinomial;
pub use poisson::Poisson;
pub use quantile::Quantile;
pub use rmse::Rmse;
pub use smape::Smape;
pub use student_t::StudentT;
pub use target::Target;

use domain::{expect_not_negative, expect_weights};
use parts::{LEAST, parts, positive};
use target::ratio;

use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// What every loss can do.
pub trait Criterion {
    /// The loss, a single number: the weighted mean over all elements that count.
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError>;
}

/// Declares [`Loss`] and its dispatch.
macro_rules! losses {
    ($($(#[$doc:meta])* $name:ident = $kind:literal,)*) => {
        /// Any loss with its settings; in a file `type` says which.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "type")]
        pub enum Loss {
            $($(#[$doc])* #[serde(rename = $kind)] $name($name),)*
        }

        impl Loss {
            /// Its kind, as files call it.
            pub fn kind(&self) -> &'static str {
                match self { $(Loss::$name(_) => $kind,)* }
            }
        }

        impl Criterion for Loss {
            fn loss<'g>(
                &self,
                prediction: Var<'g>,
                target: impl Into<Target<'g>>,
            ) -> Result<Var<'g>, NnError> {
                let made = match self { $(Loss::$name(loss) => loss.loss(prediction, target),)* };
                made.map_err(|error| error.at(|| format!("loss {}", self.kind())))
            }
        }

        $(impl From<$name> for Loss {
            fn from(loss: $name) -> Loss {
                Loss::$name(loss)
            }
        })*
    };
}

losses! {
    /// The mean squared error.
    Mse = "mse",
    /// The mean absolute error.
    Mae = "mae",
    /// The root of the mean squared error.
    Rmse = "rmse",
    /// Squared where small, absolute where large.
    Huber = "huber",
    /// A smooth relative of the absolute error.
    LogCosh = "log_cosh",
    /// Relative to the target.
    Mape = "mape",
    /// Relative to target and prediction.
    Smape = "smape",
    /// Relative to a naive forecast.
    Mase = "mase",
    /// One class of several.
    CrossEntropy = "cross_entropy",
    /// Yes or no in each channel.
    BinaryCrossEntropy = "binary_cross_entropy",
    /// One distribution over classes from another.
    KlDivergence = "kl_divergence",
    /// One quantile.
    Quantile = "quantile",
    /// Several quantiles.
    MultiQuantile = "multi_quantile",
    /// The likelihood of a normal distribution.
    Gaussian = "gaussian",
    /// The likelihood of Student's t distribution.
    StudentT = "student_t",
    /// The likelihood of a Poisson distribution.
    Poisson = "poisson",
    /// The likelihood of a negative binomial distribution.
    NegativeBinomial = "negative_binomial",
}
