//! Input: a value the caller binds before each run.

use super::{Backward, Cost, Gradients, Operation};
use crate::{Array, Type};

/// A named input.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The name callers bind it by.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether its last axis is the batch.
    pub batch: bool,
}

impl Operation for Input {
    fn name(&self) -> &'static str {
        "input"
    }

    fn detail(&self) -> String {
        if self.batch { "batch".into() } else { String::new() }
    }

    fn infer(&self, _: &[Type]) -> Result<Vec<Type>, String> {
        if self.batch && self.ty.shape.rank() == 0 {
            return Err("a batch needs an axis for its items, the last".into());
        }
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
}
