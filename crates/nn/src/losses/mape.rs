//! Mape: the mean absolute error relative to the target.

use super::{Criterion, Target, ratio};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// The mean of `|prediction - target| / |target|`; an element whose target is 0 has no error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mape;

impl Criterion for Mape {
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError> {
        let target = target.into();
        let values = target.like(prediction, "mape")?;
        let errors = ratio(prediction.sub(values)?.abs()?, values.abs()?)?;
        Ok(target.mean(errors)?)
    }
}
