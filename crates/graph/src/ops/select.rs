//! Select: picks from two operands by a mask.

use super::{Backward, Gradients, Operation, floats, operands};
use crate::{Array, GraphError, Op, Type, Var};

/// Elements of the second operand where the first is not 0, of the third elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Select;

impl Operation for Select {
    fn name(&self) -> &'static str {
        "select"
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [mask, a, b] = operands(inputs)?;
        floats(inputs)?;
        if mask.shape != a.shape || a.shape != b.shape {
            return Err("shapes differ".into());
        }
        Ok(vec![a])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [mask, a, b] = [inputs[0], inputs[1], inputs[2]];
        let pick = |i: usize| if mask.data[i] != 0.0 { a.data[i] } else { b.data[i] };
        vec![Array { shape: a.shape, data: (0..a.data.len()).map(pick).collect() }]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let (mask, dy) = (b.inputs[0], b.grad()?);
        let zero = mask.builder().scalar(0.0).broadcast(dy.shape())?;
        Ok(vec![None, Some(mask.select(dy, zero)?), Some(mask.select(zero, dy)?)])
    }
}

impl<'g> Var<'g> {
    /// `a` where this mask is not 0, `b` elsewhere; broadcast.
    #[track_caller]
    pub fn select(self, a: Var<'g>, b: Var<'g>) -> Result<Var<'g>, GraphError> {
        let shapes = a.shape().broadcast(&b.shape()).and_then(|s| s.broadcast(&self.shape()));
        let operands = match shapes {
            Some(shape) => [self.broadcast(shape)?, a.broadcast(shape)?, b.broadcast(shape)?],
            None => [self, a, b],
        };
        Ok(self.builder().apply(Op::Select(Select), &operands)?[0])
    }

    /// This value where `mask` is not 0, else 0.
    #[track_caller]
    pub fn keep_where(self, mask: Var<'g>) -> Result<Var<'g>, GraphError> {
        mask.select(self, self.builder().scalar(0.0))
    }
}
