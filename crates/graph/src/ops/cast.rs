//! Cast: the same numbers as another element type.

use super::{Operation, operands};
use crate::{Array, GraphError, Op, Type, Var};
use whimbrel_tensor::DType;

/// Between f32 and i32. To i32 it rounds towards 0, to the nearest i32 beyond their range, NaN
/// to 0. No gradient passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cast {
    /// The element type of the result.
    pub to: DType,
}

impl Operation for Cast {
    fn name(&self) -> &'static str {
        "cast"
    }

    fn detail(&self) -> String {
        self.to.name().to_lowercase()
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [x] = operands(inputs)?;
        match (x.dtype, self.to) {
            (DType::F32 | DType::I32, DType::F32 | DType::I32) => {
                Ok(vec![Type { dtype: self.to, ..x }])
            }
            _ => Err("casts between f32 and i32 only".into()),
        }
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        vec![match self.to {
            DType::I32 => inputs[0].map(|x| f64::from(x as i32)),
            _ => inputs[0].clone(),
        }]
    }

    fn stops_gradient(&self) -> bool {
        true
    }
}

impl<'g> Var<'g> {
    /// The same numbers as f32 or i32, rounded towards 0.
    #[track_caller]
    pub fn cast(self, to: DType) -> Result<Var<'g>, GraphError> {
        if self.ty().dtype == to {
            return Ok(self);
        }
        self.apply(Op::Cast(Cast { to }))
    }
}
