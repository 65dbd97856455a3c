//! Cumsum: running sums along an axis other than the last.

use super::{Backward, Gradients, Operation, floats, inner_axis, operands};
use crate::array::for_each_index;
use crate::{Array, GraphError, Op, Type, Var};

/// Element i of the result is the sum of elements 0 to i, or of i to the last if `reverse`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cumsum {
    /// The axis, not the last.
    pub axis: usize,
    /// Whether to sum from the end.
    pub reverse: bool,
}

impl Operation for Cumsum {
    fn name(&self) -> &'static str {
        "cumsum"
    }

    fn detail(&self) -> String {
        format!("axis {}{}", self.axis, if self.reverse { " reverse" } else { "" })
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [x] = operands(inputs)?;
        floats(inputs)?;
        inner_axis(x, self.axis)?;
        Ok(vec![x])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let x = inputs[0];
        let mut out = Array::full(x.shape, 0.0);
        for_each_index(&x.shape, |index| {
            let (own, size) = (index[self.axis], x.shape[self.axis]);
            let mut to = index.to_vec();
            for at in if self.reverse { 0..own + 1 } else { own..size } {
                to[self.axis] = at;
                *out.at_mut(&to) += x.at(index);
            }
        });
        vec![out]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let back = Cumsum { axis: self.axis, reverse: !self.reverse };
        Ok(vec![Some(b.grad()?.apply(Op::Cumsum(back))?)])
    }
}

impl<'g> Var<'g> {
    /// Running sums along an axis other than the last.
    #[track_caller]
    pub fn cumsum(self, axis: usize) -> Result<Var<'g>, GraphError> {
        self.apply(Op::Cumsum(Cumsum { axis, reverse: false }))
    }
}
