//! Target: what should have been predicted, what counts of it and how much; and the mean of errors
//! that follows from it.

use crate::NnError;
use whimbrel_graph::{GraphError, Var};

/// What a prediction is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Target<'g> {
    /// The right values; of classifiers the right classes, i32.
    pub values: Var<'g>,
    /// How much each item or element counts, not negative; broadcast to the values, so that `[batch]`
    /// weighs items.
    pub weight: Option<Var<'g>>,
    /// 0 where an element does not count, whatever its value (NaN too), else 1; broadcast.
    pub mask: Option<Var<'g>>,
    /// Values that came before, `[time, batch]`: losses relative to a naive forecast need them.
    pub history: Option<Var<'g>>,
}

impl<'g> From<Var<'g>> for Target<'g> {
    fn from(values: Var<'g>) -> Target<'g> {
        Target { values, weight: None, mask: None, history: None }
    }
}

impl<'g> Target<'g> {
    /// Values that all count alike.
    pub fn new(values: Var<'g>) -> Target<'g> {
        values.into()
    }

    /// The same target with weights.
    pub fn weighted(self, weight: Var<'g>) -> Target<'g> {
        Target { weight: Some(weight), ..self }
    }

    /// The same target with a mask.
    pub fn masked(self, mask: Var<'g>) -> Target<'g> {
        Target { mask: Some(mask), ..self }
    }

    /// The same target with what came before it.
    pub fn with_history(self, history: Var<'g>) -> Target<'g> {
        Target { history: Some(history), ..self }
    }

    /// The right values, 0 where they do not count: a NaN there would spoil the gradient, even
    /// multiplied by 0.
    pub(crate) fn counted(&self) -> Result<Var<'g>, GraphError> {
        match self.mask {
            Some(mask) => self.values.keep_where(mask.broadcast(self.values.shape())?),
            None => Ok(self.values),
        }
    }

    /// The right values, of the same shape as `prediction`.
    pub(crate) fn like(&self, prediction: Var<'g>, loss: &str) -> Result<Var<'g>, NnError> {
        if self.values.shape() != prediction.shape() {
            return Err(NnError::Shape {
                place: format!("loss {loss}"),
                problem: format!("needs a target like the prediction {}", prediction.ty()),
                given: Box::new(self.values.ty()),
                remedy: "reshape one of them, or change the size of the last layer".into(),
            });
        }
        Ok(self.counted()?)
    }

    /// The weight of each of `errors`, if they do not all count alike.
    pub(crate) fn weights(&self, errors: Var<'g>) -> Result<Option<Var<'g>>, GraphError> {
        let weight = match (self.weight, self.mask) {
            (Some(weight), Some(mask)) => Some(weight.mul(mask)?),
            (weight, mask) => weight.or(mask),
        };
        weight.map(|weight| weight.broadcast(errors.shape())).transpose()
    }

    /// The mean of `errors`, `sum(weight error) / sum(weight)`; 0 if nothing counts.
    pub(crate) fn mean(&self, errors: Var<'g>) -> Result<Var<'g>, GraphError> {
        match self.weights(errors)? {
            None => errors.mean(),
            Some(weights) => ratio(errors.mul(weights)?.sum()?, weights.sum()?),
        }
    }
}

/// `a / b`, and 0 where b is 0. The division itself never sees the 0, which would spoil the gradient.
pub(crate) fn ratio<'g>(a: Var<'g>, b: Var<'g>) -> Result<Var<'g>, GraphError> {
    let g = a.builder();
    let none = b.eq(g.scalar(0.0))?;
    let divisor = none.select(g.scalar(1.0), b)?;
    none.select(g.scalar(0.0), a.div(divisor)?)
}
