//! ScatterAdd: adds batch items to the rows of a table, the gradient of Gather.

use super::gather::without_feature;
use super::{Backward, Cost, Gradients, Operation, expect, floats, operands, traffic};
use crate::array::for_each_index;
use crate::{Array, GraphError, Op, Type, Var};
use whimbrel_tensor::DType;

/// (items `[.., features, B]`, index i32 `[.., B]`) to `[rows, features]`: each row is the sum of
/// the items that name it, in the order of the batch. Items that name no row are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScatterAdd {
    /// Rows of the result.
    pub rows: usize,
}

impl Operation for ScatterAdd {
    fn name(&self) -> &'static str {
        "scatter_add"
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [items, index] = operands(inputs)?;
        floats(&[items])?;
        let axis = items.shape.rank().checked_sub(2).ok_or("items need features and a batch")?;
        let features = items.shape[axis];
        expect(index, "index", items.shape.remove(axis).ok_or("items have no such axis")?)?;
        if index.dtype != DType::I32 {
            return Err("the indices must be i32".into());
        }
        Ok(vec![Type::f32([self.rows, features])])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [items, index] = [inputs[0], inputs[1]];
        let features = items.shape[items.shape.rank() - 2];
        let mut out = Array::full([self.rows, features].into(), 0.0);
        for_each_index(&items.shape, |at| {
            let (feature, item) = without_feature(at);
            let row = index.at(&item);
            if row >= 0.0 && row < self.rows as f64 {
                *out.at_mut(&[row as usize, feature]) += items.at(at);
            }
        });
        vec![out]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        Ok(vec![Some(b.grad()?.gather(b.inputs[1])?), None])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        Cost { flops: inputs[0].numel() as f64, bytes: traffic(inputs, outputs) }
    }

    /// The batch is summed away.
    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        vec![true, true, false]
    }
}

impl<'g> Var<'g> {
    /// Adds these items `[.., features, B]` to the rows of a table `[rows, features]` named by `index`.
    #[track_caller]
    pub fn scatter_add(self, index: Var<'g>, rows: usize) -> Result<Var<'g>, GraphError> {
        Ok(self.builder().apply(Op::ScatterAdd(ScatterAdd { rows }), &[self, index])?[0])
    }
}
