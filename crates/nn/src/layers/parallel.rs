//! Parallel: branches that all read the same value, and what becomes of their results.

use super::{Forward, Layer, channel_axis};
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// How the results of branches become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Merge {
    /// One after another along the channels.
    #[default]
    Concat,
    /// Added up.
    Sum,
    /// Multiplied.
    Product,
}

/// Branches side by side. Layers are named by branch and position, both from 0; a branch without
/// layers passes its input on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parallel {
    /// The layers of each branch, first to last.
    pub branches: Vec<Vec<Layer>>,
    /// How their results become one.
    #[serde(default)]
    pub merge: Merge,
}

impl Forward for Parallel {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let branch = |(i, layers): (usize, &Vec<Layer>)| {
            super::sequential::run(layers, x, &scope.child(&i.to_string()))
        };
        let made = self.branches.iter().enumerate().map(branch).collect::<Result<Vec<_>, _>>()?;
        let Some((&first, others)) = made.split_first() else {
            let reason = "there must be at least one";
            return Err(NnError::setting(scope.place("parallel"), "branches", "empty", reason));
        };
        let axis = channel_axis(first, scope, "parallel")?;
        for &other in others {
            let alike = match self.merge {
                Merge::Concat => first.shape().with(axis, 1) == other.shape().with(axis, 1),
                Merge::Sum | Merge::Product => first.shape() == other.shape(),
            };
            if !alike {
                let problem =
                    format!("joins its branches, the first of which gives {}", first.ty());
                let remedy =
                    "let all branches end in the same shape (concat: but for the channels)";
                return Err(scope.refuse("parallel", problem, other, remedy));
            }
        }
        match self.merge {
            Merge::Concat => Ok(Var::concat(&made, axis)?),
            Merge::Sum => others.iter().try_fold(first, |sum, &x| Ok(sum.add(x)?)),
            Merge::Product => others.iter().try_fold(first, |product, &x| Ok(product.mul(x)?)),
        }
    }
}
