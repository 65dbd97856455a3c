//! Reshape: the same elements in the same order under another shape.

use super::{Backward, Cost, Gradients, Operation, operands};
use crate::{Array, GraphError, Op, Type, Var};
use whimbrel_tensor::Shape;

/// Gives the elements another shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Reshape {
    /// The shape of the result.
    pub shape: Shape,
}

impl Operation for Reshape {
    fn name(&self) -> &'static str {
        "reshape"
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [x] = operands(inputs)?;
        if x.numel() != self.shape.numel() {
            let (have, want) = (x.numel(), self.shape.numel());
            return Err(format!("{have} elements do not fill {} ({want})", self.shape));
        }
        Ok(vec![x.with_shape(self.shape)])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        vec![Array { shape: self.shape, data: inputs[0].data.clone() }]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        Ok(vec![Some(b.grad()?.reshape(b.inputs[0].shape())?)])
    }

    fn cost(&self, _: &[Type], _: &[Type]) -> Cost {
        Cost::default()
    }

    /// The batch stays innermost when the last axes are equal, or when the batch is merged with
    /// the axes before it or parted from them again.
    fn carries_batch(&self, inputs: &[Type], outputs: &[Type]) -> Vec<bool> {
        let last = |ty: &Type| ty.shape.last().copied().unwrap_or(1).max(1);
        let (a, b) = (last(&inputs[0]), last(&outputs[0]));
        vec![a % b == 0 || b % a == 0; 2]
    }
}

impl<'g> Var<'g> {
    /// The same elements in row-major order under another shape.
    #[track_caller]
    pub fn reshape(self, shape: impl Into<Shape>) -> Result<Var<'g>, GraphError> {
        let shape = shape.into();
        if self.shape() == shape {
            return Ok(self);
        }
        self.apply(Op::Reshape(Reshape { shape }))
    }
}
