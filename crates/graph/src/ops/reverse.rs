//! Reverse: the elements along an axis other than the last, last first.

use super::{Backward, Cost, Gradients, Operation, inner_axis, operands, traffic};
use crate::{Array, GraphError, Op, Type, Var};

/// Element i of the result is element `size - 1 - i` of the operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reverse {
    /// The axis, not the last.
    pub axis: usize,
}

impl Operation for Reverse {
    fn name(&self) -> &'static str {
        "reverse"
    }

    fn detail(&self) -> String {
        format!("axis {}", self.axis)
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [x] = operands(inputs)?;
        inner_axis(x, self.axis)?;
        Ok(vec![x])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let x = inputs[0];
        vec![Array::from_fn(x.shape, |index| {
            let mut from = index.to_vec();
            from[self.axis] = x.shape[self.axis] - 1 - index[self.axis];
            x.at(&from)
        })]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        Ok(vec![Some(b.grad()?.reverse(self.axis)?)])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        Cost { flops: 0.0, bytes: traffic(inputs, outputs) }
    }
}

impl<'g> Var<'g> {
    /// The same elements along an axis other than the last, last first.
    #[track_caller]
    pub fn reverse(self, axis: usize) -> Result<Var<'g>, GraphError> {
        self.apply(Op::Reverse(Reverse { axis }))
    }
}
