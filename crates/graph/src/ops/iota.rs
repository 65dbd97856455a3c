//! Iota: 0, 1, 2, .. along an axis.

use super::{Backward, Cost, Gradients, Operation};
use crate::{Array, Builder, GraphError, Op, Type, Var};
use whimbrel_tensor::Shape;

/// Each element is its index along the axis, as f32.
#[derive(Clone, Debug, PartialEq)]
pub struct Iota {
    /// The shape of the result.
    pub shape: Shape,
    /// The axis that is counted.
    pub axis: usize,
}

impl Operation for Iota {
    fn name(&self) -> &'static str {
        "iota"
    }

    fn detail(&self) -> String {
        format!("axis {}", self.axis)
    }

    fn infer(&self, _: &[Type]) -> Result<Vec<Type>, String> {
        match self.shape.get(self.axis) {
            Some(_) => Ok(vec![Type::f32(self.shape)]),
            None => Err(format!("{} has no axis {}", self.shape, self.axis)),
        }
    }

    fn eval(&self, _: &[&Array]) -> Vec<Array> {
        vec![Array::from_fn(self.shape, |index| index[self.axis] as f64)]
    }

    fn grad<'g>(&self, _: &Backward<'g>) -> Gradients<'g> {
        Ok(Vec::new())
    }

    fn cost(&self, _: &[Type], outputs: &[Type]) -> Cost {
        Cost { flops: 0.0, bytes: outputs[0].bytes() as f64 }
    }

    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        vec![self.axis + 1 != self.shape.rank()]
    }
}

impl Builder {
    /// 0, 1, 2, .. along an axis of `shape`.
    #[track_caller]
    pub fn iota(&self, shape: impl Into<Shape>, axis: usize) -> Result<Var<'_>, GraphError> {
        Ok(self.apply(Op::Iota(Iota { shape: shape.into(), axis }), &[])?[0])
    }
}
