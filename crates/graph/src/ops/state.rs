//! State: parameters, optimiser state, tables. It outlives runs and may be updated by them.

use super::{Backward, Cost, Gradients, Operation};
use crate::{Array, Type};

/// What a state value is for; reports and checkpoints keep them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Trained.
    Parameter,
    /// The optimiser's memory.
    Optimiser,
    /// Data kept beside the model, such as the table batches are gathered from.
    Table,
}

/// How a session fills a state value at its start, reproducibly from its seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Init {
    /// All zeros.
    Zeros,
    /// All equal.
    Constant(f32),
    /// Uniform in `[-bound, bound)`.
    Uniform {
        /// Half the width.
        bound: f32,
    },
    /// Normal with mean 0.
    Normal {
        /// Standard deviation.
        std: f32,
    },
    /// Uniform in `[low, high)`.
    Range {
        /// The least.
        low: f32,
        /// The end.
        high: f32,
    },
    /// Normal, but within bounds, drawn again where it is not.
    TruncatedNormal {
        /// Mean before the cut.
        mean: f32,
        /// Standard deviation before the cut.
        std: f32,
        /// The least.
        low: f32,
        /// The most.
        high: f32,
    },
    /// Outputs, or inputs if there are fewer, at right angles to each other, each of length `gain`.
    /// Outputs are the last axis but one; all others are inputs.
    Orthogonal {
        /// The length.
        gain: f32,
    },
}

/// A named state value.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The name it is saved under.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its first content.
    pub init: Init,
    /// What it is for.
    pub role: Role,
}

impl Operation for State {
    fn name(&self) -> &'static str {
        match self.role {
            Role::Parameter => "parameter",
            Role::Optimiser => "optimiser",
            Role::Table => "table",
        }
    }

    fn infer(&self, _: &[Type]) -> Result<Vec<Type>, String> {
        Ok(vec![self.ty])
    }

    fn eval(&self, _: &[&Array]) -> Vec<Array> {
        vec![Array::full(self.ty.shape, 0.0)]
    }

    fn grad<'g>(&self, _: &Backward<'g>) -> Gradients<'g> {
        Ok(Vec::new())
    }

    fn cost(&self, _: &[Type], _: &[Type]) -> Cost {
        Cost::default()
    }

    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        vec![false]
    }
}
