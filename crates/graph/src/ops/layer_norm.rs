//! LayerNorm: mean 0 and variance 1 along an axis other than the last.

use super::{Backward, Cost, Gradients, Operation, floats, inner_axis, operands, traffic};
use crate::array::for_each_index;
use crate::{Array, GraphError, Op, Type, Var};

/// x to (y, rstd): `y = (x - mean) rstd`, `rstd = 1 / sqrt(variance + eps)` with size 1 along the
/// axis. The variance is that of the elements themselves, not an estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerNorm {
    /// The axis, not the last.
    pub axis: usize,
    /// Added to the variance.
    pub eps: f64,
}

impl Operation for LayerNorm {
    fn name(&self) -> &'static str {
        "layer_norm"
    }

    fn detail(&self) -> String {
        format!("axis {} eps {:e}", self.axis, self.eps)
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [x] = operands(inputs)?;
        floats(inputs)?;
        inner_axis(x, self.axis)?;
        let kept = x.shape.with(self.axis, 1).ok_or("has no such axis")?;
        Ok(vec![x, x.with_shape(kept)])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let x = inputs[0];
        let n = x.shape[self.axis] as f64;
        let kept = x.shape.with(self.axis, 1).unwrap_or(x.shape);
        let without = |index: &[usize]| {
            let mut to = index.to_vec();
            to[self.axis] = 0;
            to
        };
        let mut mean = Array::full(kept, 0.0);
        for_each_index(&x.shape, |index| *mean.at_mut(&without(index)) += x.at(index) / n);
        let centred = Array::from_fn(x.shape, |index| x.at(index) - mean.at(&without(index)));
        let mut variance = Array::full(kept, 0.0);
        for_each_index(&x.shape, |index| {
            *variance.at_mut(&without(index)) += centred.at(index).powi(2) / n;
        });
        let rstd = variance.map(|v| 1.0 / (v + self.eps).sqrt());
        let y = Array::from_fn(x.shape, |index| centred.at(index) * rstd.at(&without(index)));
        vec![y, rstd]
    }

    /// `dx = rstd (dy - mean dy - y mean (y dy))`; from rstd itself comes `-rstd² y drstd / n`.
    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let (y, rstd, axis) = (b.outputs[0], b.outputs[1], [self.axis]);
        let through_y = match b.grads[0] {
            None => None,
            Some(dy) => {
                let centred = dy.sub(dy.mean_axes(&axis)?)?;
                let along = y.mul(y.mul(dy)?.mean_axes(&axis)?)?;
                Some(rstd.mul(centred.sub(along)?)?)
            }
        };
        let through_rstd = match b.grads[1] {
            None => None,
            Some(drstd) => {
                let n = y.shape()[self.axis];
                let slope = rstd.square()?.mul(drstd)?.mul(y.builder().scalar(-1.0 / n as f32))?;
                Some(y.mul(slope)?)
            }
        };
        Ok(vec![match (through_y, through_rstd) {
            (Some(a), Some(b)) => Some(a.add(b)?),
            (a, b) => a.or(b),
        }])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        Cost { flops: 7.0 * inputs[0].numel() as f64, bytes: traffic(inputs, outputs) }
    }
}

impl<'g> Var<'g> {
    /// Mean 0 and variance 1 along an axis other than the last, then times `weight` plus `bias`
    /// where given, broadcast.
    #[track_caller]
    pub fn layer_norm(
        self,
        axis: usize,
        eps: f64,
        weight: Option<Var<'g>>,
        bias: Option<Var<'g>>,
    ) -> Result<Var<'g>, GraphError> {
        let mut y = self.apply(Op::LayerNorm(LayerNorm { axis, eps }))?;
        if let Some(weight) = weight {
            y = y.mul(weight)?;
        }
        if let Some(bias) = bias {
            y = y.add(bias)?;
        }
        Ok(y)
    }
}
