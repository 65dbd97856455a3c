//! Domains: which targets and which settings a loss makes sense of.

use super::Loss;
use crate::NnError;

/// The targets a loss makes sense of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Any number.
    Any,
    /// From 0 to 1.
    Share,
    /// From 0 on.
    NotNegative,
}

impl Domain {
    /// Whether a finite number lies in it.
    pub fn has(self, target: f32) -> bool {
        match self {
            Domain::Any => true,
            Domain::Share => (0.0..=1.0).contains(&target),
            Domain::NotNegative => target >= 0.0,
        }
    }

    /// What its numbers are, in words.
    pub fn words(self) -> &'static str {
        match self {
            Domain::Any => "any number",
            Domain::Share => "from 0 to 1",
            Domain::NotNegative => "not below 0",
        }
    }
}

impl Loss {
    /// The targets it makes sense of, where they are numbers and not classes.
    pub fn domain(&self) -> Domain {
        match self {
            Loss::BinaryCrossEntropy(_) => Domain::Share,
            Loss::Poisson(_) | Loss::NegativeBinomial(_) => Domain::NotNegative,
            Loss::KlDivergence(loss) if !loss.log_target => Domain::NotNegative,
            _ => Domain::Any,
        }
    }
}

/// Refuses a setting that is negative or not finite.
pub(super) fn expect_not_negative(
    loss: &str,
    field: &'static str,
    value: f32,
) -> Result<(), NnError> {
    let fits = value.is_finite() && value >= 0.0;
    NnError::unless(fits, || format!("loss {loss}"), field, value, "a number not below 0")
}

/// Refuses weights one of which is negative or not finite, or of which none counts.
pub(super) fn expect_weights(
    loss: &str,
    field: &'static str,
    weights: Option<&Vec<f32>>,
) -> Result<(), NnError> {
    let weights = weights.map_or(&[][..], Vec::as_slice);
    weights.iter().try_for_each(|&weight| expect_not_negative(loss, field, weight))?;
    let some = weights.is_empty() || weights.iter().any(|&weight| weight > 0.0);
    NnError::unless(some, || format!("loss {loss}"), field, "0 throughout", "above 0 somewhere")
}
