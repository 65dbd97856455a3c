//! Gelu: x times the normal distribution function of x.

use crate::layers::Forward;
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f32::consts::FRAC_2_PI;
use whimbrel_graph::Var;

/// How the distribution function is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Approximation {
    /// As it is.
    #[default]
    None,
    /// By a hyperbolic tangent, as some published networks have it.
    Tanh,
}

/// x times the normal distribution function of x.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Gelu {
    /// How the distribution function is computed.
    pub approximate: Approximation,
}

impl Forward for Gelu {
    /// Approximated: `x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x³)))`.
    fn forward<'g>(&self, x: Var<'g>, _: &Scope<'g>) -> Result<Var<'g>, NnError> {
        if self.approximate == Approximation::None {
            return Ok(x.gelu()?);
        }
        let g = x.builder();
        let cubic = x.mul(x.square()?)?.mul(g.scalar(0.044_715))?;
        let inner = x.add(cubic)?.mul(g.scalar(FRAC_2_PI.sqrt()))?;
        Ok(x.mul(g.scalar(0.5))?.mul(inner.tanh()?.add(g.scalar(1.0))?)?)
    }
}
