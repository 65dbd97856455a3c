//! Reduce: sums or extremes along axes, which stay as axes of size 1.

use super::{Backward, Cost, Gradients, Operation, floats, operands, traffic};
use crate::array::for_each_index;
use crate::{Array, GraphError, Op, Type, Var};
use whimbrel_tensor::Shape;

/// How elements are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// Their sum; 0 of none.
    Sum,
    /// The largest; NaN if one is; -inf of none.
    Max,
    /// The smallest; NaN if one is; inf of none.
    Min,
}

/// Combines elements along axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduce {
    /// How.
    pub op: ReduceOp,
    /// Along which axes, ascending.
    pub axes: Vec<usize>,
}

impl Reduce {
    fn reduced(&self, shape: Shape) -> Option<Shape> {
        self.axes.iter().try_fold(shape, |shape, &axis| shape.with(axis, 1))
    }
}

impl Operation for Reduce {
    fn name(&self) -> &'static str {
        match self.op {
            ReduceOp::Sum => "sum",
            ReduceOp::Max => "reduce_max",
            ReduceOp::Min => "reduce_min",
        }
    }

    fn detail(&self) -> String {
        format!("axes {:?}", self.axes)
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [x] = operands(inputs)?;
        floats(inputs)?;
        if !self.axes.is_sorted_by(|a, b| a < b) || self.axes.iter().any(|&a| a >= x.shape.rank()) {
            return Err(format!("{:?} are not ascending axes of it", self.axes));
        }
        Ok(vec![x.with_shape(self.reduced(x.shape).ok_or("has no such axis")?)])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let x = inputs[0];
        let start = match self.op {
            ReduceOp::Sum => 0.0,
            ReduceOp::Max => f64::NEG_INFINITY,
            ReduceOp::Min => f64::INFINITY,
        };
        let mut out = Array::full(self.reduced(x.shape).unwrap_or(x.shape), start);
        for_each_index(&x.shape, |index| {
            let mut to = index.to_vec();
            for &axis in &self.axes {
                to[axis] = 0;
            }
            let at = out.offset(&to);
            let (so_far, new) = (out.data[at], x.at(index));
            out.data[at] = match self.op {
                ReduceOp::Sum => so_far + new,
                _ if so_far.is_nan() || new.is_nan() => f64::NAN,
                ReduceOp::Max => so_far.max(new),
                ReduceOp::Min => so_far.min(new),
            };
        });
        vec![out]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let (x, y, dy) = (b.inputs[0], b.outputs[0], b.grad()?);
        let spread = dy.broadcast(x.shape())?;
        if self.op == ReduceOp::Sum {
            return Ok(vec![Some(spread)]);
        }
        // Elements that tie for the extreme share its gradient.
        let hit = x.eq(y.broadcast(x.shape())?)?;
        let ties = hit.sum_axes(&self.axes)?;
        Ok(vec![Some(hit.mul(dy.div(ties)?)?)])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        Cost { flops: inputs[0].numel() as f64, bytes: traffic(inputs, outputs) }
    }

    /// The operand is carried either way: its batch is kept or reduced away.
    fn carries_batch(&self, inputs: &[Type], _: &[Type]) -> Vec<bool> {
        let last = inputs[0].shape.rank().wrapping_sub(1);
        vec![true, !self.axes.contains(&last)]
    }
}

impl<'g> Var<'g> {
    #[track_caller]
    fn reduce(self, op: ReduceOp, axes: &[usize]) -> Result<Var<'g>, GraphError> {
        if axes.is_empty() {
            return Ok(self);
        }
        let mut axes = axes.to_vec();
        axes.sort_unstable();
        self.apply(Op::Reduce(Reduce { op, axes }))
    }

    /// Sums along axes, which stay with size 1.
    #[track_caller]
    pub fn sum_axes(self, axes: &[usize]) -> Result<Var<'g>, GraphError> {
        self.reduce(ReduceOp::Sum, axes)
    }

    /// Means along axes, which stay with size 1.
    #[track_caller]
    pub fn mean_axes(self, axes: &[usize]) -> Result<Var<'g>, GraphError> {
        let shape = self.shape();
        let count: usize = axes.iter().filter_map(|&a| shape.get(a)).product();
        self.sum_axes(axes)?.mul(self.builder().scalar(1.0 / count as f32))
    }

    /// The largest along axes, which stay with size 1.
    #[track_caller]
    pub fn max_axes(self, axes: &[usize]) -> Result<Var<'g>, GraphError> {
        self.reduce(ReduceOp::Max, axes)
    }

    /// The smallest along axes, which stay with size 1.
    #[track_caller]
    pub fn min_axes(self, axes: &[usize]) -> Result<Var<'g>, GraphError> {
        self.reduce(ReduceOp::Min, axes)
    }

    /// The sum of all elements, without axes.
    #[track_caller]
    pub fn sum(self) -> Result<Var<'g>, GraphError> {
        let axes: Vec<_> = (0..self.shape().rank()).collect();
        self.sum_axes(&axes)?.reshape(Shape::SCALAR)
    }

    /// The mean of all elements, without axes.
    #[track_caller]
    pub fn mean(self) -> Result<Var<'g>, GraphError> {
        let count = self.ty().numel();
        self.sum()?.mul(self.builder().scalar(1.0 / count as f32))
    }
}
