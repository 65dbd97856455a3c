//! Pool1d: the largest or the mean of windows over time, and its gradient.

use super::{Backward, Cost, Gradients, Operation, axes, expect, floats, traffic};
use crate::{Array, GraphError, Op, Type, Var};

/// What becomes of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PoolOp {
    /// The largest; NaN if one is. Padding does not count. The first of equals has the gradient.
    Max,
    /// The sum over the size of the window; padding counts as zeros.
    Average,
}

/// x `[T, C, B]` to y `[T_out, C, B]`, window by window as in PyTorch:
/// `T_out = (T + 2 padding - dilation (kernel - 1) - 1) / stride + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool1d {
    /// What becomes of a window.
    pub op: PoolOp,
    /// Steps of a window.
    pub kernel: usize,
    /// Steps between the starts of two windows.
    pub stride: usize,
    /// Steps added at both ends; at most half the kernel.
    pub padding: usize,
    /// Steps between two elements of a window.
    pub dilation: usize,
}

/// Gradient of the operand: (x, dy) for the largest, (dy) for the mean, to dx `[T, C, B]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool1dGrad {
    /// The pooling.
    pub pool: Pool1d,
    /// T, the steps of its operand.
    pub time: usize,
}

impl Pool1d {
    /// Windows of `kernel` steps, one after another.
    pub fn new(op: PoolOp, kernel: usize) -> Pool1d {
        Pool1d { op, kernel, stride: kernel, padding: 0, dilation: 1 }
    }

    /// Number of windows over `time` steps.
    pub fn time_out(&self, time: usize) -> Result<usize, String> {
        if self.kernel == 0 || self.stride == 0 || self.dilation == 0 {
            return Err("kernel, stride and dilation start at 1".into());
        }
        if self.padding > self.kernel / 2 {
            let (padding, kernel) = (self.padding, self.kernel);
            return Err(format!("padding {padding} is more than half the kernel {kernel}"));
        }
        let padded = time.saturating_add(2 * self.padding);
        let span = self.dilation.saturating_mul(self.kernel - 1).saturating_add(1);
        match padded.checked_sub(span) {
            Some(room) => Ok(room / self.stride + 1),
            None => Err(format!("a window spans {span} steps, there are {padded} with padding")),
        }
    }

    /// The steps of window `t` that are not padding.
    pub fn window(&self, t: usize, time: usize) -> impl Iterator<Item = usize> + use<> {
        let Pool1d { kernel, stride, padding, dilation, .. } = *self;
        let step = move |i: usize| (t * stride + i * dilation).checked_sub(padding);
        (0..kernel).filter_map(step).filter(move |&at| at < time)
    }

    /// The step of window `t` whose element is the window's largest.
    fn winner(&self, x: &Array, t: usize, channel: usize, b: usize) -> Option<usize> {
        let value = |s: usize| x.at(&[s, channel, b]);
        self.window(t, x.shape[0]).reduce(|best, s| {
            let better = value(s) > value(best) || (value(s).is_nan() && !value(best).is_nan());
            if better { s } else { best }
        })
    }
}

impl Operation for Pool1d {
    fn name(&self) -> &'static str {
        match self.op {
            PoolOp::Max => "max_pool1d",
            PoolOp::Average => "average_pool1d",
        }
    }

    fn detail(&self) -> String {
        let Pool1d { kernel, stride, padding, dilation, .. } = self;
        format!("kernel {kernel} stride {stride} padding {padding} dilation {dilation}")
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [x] = super::operands(inputs)?;
        floats(inputs)?;
        let [time, channels, batch] = axes(x, "x")?;
        Ok(vec![Type::f32([self.time_out(time)?, channels, batch])])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let x = inputs[0];
        let [time, channels, batch] = [x.shape[0], x.shape[1], x.shape[2]];
        let shape = [self.time_out(time).unwrap_or(0), channels, batch];
        vec![Array::from_fn(shape.into(), |at| {
            let value = |s| x.at(&[s, at[1], at[2]]);
            match self.op {
                PoolOp::Max => self.winner(x, at[0], at[1], at[2]).map_or(f64::NEG_INFINITY, value),
                PoolOp::Average => {
                    self.window(at[0], time).map(value).sum::<f64>() / self.kernel as f64
                }
            }
        })]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let (x, dy) = (b.inputs[0], b.grad()?);
        let op = Op::Pool1dGrad(Pool1dGrad { pool: *self, time: x.shape()[0] });
        let operands = match self.op {
            PoolOp::Max => vec![x, dy],
            PoolOp::Average => vec![dy],
        };
        Ok(vec![Some(x.builder().apply(op, &operands)?[0])])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        let flops = (outputs[0].numel() * self.kernel) as f64;
        Cost { flops, bytes: traffic(inputs, outputs) }
    }
}

impl Operation for Pool1dGrad {
    fn name(&self) -> &'static str {
        match self.pool.op {
            PoolOp::Max => "max_pool1d_grad",
            PoolOp::Average => "average_pool1d_grad",
        }
    }

    fn detail(&self) -> String {
        self.pool.detail()
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        floats(inputs)?;
        let (x, dy) = match (self.pool.op, inputs) {
            (PoolOp::Max, &[x, dy]) => (Some(x), dy),
            (PoolOp::Average, &[dy]) => (None, dy),
            (PoolOp::Max, _) => return Err("takes x and dy".into()),
            (PoolOp::Average, _) => return Err("takes dy".into()),
        };
        let [_, channels, batch] = axes(dy, "dy")?;
        let dx = Type::f32([self.time, channels, batch]);
        if let Some(x) = x {
            expect(x, "x", dx.shape)?;
        }
        expect(dy, "dy", [self.pool.time_out(self.time)?, channels, batch])?;
        Ok(vec![dx])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let dy = inputs[inputs.len() - 1];
        let mut dx = Array::full([self.time, dy.shape[1], dy.shape[2]].into(), 0.0);
        crate::array::for_each_index(&dy.shape, |at| match self.pool.op {
            PoolOp::Max => {
                if let Some(s) = self.pool.winner(inputs[0], at[0], at[1], at[2]) {
                    *dx.at_mut(&[s, at[1], at[2]]) += dy.at(at);
                }
            }
            PoolOp::Average => {
                for s in self.pool.window(at[0], self.time) {
                    *dx.at_mut(&[s, at[1], at[2]]) += dy.at(at) / self.pool.kernel as f64;
                }
            }
        });
        vec![dx]
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        let windows = inputs[inputs.len() - 1].numel();
        Cost { flops: (windows * self.pool.kernel) as f64, bytes: traffic(inputs, outputs) }
    }
}

impl<'g> Var<'g> {
    /// Pools windows of this sequence `[T, C, B]` over time to `[T_out, C, B]`.
    #[track_caller]
    pub fn pool1d(self, pool: Pool1d) -> Result<Var<'g>, GraphError> {
        self.apply(Op::Pool1d(pool))
    }
}
