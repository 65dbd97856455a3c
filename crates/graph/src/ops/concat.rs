//! Concat: operands one after another along an axis.

use super::{Backward, Cost, Gradients, Operation, traffic};
use crate::{Array, GraphError, Op, Type, Var};

/// Joins operands along one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Concat {
    /// The axis.
    pub axis: usize,
}

impl Operation for Concat {
    fn name(&self) -> &'static str {
        "concat"
    }

    fn detail(&self) -> String {
        format!("axis {}", self.axis)
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let first = inputs.first().ok_or("needs at least one operand")?;
        if self.axis >= first.shape.rank() {
            return Err(format!("there is no axis {}", self.axis));
        }
        let mut total = 0;
        for ty in inputs {
            if ty.shape.get(self.axis).is_none() || ty.dtype != first.dtype {
                return Err("operands differ in type or rank".into());
            }
            if ty.shape.with(self.axis, 0) != first.shape.with(self.axis, 0) {
                return Err(format!("operands differ outside axis {}", self.axis));
            }
            total += ty.shape[self.axis];
        }
        let shape = first.shape.with(self.axis, total);
        Ok(vec![first.with_shape(shape.ok_or("too many axes")?)])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let first = inputs[0].shape;
        let total = inputs.iter().map(|x| x.shape[self.axis]).sum();
        let outer: usize = first[..self.axis].iter().product();
        let mut data = Vec::new();
        for row in 0..outer {
            for x in inputs {
                let step = x.data.len() / outer;
                data.extend_from_slice(&x.data[row * step..(row + 1) * step]);
            }
        }
        vec![Array { shape: first.with(self.axis, total).unwrap_or(first), data }]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let dy = b.grad()?;
        let mut at = 0;
        let mut grads = Vec::new();
        for input in &b.inputs {
            let size = input.shape()[self.axis];
            grads.push(Some(dy.slice(self.axis, at, at + size)?));
            at += size;
        }
        Ok(grads)
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        Cost { flops: 0.0, bytes: traffic(inputs, outputs) }
    }

    fn carries_batch(&self, inputs: &[Type], outputs: &[Type]) -> Vec<bool> {
        vec![self.axis + 1 != outputs[0].shape.rank(); inputs.len() + 1]
    }
}

impl<'g> Var<'g> {
    /// Joins values along one axis.
    #[track_caller]
    pub fn concat(parts: &[Var<'g>], axis: usize) -> Result<Var<'g>, GraphError> {
        match parts {
            [] => Err(GraphError::Malformed("concat of no values".into())),
            [one] => Ok(*one),
            [first, ..] => Ok(first.builder().apply(Op::Concat(Concat { axis }), parts)?[0]),
        }
    }
}
