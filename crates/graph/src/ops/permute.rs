//! Permute: axes in another order.

use super::{Backward, Cost, Gradients, Operation, operands, traffic};
use crate::{Array, GraphError, Op, Type, Var};
use whimbrel_tensor::Shape;

/// Axis `i` of the result is axis `order[i]` of the operand.
#[derive(Clone, Debug, PartialEq)]
pub struct Permute {
    /// A permutation of the axes.
    pub order: Vec<usize>,
}

impl Operation for Permute {
    fn name(&self) -> &'static str {
        "permute"
    }

    fn detail(&self) -> String {
        format!("{:?}", self.order)
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [x] = operands(inputs)?;
        let mut seen = vec![false; x.shape.rank()];
        for &axis in &self.order {
            match seen.get_mut(axis) {
                Some(seen @ false) => *seen = true,
                _ => return Err(format!("{:?} is not an order of its axes", self.order)),
            }
        }
        if self.order.len() != seen.len() {
            return Err(format!("{:?} is not an order of its axes", self.order));
        }
        let sizes: Vec<_> = self.order.iter().map(|&a| x.shape[a]).collect();
        let shape = Shape::from_slice(&sizes).map_err(|e| e.to_string())?;
        Ok(vec![x.with_shape(shape)])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let x = inputs[0];
        let sizes: Vec<_> = self.order.iter().map(|&a| x.shape[a]).collect();
        let shape = Shape::from_slice(&sizes).unwrap_or(x.shape);
        let mut source = vec![0; sizes.len()];
        vec![Array::from_fn(shape, |index| {
            for (i, &axis) in self.order.iter().enumerate() {
                source[axis] = index[i];
            }
            x.at(&source)
        })]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let mut inverse = vec![0; self.order.len()];
        for (i, &axis) in self.order.iter().enumerate() {
            inverse[axis] = i;
        }
        Ok(vec![Some(b.grad()?.permute(&inverse)?)])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        Cost { flops: 0.0, bytes: traffic(inputs, outputs) }
    }

    fn carries_batch(&self, inputs: &[Type], _: &[Type]) -> Vec<bool> {
        vec![self.order.last() == inputs[0].shape.rank().checked_sub(1).as_ref(); 2]
    }
}

impl<'g> Var<'g> {
    /// Axis `i` of the result is axis `order[i]` of this value.
    #[track_caller]
    pub fn permute(self, order: &[usize]) -> Result<Var<'g>, GraphError> {
        if order.iter().copied().eq(0..self.shape().rank()) {
            return Ok(self);
        }
        self.apply(Op::Permute(Permute { order: order.into() }))
    }
}
