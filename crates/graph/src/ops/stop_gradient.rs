//! StopGradient: the operand itself, taken as a constant by differentiation.

use super::{Cost, Operation, operands};
use crate::{Array, GraphError, Op, Type, Var};

/// Passes its operand on, but no gradient back.
#[derive(Clone, Debug, PartialEq)]
pub struct StopGradient;

impl Operation for StopGradient {
    fn name(&self) -> &'static str {
        "stop_gradient"
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [x] = operands(inputs)?;
        Ok(vec![x])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        vec![inputs[0].clone()]
    }

    fn stops_gradient(&self) -> bool {
        true
    }

    fn cost(&self, _: &[Type], _: &[Type]) -> Cost {
        Cost::default()
    }
}

impl<'g> Var<'g> {
    /// This value, taken as a constant by differentiation.
    #[track_caller]
    pub fn stop_gradient(self) -> Result<Var<'g>, GraphError> {
        self.apply(Op::StopGradient(StopGradient))
    }
}
