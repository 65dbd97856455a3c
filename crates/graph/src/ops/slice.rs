//! Slice: a range of one axis.

use super::{Backward, Cost, Gradients, Operation, operands, traffic};
use crate::{Array, GraphError, Op, Type, Var};

/// Elements `start..end` of one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// The axis.
    pub axis: usize,
    /// First element.
    pub start: usize,
    /// One past the last.
    pub end: usize,
}

impl Operation for Slice {
    fn name(&self) -> &'static str {
        "slice"
    }

    fn detail(&self) -> String {
        format!("axis {} {}..{}", self.axis, self.start, self.end)
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [x] = operands(inputs)?;
        let size = *x.shape.get(self.axis).ok_or_else(|| format!("has no axis {}", self.axis))?;
        if self.start > self.end || self.end > size {
            return Err(format!("{}..{} is not inside 0..{size}", self.start, self.end));
        }
        let shape = x.shape.with(self.axis, self.end - self.start);
        Ok(vec![x.with_shape(shape.ok_or("too many axes")?)])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let x = inputs[0];
        let inner: usize = x.shape[self.axis + 1..].iter().product();
        let step = x.shape[self.axis] * inner;
        let range = self.start * inner..self.end * inner;
        let rows = x.data.chunks(step.max(1));
        let data = rows.flat_map(|row| row[range.clone()].iter().copied()).collect();
        let shape = x.shape.with(self.axis, self.end - self.start).unwrap_or(x.shape);
        vec![Array { shape, data }]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let (x, dy) = (b.inputs[0], b.grad()?);
        let size = x.shape()[self.axis];
        let zeros = |n: usize| -> Result<Option<Var<'g>>, GraphError> {
            let shape = dy.shape().with(self.axis, n).filter(|_| n > 0);
            shape.map(|s| x.builder().scalar(0.0).broadcast(s)).transpose()
        };
        let parts = [zeros(self.start)?, Some(dy), zeros(size - self.end)?];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        Ok(vec![Some(Var::concat(&parts, self.axis)?)])
    }

    fn cost(&self, _: &[Type], outputs: &[Type]) -> Cost {
        Cost { flops: 0.0, bytes: 2.0 * traffic(&[], outputs) }
    }

    fn carries_batch(&self, inputs: &[Type], _: &[Type]) -> Vec<bool> {
        vec![self.axis + 1 != inputs[0].shape.rank(); 2]
    }
}

impl<'g> Var<'g> {
    /// Elements `start..end` of one axis.
    #[track_caller]
    pub fn slice(self, axis: usize, start: usize, end: usize) -> Result<Var<'g>, GraphError> {
        if self.shape().get(axis) == Some(&end) && start == 0 {
            return Ok(self);
        }
        self.apply(Op::Slice(Slice { axis, start, end }))
    }
}
