//! Pad: more elements of one value before and after each axis.

use super::{Backward, Cost, Gradients, Operation, operands, traffic};
use crate::{Array, GraphError, Op, Type, Var};
use whimbrel_tensor::Shape;

/// Puts `low[axis]` elements before and `high[axis]` after every axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Pad {
    /// Elements before each axis.
    pub low: Vec<usize>,
    /// Elements after each axis.
    pub high: Vec<usize>,
    /// What they are.
    pub value: f32,
}

impl Pad {
    fn padded(&self, shape: &Shape) -> Option<Shape> {
        let mut padded = *shape;
        for (axis, &size) in shape.iter().enumerate() {
            let size = size.checked_add(self.low[axis])?.checked_add(self.high[axis])?;
            padded = padded.with(axis, size)?;
        }
        Some(padded)
    }
}

impl Operation for Pad {
    fn name(&self) -> &'static str {
        "pad"
    }

    fn detail(&self) -> String {
        format!("{:?} {:?} with {}", self.low, self.high, self.value)
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [x] = operands(inputs)?;
        super::floats(inputs)?;
        let rank = x.shape.rank();
        if self.low.len() != rank || self.high.len() != rank {
            return Err(format!("{:?} and {:?} do not name every axis", self.low, self.high));
        }
        Ok(vec![x.with_shape(self.padded(&x.shape).ok_or("the result is too large")?)])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let x = inputs[0];
        let Some(shape) = self.padded(&x.shape) else { return Vec::new() };
        vec![Array::from_fn(shape, |index| {
            let source = index.iter().zip(&self.low).zip(x.shape.iter());
            let source =
                source.map(|((&at, &low), &size)| at.checked_sub(low).filter(|&at| at < size));
            match source.collect::<Option<Vec<_>>>() {
                Some(source) => x.at(&source),
                None => f64::from(self.value),
            }
        })]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let sizes = b.inputs[0].shape();
        let mut dx = b.grad()?;
        for (axis, (&low, &size)) in self.low.iter().zip(sizes.iter()).enumerate() {
            dx = dx.slice(axis, low, low + size)?;
        }
        Ok(vec![Some(dx)])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        Cost { flops: 0.0, bytes: traffic(inputs, outputs) }
    }

    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        vec![self.low.last().is_none_or(|&n| n == 0) && self.high.last().is_none_or(|&n| n == 0); 2]
    }
}

impl<'g> Var<'g> {
    /// Puts `low` elements of `value` before and `high` after one axis.
    #[track_caller]
    pub fn pad(
        self,
        axis: usize,
        low: usize,
        high: usize,
        value: f32,
    ) -> Result<Var<'g>, GraphError> {
        let only = |n: usize| {
            let rank = self.shape().rank();
            let rank = if axis < rank { rank } else { rank + 1 };
            (0..rank).map(|a| if a == axis { n } else { 0 }).collect::<Vec<_>>()
        };
        self.pad_axes(&only(low), &only(high), value)
    }

    /// Puts `low[axis]` elements of `value` before and `high[axis]` after every axis.
    #[track_caller]
    pub fn pad_axes(
        self,
        low: &[usize],
        high: &[usize],
        value: f32,
    ) -> Result<Var<'g>, GraphError> {
        self.apply(Op::Pad(Pad { low: low.into(), high: high.into(), value }))
    }
}
