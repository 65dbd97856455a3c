//! Named metrics: those that settings choose by a name, and which of them a loss allows.
//!
//! Errors relative to the past of a series, [`ScaledError`](super::ScaledError), are not among them: rows have no
//! past.

use crate::losses::Loss;
use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// What a loss makes of the numbers that a network puts out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Predictions {
    /// Numbers like the targets.
    Numbers,
    /// A quantile of each target.
    Quantile,
    /// Several quantiles of each target.
    Quantiles,
    /// Logits of classes.
    Classes,
    /// Logits of yes.
    Decisions,
    /// Parameters of distributions, which are not to be compared with a target.
    Parameters,
}

impl Predictions {
    /// Those of a loss.
    pub(crate) fn of(loss: &Loss) -> Predictions {
        match loss {
            Loss::CrossEntropy(_) => Predictions::Classes,
            Loss::BinaryCrossEntropy(_) => Predictions::Decisions,
            Loss::Quantile(_) => Predictions::Quantile,
            Loss::MultiQuantile(loss) if loss.quantiles.len() > 1 => Predictions::Quantiles,
            Loss::MultiQuantile(_)
            | Loss::Gaussian(_)
            | Loss::StudentT(_)
            | Loss::NegativeBinomial(_) => Predictions::Parameters,
            Loss::Mse(_)
            | Loss::Mae(_)
            | Loss::Rmse(_)
            | Loss::Huber(_)
            | Loss::LogCosh(_)
            | Loss::Mape(_)
            | Loss::Smape(_)
            | Loss::Mase(_)
            | Loss::KlDivergence(_)
            | Loss::Poisson(_) => Predictions::Numbers,
        }
    }
}

/// Declares [`MetricName`].
macro_rules! names {
    ($($(#[$doc:meta])* $variant:ident = $name:literal: $($of:ident)|+,)*) => {
        /// A metric by its name, snake case in files.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, JsonSchema)]
        pub enum MetricName {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl MetricName {
            /// All of them.
            pub const ALL: &[MetricName] = &[$(MetricName::$variant),*];

            /// The name.
            pub fn name(self) -> &'static str {
                match self { $(MetricName::$variant => $name,)* }
            }

            /// Whether it judges predictions of a kind.
            pub(crate) fn judges(self, predictions: Predictions) -> bool {
                match self {
                    $(MetricName::$variant => matches!(predictions, $(Predictions::$of)|+),)*
                }
            }
        }
    };
}

names! {
    /// The mean of prediction less target: above 0 if predictions are too high.
    Bias = "bias": Numbers | Quantile,
    /// The mean absolute error.
    Mae = "mae": Numbers | Quantile,
    /// The mean squared error.
    Mse = "mse": Numbers | Quantile,
    /// The root of the mean squared error.
    Rmse = "rmse": Numbers | Quantile,
    /// The mean of absolute errors, each relative to its target: 0.1 is 10 %.
    Mape = "mape": Numbers | Quantile,
    /// The same, relative to the mean of target and prediction: from 0 to 2.
    Smape = "smape": Numbers | Quantile,
    /// The mean squared error of the logarithms of 1 more than predictions and targets.
    Msle = "msle": Numbers | Quantile,
    /// All absolute errors over all absolute targets.
    Wape = "wape": Numbers | Quantile,
    /// The largest absolute error.
    MaxError = "max_error": Numbers | Quantile,
    /// The share of the targets' variance that is explained.
    R2 = "r2": Numbers | Quantile,
    /// Pearson's correlation of predictions and targets.
    Pearson = "pearson": Numbers | Quantile,
    /// The pinball loss at the quantile of the loss.
    QuantileLoss = "quantile_loss": Quantile,
    /// The share of targets between the lowest and the highest quantile.
    Coverage = "coverage": Quantiles,
    /// The Winkler score of the interval between the lowest and the highest quantile.
    IntervalScore = "interval_score": Quantiles,
    /// The share of right predictions.
    Accuracy = "accuracy": Classes | Decisions,
    /// The mean recall of the classes.
    BalancedAccuracy = "balanced_accuracy": Classes | Decisions,
    /// Of the predictions of a class, the share that is right: the mean of the classes; of yes or no, that of yes.
    Precision = "precision": Classes | Decisions,
    /// Of the items of a class, the share that is found: the mean of the classes; of yes or no, that of yes.
    Recall = "recall": Classes | Decisions,
    /// The harmonic mean of precision and recall of a class: the mean of the classes; of yes or no, that of yes.
    F1 = "f1": Classes | Decisions,
    /// The mean of the negative logarithm of the right class's probability.
    LogLoss = "log_loss": Classes | Decisions,
    /// The exponential of the log loss.
    Perplexity = "perplexity": Classes,
    /// The squared distance of the probabilities from what is right: of classes added up over them, from 0 to 2; of
    /// yes or no that of yes, from 0 to 1.
    Brier = "brier": Classes | Decisions,
    /// The share of items whose class is among the 2 of the largest scores.
    Top2Accuracy = "top_2_accuracy": Classes,
    /// The share of items whose class is among the 3 of the largest scores.
    Top3Accuracy = "top_3_accuracy": Classes,
    /// The share of items whose class is among the 5 of the largest scores.
    Top5Accuracy = "top_5_accuracy": Classes,
}

impl MetricName {
    /// Those that judge what a network with this loss predicts.
    pub fn of_loss(loss: &Loss) -> Vec<MetricName> {
        let predictions = Predictions::of(loss);
        MetricName::ALL.iter().copied().filter(|name| name.judges(predictions)).collect()
    }

    /// Names as a text.
    pub(crate) fn list(names: &[MetricName]) -> String {
        names.iter().map(|name| name.name()).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for MetricName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for MetricName {
    type Err = String;

    fn from_str(text: &str) -> Result<MetricName, String> {
        let known = MetricName::ALL.iter().copied().find(|name| name.name() == text);
        let names = || MetricName::list(MetricName::ALL);
        known.ok_or_else(|| format!("metrics has \"{text}\", which is none; known are {}", names()))
    }
}

impl Serialize for MetricName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for MetricName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MetricName, D::Error> {
        // Within a visitor, so that an error is told with the place of the name, not of the list.
        struct Name;
        impl Visitor<'_> for Name {
            type Value = MetricName;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the name of a metric")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<MetricName, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Name)
    }
}
