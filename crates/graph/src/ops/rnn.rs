//! Rnn: a layer of plain recurrent cells over a whole sequence, `h' = f(pre + w_hh h)`.
//!
//! The input projection is one product over all steps, made before. Going back, [`RnnGrad`] walks
//! through the cells only. Start reading at [`Var::rnn`].

use super::{Backward, Cost, Gradients, Operation, axes, expect, floats, operands, traffic};
use crate::ops::{Dot, UnaryOp};
use crate::{Array, GraphError, Op, Type, Var};

/// The function a plain recurrent cell ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RnnActivation {
    /// Hyperbolic tangent.
    Tanh,
    /// max(x, 0).
    Relu,
}

impl RnnActivation {
    fn eval(self, x: f64) -> f64 {
        match self {
            RnnActivation::Tanh => x.tanh(),
            RnnActivation::Relu => UnaryOp::Relu.eval(x),
        }
    }

    /// The derivative where the function is `y`.
    fn slope(self, y: f64) -> f64 {
        match self {
            RnnActivation::Tanh => 1.0 - y * y,
            RnnActivation::Relu if y > 0.0 => 1.0,
            RnnActivation::Relu => 0.0,
        }
    }

    fn name(self) -> &'static str {
        match self {
            RnnActivation::Tanh => "tanh",
            RnnActivation::Relu => "relu",
        }
    }
}

/// (pre `[T, H, B]`, w_hh `[H, H]`, h0 `[H, B]`) to h `[T+1, H, B]`, whose row 0 is h0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rnn {
    /// f.
    pub activation: RnnActivation,
}

/// The way back: (w_hh `[H, H]`, h `[T+1, H, B]`, dh `[T+1, H, B]`) to (dpre `[T, H, B]`,
/// dh0 `[H, B]`). dh is the gradient that reaches each state from outside the recurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RnnGrad {
    /// f of the way forward.
    pub activation: RnnActivation,
}

/// Arithmetic of `steps` steps of one cell in either direction.
fn flops(steps: usize, hidden: usize, batch: usize) -> f64 {
    (steps * hidden * batch) as f64 * (2.0 * hidden as f64 + 20.0)
}

impl Operation for Rnn {
    fn name(&self) -> &'static str {
        "rnn"
    }

    fn detail(&self) -> String {
        self.activation.name().into()
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [pre, w_hh, h0] = operands(inputs)?;
        floats(inputs)?;
        let [time, hidden, batch] = axes(pre, "pre")?;
        expect(w_hh, "w_hh", [hidden, hidden])?;
        expect(h0, "h0", [hidden, batch])?;
        Ok(vec![Type::f32([time + 1, hidden, batch])])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [pre, w_hh, h0] = [inputs[0], inputs[1], inputs[2]];
        let (time, hidden, batch) = (pre.shape[0], h0.shape[0], h0.shape[1]);
        let mut h = Array::from_fn([time + 1, hidden, batch].into(), |at| match at[0] {
            0 => h0.at(&at[1..]),
            _ => 0.0,
        });
        for t in 0..time {
            for b in 0..batch {
                for j in 0..hidden {
                    let product = |k| w_hh.at(&[j, k]) * h.at(&[t, k, b]);
                    let x = pre.at(&[t, j, b]) + (0..hidden).map(product).sum::<f64>();
                    *h.at_mut(&[t + 1, j, b]) = self.activation.eval(x);
                }
            }
        }
        vec![h]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let (pre, w_hh, h) = (b.inputs[0], b.inputs[1], b.outputs[0]);
        let back = Op::RnnGrad(RnnGrad { activation: self.activation });
        let back = pre.builder().apply(back, &[w_hh, h, b.grad()?])?;
        let (dpre, dh0) = (back[0], back[1]);
        let dw_hh = || {
            let before = h.slice(0, 0, pre.shape()[0])?;
            dpre.product(before, Dot { rhs_transposed: true, sum: true, ..Dot::default() })
        };
        Ok(vec![Some(dpre), b.needed[1].then(dw_hh).transpose()?, Some(dh0)])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        let [hidden, batch] = [inputs[2].shape[0], inputs[2].shape[1]];
        let flops = flops(inputs[0].shape[0], hidden, batch);
        Cost { flops, bytes: traffic(inputs, outputs) }
    }

    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        vec![true, false, true, true]
    }
}

impl Operation for RnnGrad {
    fn name(&self) -> &'static str {
        "rnn_grad"
    }

    fn detail(&self) -> String {
        self.activation.name().into()
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [w_hh, h, dh] = operands(inputs)?;
        floats(inputs)?;
        let [states, hidden, batch] = axes(h, "h")?;
        let time = states.checked_sub(1).ok_or("h has no initial state")?;
        expect(w_hh, "w_hh", [hidden, hidden])?;
        expect(dh, "dh", h.shape)?;
        Ok(vec![Type::f32([time, hidden, batch]), Type::f32([hidden, batch])])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [w_hh, h, dh_all] = [inputs[0], inputs[1], inputs[2]];
        let (time, hidden, batch) = (h.shape[0] - 1, h.shape[1], h.shape[2]);
        let mut dh = Array::from_fn([hidden, batch].into(), |at| dh_all.at(&[time, at[0], at[1]]));
        let mut dpre = Array::full([time, hidden, batch].into(), 0.0);
        for t in (0..time).rev() {
            for b in 0..batch {
                for j in 0..hidden {
                    let slope = self.activation.slope(h.at(&[t + 1, j, b]));
                    *dpre.at_mut(&[t, j, b]) = dh.at(&[j, b]) * slope;
                }
                for k in 0..hidden {
                    let back = |j| w_hh.at(&[j, k]) * dpre.at(&[t, j, b]);
                    let sum = (0..hidden).map(back).sum::<f64>();
                    *dh.at_mut(&[k, b]) = dh_all.at(&[t, k, b]) + sum;
                }
            }
        }
        vec![dpre, dh]
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        let [hidden, batch] = [outputs[1].shape[0], outputs[1].shape[1]];
        let flops = flops(outputs[0].shape[0], hidden, batch);
        Cost { flops, bytes: traffic(inputs, outputs) }
    }

    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        vec![false, true, true, true, true]
    }
}

/// What a layer of recurrent cells makes of a sequence.
#[derive(Clone, Copy, Debug)]
pub struct RecurrentOutput<'g> {
    /// The hidden state after each step, `[T, H, B]`.
    pub hs: Var<'g>,
    /// The hidden state after the last step, `[H, B]`.
    pub h_last: Var<'g>,
}

impl<'g> Var<'g> {
    /// A layer of plain recurrent cells over this sequence `[T, C, B]`, with w_ih `[H, C]`,
    /// w_hh `[H, H]`, bias `[H, 1]`, the initial state `[H, B]` or zeros.
    #[track_caller]
    pub fn rnn(
        self,
        activation: RnnActivation,
        w_ih: Var<'g>,
        w_hh: Var<'g>,
        bias: Var<'g>,
        h0: Option<Var<'g>>,
    ) -> Result<RecurrentOutput<'g>, GraphError> {
        let pre = w_ih.dot(self)?.add(bias)?;
        let h0 = pre.state_or_zeros(w_hh, h0)?;
        let made = self.builder().apply(Op::Rnn(Rnn { activation }), &[pre, w_hh, h0])?;
        let (hs, h_last) = made[0].after_first()?;
        Ok(RecurrentOutput { hs, h_last })
    }

    /// The initial state of a recurrence with weight `w_hh` over this projection: as given, or zeros.
    #[track_caller]
    pub(super) fn state_or_zeros(
        self,
        w_hh: Var<'g>,
        given: Option<Var<'g>>,
    ) -> Result<Var<'g>, GraphError> {
        let hidden = w_hh.shape().last().copied().unwrap_or(0);
        let batch = self.shape().last().copied().unwrap_or(0);
        match given {
            Some(state) => Ok(state),
            None => self.builder().scalar(0.0).broadcast([hidden, batch]),
        }
    }

    /// Of states `[T+1, H, B]`: those after each step `[T, H, B]`, and the last `[H, B]`.
    #[track_caller]
    pub(super) fn after_first(self) -> Result<(Var<'g>, Var<'g>), GraphError> {
        let [states, hidden, batch] = [0, 1, 2].map(|axis| self.shape()[axis]);
        let last = self.slice(0, states - 1, states)?.reshape([hidden, batch])?;
        Ok((self.slice(0, 1, states)?, last))
    }
}
