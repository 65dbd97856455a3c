//! Smape: the mean absolute error relative to target and prediction.

use super::{Criterion, Target, ratio};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// The mean of `2 |prediction - target| / (|prediction| + |target|)`, between 0 and 2; an element of
/// which both are 0 has no error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Smape;

impl Criterion for Smape {
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError> {
        let target = target.into();
        let values = target.like(prediction, "smape")?;
        let size = prediction.abs()?.add(values.abs()?)?;
        let error = prediction.sub(values)?.abs()?.mul(prediction.builder().scalar(2.0))?;
        Ok(target.mean(ratio(error, size)?)?)
    }
}
