//! Broadcast: repeats a value along axes of size 1, NumPy's rule made explicit.

use super::{Backward, Cost, Gradients, Operation, operands};
use crate::array::for_each_index;
use crate::{Array, GraphError, Op, Type, Var};
use whimbrel_tensor::Shape;

/// Repeats along axes of size 1 and along new leading axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Broadcast {
    /// The shape of the result.
    pub shape: Shape,
}

impl Broadcast {
    /// Axes of the result along which `source` is repeated.
    pub fn repeated_axes(&self, source: &Shape) -> Vec<usize> {
        let lead = self.shape.rank() - source.rank();
        (0..self.shape.rank())
            .filter(|&a| a < lead || (source[a - lead] == 1 && self.shape[a] != 1))
            .collect()
    }
}

impl Operation for Broadcast {
    fn name(&self) -> &'static str {
        "broadcast"
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [x] = operands(inputs)?;
        match x.shape.broadcast(&self.shape) {
            Some(shape) if shape == self.shape => Ok(vec![x.with_shape(shape)]),
            _ => Err(format!("does not broadcast to {}", self.shape)),
        }
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let x = inputs[0];
        let lead = self.shape.rank() - x.shape.rank();
        let mut data = Vec::with_capacity(self.shape.numel());
        let mut source = vec![0; x.shape.rank()];
        for_each_index(&self.shape, |index| {
            for (axis, at) in source.iter_mut().enumerate() {
                *at = if x.shape[axis] == 1 { 0 } else { index[axis + lead] };
            }
            data.push(x.at(&source));
        });
        vec![Array { shape: self.shape, data }]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let source = b.inputs[0].shape();
        let sum = b.grad()?.sum_axes(&self.repeated_axes(&source))?;
        Ok(vec![Some(sum.reshape(source)?)])
    }

    fn cost(&self, _: &[Type], outputs: &[Type]) -> Cost {
        Cost { flops: 0.0, bytes: outputs[0].bytes() as f64 }
    }

    fn carries_batch(&self, inputs: &[Type], outputs: &[Type]) -> Vec<bool> {
        vec![inputs[0].shape.last() == outputs[0].shape.last(), true]
    }
}

impl<'g> Var<'g> {
    /// Repeats along axes of size 1 and new leading axes to reach `shape`.
    #[track_caller]
    pub fn broadcast(self, shape: impl Into<Shape>) -> Result<Var<'g>, GraphError> {
        let shape = shape.into();
        if self.shape() == shape {
            return Ok(self);
        }
        self.apply(Op::Broadcast(Broadcast { shape }))
    }
}
