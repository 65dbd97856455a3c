//! Dot: matrix products, plain, batched, or summed over the batch of matrices.
//!
//! Operands are matrices in their last two axes. Leading axes count matrices; an operand of two
//! axes is shared by all of them. With `sum` the products of all matrices are added up, which is
//! the gradient of a shared operand.

use super::{Backward, Cost, Gradients, Operation, floats, operands, traffic};
use crate::array::for_each_index;
use crate::{Array, GraphError, Op, Type, Var};
use whimbrel_tensor::Shape;

/// `lhs . rhs`, each transposed first if asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dot {
    /// Transpose the matrices of the left operand.
    pub lhs_transposed: bool,
    /// Transpose the matrices of the right operand.
    pub rhs_transposed: bool,
    /// Add up the products over the leading axes.
    pub sum: bool,
}

/// Sizes of a product: `matrices` of `m x k` times `k x n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Number of matrices multiplied.
    pub matrices: usize,
    /// Rows of the result.
    pub m: usize,
    /// Length of the sums.
    pub k: usize,
    /// Columns of the result.
    pub n: usize,
}

impl Dot {
    /// Sizes of the product of operands that fit.
    pub fn sizes(&self, lhs: Shape, rhs: Shape) -> Result<Sizes, String> {
        let split = |shape: &Shape, transposed: bool| -> Result<(Shape, usize, usize), String> {
            let rank = shape.rank();
            if rank < 2 {
                return Err("operands need at least two axes".into());
            }
            let lead = Shape::from_slice(&shape[..rank - 2]).map_err(|e| e.to_string())?;
            let (rows, columns) = (shape[rank - 2], shape[rank - 1]);
            Ok(if transposed { (lead, columns, rows) } else { (lead, rows, columns) })
        };
        let (lhs_lead, m, k) = split(&lhs, self.lhs_transposed)?;
        let (rhs_lead, rhs_k, n) = split(&rhs, self.rhs_transposed)?;
        if k != rhs_k {
            return Err(format!("inner dimensions differ ({k} != {rhs_k})"));
        }
        let (left, right) = (lhs_lead.rank() > 0, rhs_lead.rank() > 0);
        if left && right && lhs_lead != rhs_lead {
            return Err("leading axes differ".into());
        }
        if self.sum && !(left && right) {
            return Err("a summed product needs leading axes on both sides".into());
        }
        let lead = if left { lhs_lead } else { rhs_lead };
        Ok(Sizes { matrices: lead.numel(), m, k, n })
    }
}

impl Operation for Dot {
    fn name(&self) -> &'static str {
        "dot"
    }

    fn detail(&self) -> String {
        let flags =
            [(self.lhs_transposed, "lhsᵀ"), (self.rhs_transposed, "rhsᵀ"), (self.sum, "sum")];
        let set: Vec<_> = flags.iter().filter(|f| f.0).map(|f| f.1).collect();
        set.join(" ")
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [lhs, rhs] = operands(inputs)?;
        floats(inputs)?;
        let Sizes { m, n, .. } = self.sizes(lhs.shape, rhs.shape)?;
        let lead = if lhs.shape.rank() > 2 { lhs.shape } else { rhs.shape };
        let mut sizes = if self.sum { Vec::new() } else { lead[..lead.rank() - 2].to_vec() };
        sizes.extend([m, n]);
        Ok(vec![lhs.with_shape(Shape::from_slice(&sizes).map_err(|e| e.to_string())?)])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [lhs, rhs] = [inputs[0], inputs[1]];
        let types = [Type::f32(lhs.shape), Type::f32(rhs.shape)];
        let Ok(sizes) = self.sizes(lhs.shape, rhs.shape) else { return Vec::new() };
        let Ok(ty) = self.infer(&types) else { return Vec::new() };
        let mut out = Array::full(ty[0].shape, 0.0);
        let step = |rank: usize, numel: usize| if rank > 2 { numel } else { 0 };
        let lhs_step = step(lhs.shape.rank(), sizes.m * sizes.k);
        let rhs_step = step(rhs.shape.rank(), sizes.k * sizes.n);
        let out_step = if self.sum { 0 } else { sizes.m * sizes.n };
        for_each_index(&[sizes.matrices, sizes.m, sizes.n, sizes.k], |index| {
            let [b, i, j, k] = [index[0], index[1], index[2], index[3]];
            let at = if self.lhs_transposed { k * sizes.m + i } else { i * sizes.k + k };
            let left = lhs.data[b * lhs_step + at];
            let at = if self.rhs_transposed { j * sizes.k + k } else { k * sizes.n + j };
            out.data[b * out_step + i * sizes.n + j] += left * rhs.data[b * rhs_step + at];
        });
        vec![out]
    }

    /// With A and B after transposition: dA = dY Bᵀ and dB = Aᵀ dY, transposed back as stored.
    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let (lhs, rhs, dy) = (b.inputs[0], b.inputs[1], b.grad()?);
        let (lt, rt) = (self.lhs_transposed, self.rhs_transposed);
        let shared = |own: Var, other: Var| own.shape().rank() == 2 && other.shape().rank() > 2;
        let d_lhs = || {
            let sum = !self.sum && shared(lhs, rhs);
            match lt {
                false => dy.product(rhs, Dot { lhs_transposed: false, rhs_transposed: !rt, sum }),
                true => rhs.product(dy, Dot { lhs_transposed: rt, rhs_transposed: true, sum }),
            }
        };
        let d_rhs = || {
            let sum = !self.sum && shared(rhs, lhs);
            match rt {
                false => lhs.product(dy, Dot { lhs_transposed: !lt, rhs_transposed: false, sum }),
                true => dy.product(lhs, Dot { lhs_transposed: true, rhs_transposed: lt, sum }),
            }
        };
        Ok(vec![b.needed[0].then(d_lhs).transpose()?, b.needed[1].then(d_rhs).transpose()?])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        let bytes = traffic(inputs, outputs);
        match self.sizes(inputs[0].shape, inputs[1].shape) {
            Ok(s) => Cost { flops: 2.0 * (s.matrices * s.m * s.k * s.n) as f64, bytes },
            Err(_) => Cost::default(),
        }
    }

    /// The batch is the columns of the right operand and the result, or is summed over as the
    /// inner dimension of both.
    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        if self.rhs_transposed {
            let summed = !self.lhs_transposed;
            vec![summed, summed, false]
        } else {
            vec![false, true, true]
        }
    }
}

impl<'g> Var<'g> {
    /// The matrix product `self . rhs`.
    #[track_caller]
    pub fn dot(self, rhs: Var<'g>) -> Result<Var<'g>, GraphError> {
        self.product(rhs, Dot::default())
    }

    /// A matrix product with transposed operands or summed over leading axes.
    #[track_caller]
    pub fn product(self, rhs: Var<'g>, dot: Dot) -> Result<Var<'g>, GraphError> {
        Ok(self.builder().apply(Op::Dot(dot), &[self, rhs])?[0])
    }
}
