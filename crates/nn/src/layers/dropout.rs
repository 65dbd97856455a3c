//! Dropout: while learning, some elements are left out at random.

use super::Forward;
use crate::hash::Fnv;
use crate::{NnError, Phase, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::ops::{Distribution, Random};
use whimbrel_graph::{Op, Var};
use whimbrel_tensor::Shape;

/// While learning, makes each element 0 with probability `p` and scales the others by
/// `1 / (1 - p)`; while predicting, does nothing.
///
/// What is left out depends on seed, step, the layer's name and the position of the element only:
/// neither on threads nor on the rest of the network.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Dropout {
    /// The share left out.
    pub p: f32,
}

impl Default for Dropout {
    fn default() -> Dropout {
        Dropout { p: 0.5 }
    }
}

impl Dropout {
    /// What is kept of a value of this shape, 1 or 0 for each element; none if all of it is.
    pub(super) fn mask<'g>(
        &self,
        shape: Shape,
        scope: &Scope<'g>,
    ) -> Result<Option<Var<'g>>, NnError> {
        let place = || scope.place("dropout");
        if !(0.0..1.0).contains(&self.p) {
            let reason = "a share is at least 0 and below 1";
            return Err(NnError::setting(place(), "p", self.p, reason));
        }
        if self.p == 0.0 || scope.phase() == Phase::Predict {
            return Ok(None);
        }
        let random = scope.random().ok_or_else(|| NnError::Missing {
            place: place(),
            problem: "needs random numbers while learning".into(),
            remedy: "give the scope an i32[2] input of seed and step with Scope::with_random"
                .into(),
        })?;
        let distribution = Distribution::Bernoulli { p: 1.0 - self.p };
        let mask = Random { distribution, shape, key: key(scope.name()) };
        Ok(Some(scope.builder().apply(Op::Random(mask), &[random])?[0]))
    }

    /// By what the rest is multiplied.
    pub(super) fn scale(&self) -> f32 {
        1.0 / (1.0 - self.p)
    }
}

impl Forward for Dropout {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        match self.mask(x.shape(), scope)? {
            Some(mask) => Ok(x.mul(mask)?.mul(x.builder().scalar(self.scale()))?),
            None => Ok(x),
        }
    }
}

/// A number for a layer by its name: the hash FNV-1a.
fn key(name: &str) -> u64 {
    let mut hash = Fnv::new();
    hash.bytes(name.as_bytes());
    hash.value()
}
