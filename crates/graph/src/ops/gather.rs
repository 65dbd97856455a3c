//! Gather: rows of a table, picked by index, as the items of a batch or of sequences.

use super::{Backward, Cost, Gradients, Operation, operands};
use crate::{Array, GraphError, Op, Type, Var};
use whimbrel_tensor::{DType, Shape};

/// `out[.., feature, item] = table[index[.., item], feature]`.
///
/// Indices are i32; the engine refuses those outside the table before it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Gather;

impl Operation for Gather {
    fn name(&self) -> &'static str {
        "gather"
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [table, index] = operands(inputs)?;
        if table.shape.rank() != 2 || table.dtype != DType::F32 {
            return Err("the table must be f32 with axes row, feature".into());
        }
        if index.shape.rank() == 0 || index.dtype != DType::I32 {
            return Err("the indices must be i32 with the batch as last axis".into());
        }
        Ok(vec![Type::f32(rows_shape(index.shape, table.shape[1]).ok_or("has too many axes")?)])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [table, index] = [inputs[0], inputs[1]];
        let Some(shape) = rows_shape(index.shape, table.shape[1]) else { return Vec::new() };
        vec![Array::from_fn(shape, |at| {
            let (feature, item) = without_feature(at);
            table.at(&[index.at(&item) as usize, feature])
        })]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let (table, index, dy) = (b.inputs[0], b.inputs[1], b.grad()?);
        let of_table = || dy.scatter_add(index, table.shape()[0]);
        Ok(vec![b.needed[0].then(of_table).transpose()?, None])
    }

    fn cost(&self, _: &[Type], outputs: &[Type]) -> Cost {
        Cost { flops: 0.0, bytes: 2.0 * outputs[0].bytes() as f64 }
    }

    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        vec![false, true, true]
    }
}

/// The shape of the rows that `index` names: the features stand before the batch.
fn rows_shape(index: Shape, features: usize) -> Option<Shape> {
    index.insert(index.rank().checked_sub(1)?, features)
}

/// Of an index into gathered rows: the feature, and the index of the item.
pub(super) fn without_feature(at: &[usize]) -> (usize, Vec<usize>) {
    let mut item = at.to_vec();
    let feature = item.remove(at.len() - 2);
    (feature, item)
}

impl<'g> Var<'g> {
    /// Rows of this table `[rows, features]` by `index` `[.., items]`, as `[.., features, items]`.
    #[track_caller]
    pub fn gather(self, index: Var<'g>) -> Result<Var<'g>, GraphError> {
        Ok(self.builder().apply(Op::Gather(Gather), &[self, index])?[0])
    }
}
