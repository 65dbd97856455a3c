//! Dense: a product and the element-wise steps that follow it, as one; made by
//! `passes::fuse_epilogues`.
//!
//! The operands are the two factors, then what the steps read besides the product.

use super::{Cost, Dot, Fused, Operation, traffic};
use crate::{Array, Type};

/// `fused(lhs . rhs, others)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    /// The product.
    pub dot: Dot,
    /// The steps; their first operand is the product.
    pub fused: Fused,
}

impl Dense {
    /// The type of the product, if the factors are there and fit.
    fn product(&self, inputs: &[Type]) -> Result<Type, String> {
        match inputs {
            [lhs, rhs, ..] => Ok(self.dot.infer(&[*lhs, *rhs])?[0]),
            _ => Err(format!("takes at least 2 operands, was given {}", inputs.len())),
        }
    }

    /// What the steps read.
    fn read<T: Clone>(product: T, inputs: &[T]) -> Vec<T> {
        std::iter::once(product).chain(inputs[2..].iter().cloned()).collect()
    }
}

impl Operation for Dense {
    fn name(&self) -> &'static str {
        "dense"
    }

    fn detail(&self) -> String {
        let parts = [self.dot.detail(), self.fused.detail()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let product = self.product(inputs)?;
        self.fused.infer(&Dense::read(product, inputs))
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let product = self.dot.eval(&inputs[..2]);
        self.fused.eval(&Dense::read(&product[0], inputs))
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        let steps = self.fused.cost(&[], outputs);
        let product = self.dot.cost(&inputs[..2], outputs);
        Cost { flops: product.flops + steps.flops, bytes: traffic(inputs, outputs) }
    }

    fn carries_batch(&self, inputs: &[Type], outputs: &[Type]) -> Vec<bool> {
        let factors = self.dot.carries_batch(&inputs[..2], outputs);
        let steps = self.fused.carries_batch(&inputs[2..], outputs);
        factors[..2].iter().chain(&steps).copied().collect()
    }
}
