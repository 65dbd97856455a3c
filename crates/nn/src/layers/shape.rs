//! Flatten, Reshape and Transpose: the same elements of each item under another shape or order.

use super::{Forward, sequence};
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;
use whimbrel_tensor::Shape;

/// All axes of an item as one: `[time, channel, batch]` to `[time channel, batch]`, step by step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Flatten;

/// Another shape for each item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reshape {
    /// The sizes of an item, without the batch.
    pub shape: Vec<usize>,
}

/// Time and channels exchanged: `[time, channel, batch]` to `[channel, time, batch]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Transpose;

impl Forward for Flatten {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let shape = x.shape();
        match shape.split_last() {
            Some((&batch, item)) => Ok(x.reshape([item.iter().product(), batch])?),
            None => Err(scope.refuse("flatten", "needs a batch", x, "give its input a batch")),
        }
    }
}

impl Forward for Reshape {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let batch = x.shape().last().copied().unwrap_or(1);
        let sizes = [&self.shape[..], &[batch]].concat();
        let shape = Shape::from_slice(&sizes).map_err(|e| {
            NnError::setting(
                scope.place("reshape"),
                "shape",
                format!("{:?}", self.shape),
                e.to_string(),
            )
        })?;
        if shape.checked_numel() != Some(x.ty().numel()) {
            let problem = format!("gives each item the shape {:?}", self.shape);
            let remedy = "choose sizes whose product is the number of elements of an item";
            return Err(scope.refuse("reshape", problem, x, remedy));
        }
        Ok(x.reshape(shape)?)
    }
}

impl Forward for Transpose {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        sequence(x, scope, "transpose")?;
        Ok(x.permute(&[1, 0, 2])?)
    }
}
