//! Softmax and LogSoftmax along an axis other than the last.
//!
//! Composites: each could be written in primitives, and its gradient is; the engine has a kernel
//! for the whole. This is the file to imitate for a composite.

use super::{Backward, Cost, Gradients, Operation, floats, inner_axis, operands, traffic};
use crate::array::for_each_index;
use crate::{Array, GraphError, Op, Type, Var};

/// `exp(x) / sum exp(x)` along the axis. Where all elements are -inf, as if all were masked, zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Softmax {
    /// The axis, not the last.
    pub axis: usize,
}

/// `x - log sum exp(x)` along the axis. Where all elements are -inf, -inf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogSoftmax {
    /// The axis, not the last.
    pub axis: usize,
}

/// The largest element and the sum of `exp(x - largest)` along an axis; (-inf, 0) if all are -inf.
fn largest_and_sum(x: &Array, axis: usize) -> (Array, Array) {
    let kept = x.shape.with(axis, 1).unwrap_or(x.shape);
    let mut largest = Array::full(kept, f64::NEG_INFINITY);
    let mut sum = Array::full(kept, 0.0);
    let without = |index: &[usize]| {
        let mut to = index.to_vec();
        to[axis] = 0;
        to
    };
    for_each_index(&x.shape, |index| {
        let so_far = largest.at_mut(&without(index));
        if x.at(index) > *so_far || x.at(index).is_nan() {
            *so_far = x.at(index);
        }
    });
    for_each_index(&x.shape, |index| {
        let to = without(index);
        if largest.at(&to) != f64::NEG_INFINITY {
            *sum.at_mut(&to) += (x.at(index) - largest.at(&to)).exp();
        }
    });
    (largest, sum)
}

impl Operation for Softmax {
    fn name(&self) -> &'static str {
        "softmax"
    }

    fn detail(&self) -> String {
        format!("axis {}", self.axis)
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [x] = operands(inputs)?;
        floats(inputs)?;
        inner_axis(x, self.axis)?;
        Ok(vec![x])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let x = inputs[0];
        let (largest, sum) = largest_and_sum(x, self.axis);
        vec![Array::from_fn(x.shape, |index| {
            let mut to = index.to_vec();
            to[self.axis] = 0;
            match largest.at(&to) {
                f64::NEG_INFINITY => 0.0,
                largest => (x.at(index) - largest).exp() / sum.at(&to),
            }
        })]
    }

    /// `dx = y (dy - sum y dy)`.
    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let (y, dy) = (b.outputs[0], b.grad()?);
        let mean = y.mul(dy)?.sum_axes(&[self.axis])?;
        Ok(vec![Some(y.mul(dy.sub(mean)?)?)])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        Cost { flops: 18.0 * inputs[0].numel() as f64, bytes: traffic(inputs, outputs) }
    }
}

impl Operation for LogSoftmax {
    fn name(&self) -> &'static str {
        "log_softmax"
    }

    fn detail(&self) -> String {
        format!("axis {}", self.axis)
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        Softmax { axis: self.axis }.infer(inputs)
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let x = inputs[0];
        let (largest, sum) = largest_and_sum(x, self.axis);
        vec![Array::from_fn(x.shape, |index| {
            let mut to = index.to_vec();
            to[self.axis] = 0;
            match largest.at(&to) {
                f64::NEG_INFINITY => f64::NEG_INFINITY,
                largest => x.at(index) - largest - sum.at(&to).ln(),
            }
        })]
    }

    /// `dx = dy - softmax(x) sum dy`.
    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let (y, dy) = (b.outputs[0], b.grad()?);
        let sum = dy.sum_axes(&[self.axis])?;
        Ok(vec![Some(dy.sub(y.exp()?.mul(sum)?)?)])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        Cost { flops: 18.0 * inputs[0].numel() as f64, bytes: traffic(inputs, outputs) }
    }
}

impl<'g> Var<'g> {
    /// `exp(x) / sum exp(x)` along an axis other than the last; zeros where all are -inf.
    #[track_caller]
    pub fn softmax(self, axis: usize) -> Result<Var<'g>, GraphError> {
        self.apply(Op::Softmax(Softmax { axis }))
    }

    /// `x - log sum exp(x)` along an axis other than the last.
    #[track_caller]
    pub fn log_softmax(self, axis: usize) -> Result<Var<'g>, GraphError> {
        self.apply(Op::LogSoftmax(LogSoftmax { axis }))
    }
}
