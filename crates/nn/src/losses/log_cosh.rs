//! LogCosh: a smooth relative of the absolute error.

use super::{Criterion, Target};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f32::consts::LN_2;
use whimbrel_graph::Var;

/// The mean of `log(cosh(prediction - target))`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogCosh;

impl Criterion for LogCosh {
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError> {
        let target = target.into();
        let error = prediction.sub(target.like(prediction, "log_cosh")?)?;
        // log cosh e = e + log(1 + exp(-2 e)) - log 2, and it is even: with |e| nothing overflows.
        let g = prediction.builder();
        let size = error.abs()?;
        let tail = size.mul(g.scalar(-2.0))?.softplus()?;
        Ok(target.mean(size.add(tail)?.sub(g.scalar(LN_2))?)?)
    }
}
