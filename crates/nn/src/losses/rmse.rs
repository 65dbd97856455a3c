//! Rmse: the root of the mean squared error.

use super::{Criterion, Target};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{GraphError, Var};

/// `sqrt(mean((prediction - target)²))`. At an error of exactly 0 its gradient is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rmse;

impl Criterion for Rmse {
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError> {
        let target = target.into();
        let mean = super::Mse.loss(prediction, target)?;
        Ok(root(mean)?)
    }
}

/// The root of a number not below 0. The gradient of the root has no end at 0, and times 0 it would
/// be NaN: there a constant takes its place.
fn root(mean: Var<'_>) -> Result<Var<'_>, GraphError> {
    let g = mean.builder();
    let none = mean.eq(g.scalar(0.0))?;
    let safe = none.select(g.scalar(1.0), mean)?.sqrt()?;
    none.select(g.scalar(0.0), safe)
}
