//! Mse: the mean squared error.

use super::{Criterion, Target};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// The mean of `(prediction - target)²`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mse;

impl Criterion for Mse {
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError> {
        let target = target.into();
        let errors = prediction.sub(target.like(prediction, "mse")?)?.square()?;
        Ok(target.mean(errors)?)
    }
}
