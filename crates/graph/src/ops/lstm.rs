//! Lstm: a recurrent layer over a whole sequence, gates in PyTorch's order i, f, g, o.
//!
//! The input projection is one product over all steps, made before; the scan adds the recurrent
//! part. Going back, [`LstmGrad`] walks through the cells only: the weight's gradient is again one
//! product over all steps. Start reading at [`Var::lstm`].

use super::{
    Backward, Cost, Gradients, Operation, UnaryOp, axes, expect, floats, operands, traffic,
};
use crate::ops::Dot;
use crate::{Array, GraphError, Op, Type, Var};

/// (pre `[T, 4H, B]`, w_hh `[4H, H]`, h0 `[H, B]`, c0 `[H, B]`) to (h `[T+1, H, B]`,
/// c `[T+1, H, B]`, gates `[T, 4H, B]`).
///
/// Row 0 of h and c is the initial state, row t + 1 the state after step t:
/// `i, f, o = sigmoid(..)`, `g = tanh(..)` of `pre + w_hh h`, `c' = f c + i g`, `h' = o tanh(c')`.
/// The gates are those after activation, kept for the way back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lstm;

/// The way back: (w_hh `[4H, H]`, c `[T+1, H, B]`, gates `[T, 4H, B]`, dh `[T+1, H, B]`,
/// dc `[T+1, H, B]`) to (dpre `[T, 4H, B]`, dh0 `[H, B]`, dc0 `[H, B]`).
///
/// dh and dc are the gradients that reach each state from outside the recurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LstmGrad;

/// Arithmetic of `steps` steps of one cell in either direction.
fn flops(steps: usize, hidden: usize, batch: usize) -> f64 {
    let cells = (steps * hidden * batch) as f64;
    cells * (8.0 * hidden as f64 + 100.0)
}

impl Operation for Lstm {
    fn name(&self) -> &'static str {
        "lstm"
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [pre, w_hh, h0, c0] = operands(inputs)?;
        floats(inputs)?;
        let [_, hidden] = axes(w_hh, "w_hh")?;
        let [time, _, batch] = axes(pre, "pre")?;
        expect(w_hh, "w_hh", [4 * hidden, hidden])?;
        expect(pre, "pre", [time, 4 * hidden, batch])?;
        expect(h0, "h0", [hidden, batch])?;
        expect(c0, "c0", [hidden, batch])?;
        let states = Type::f32([time + 1, hidden, batch]);
        Ok(vec![states, states, pre])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [pre, w_hh, h0, c0] = [inputs[0], inputs[1], inputs[2], inputs[3]];
        let (time, hidden, batch) = (pre.shape[0], h0.shape[0], h0.shape[1]);
        let start = |first: &Array| {
            Array::from_fn([time + 1, hidden, batch].into(), |at| match at[0] {
                0 => first.at(&at[1..]),
                _ => 0.0,
            })
        };
        let (mut h, mut c, mut gates) = (start(h0), start(c0), pre.clone());
        for t in 0..time {
            for b in 0..batch {
                for row in 0..4 * hidden {
                    let recurrent = |k| w_hh.at(&[row, k]) * h.at(&[t, k, b]);
                    let x = pre.at(&[t, row, b]) + (0..hidden).map(recurrent).sum::<f64>();
                    let function = if row / hidden == 2 { UnaryOp::Tanh } else { UnaryOp::Sigmoid };
                    *gates.at_mut(&[t, row, b]) = function.eval(x);
                }
                for j in 0..hidden {
                    let [i, f, g, o] = [0, 1, 2, 3].map(|q| gates.at(&[t, q * hidden + j, b]));
                    let cell = f * c.at(&[t, j, b]) + i * g;
                    *c.at_mut(&[t + 1, j, b]) = cell;
                    *h.at_mut(&[t + 1, j, b]) = o * cell.tanh();
                }
            }
        }
        vec![h, c, gates]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        if b.grads[2].is_some() {
            let value = format!("{:?}", b.outputs[2]);
            return Err(GraphError::NoGradient { op: "gates of an lstm", value });
        }
        let (pre, w_hh) = (b.inputs[0], b.inputs[1]);
        let (h, c, gates) = (b.outputs[0], b.outputs[1], b.outputs[2]);
        let operands = [w_hh, c, gates, b.grad_of(0)?, b.grad_of(1)?];
        let back = pre.builder().apply(Op::LstmGrad(LstmGrad), &operands)?;
        let (dpre, dh0, dc0) = (back[0], back[1], back[2]);
        let dw_hh = || {
            let before = h.slice(0, 0, pre.shape()[0])?;
            dpre.product(before, Dot { rhs_transposed: true, sum: true, ..Dot::default() })
        };
        Ok(vec![Some(dpre), b.needed[1].then(dw_hh).transpose()?, Some(dh0), Some(dc0)])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        let [hidden, batch] = [inputs[2].shape[0], inputs[2].shape[1]];
        let flops = flops(inputs[0].shape[0], hidden, batch);
        Cost { flops, bytes: traffic(inputs, outputs) }
    }

    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        vec![true, false, true, true, true, true, true]
    }
}

impl Operation for LstmGrad {
    fn name(&self) -> &'static str {
        "lstm_grad"
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [w_hh, c, gates, dh, dc] = operands(inputs)?;
        floats(inputs)?;
        let [_, hidden] = axes(w_hh, "w_hh")?;
        let [time, _, batch] = axes(gates, "gates")?;
        expect(w_hh, "w_hh", [4 * hidden, hidden])?;
        expect(gates, "gates", [time, 4 * hidden, batch])?;
        for (ty, what) in [(c, "c"), (dh, "dh"), (dc, "dc")] {
            expect(ty, what, [time + 1, hidden, batch])?;
        }
        let state = Type::f32([hidden, batch]);
        Ok(vec![gates, state, state])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [w_hh, c, gates, dh_all, dc_all] =
            [inputs[0], inputs[1], inputs[2], inputs[3], inputs[4]];
        let (time, hidden, batch) = (gates.shape[0], c.shape[1], c.shape[2]);
        let last = |all: &Array| {
            Array::from_fn([hidden, batch].into(), |at| all.at(&[time, at[0], at[1]]))
        };
        let (mut dh, mut dc, mut dpre) = (last(dh_all), last(dc_all), gates.clone());
        for t in (0..time).rev() {
            for b in 0..batch {
                for j in 0..hidden {
                    let [i, f, g, o] = [0, 1, 2, 3].map(|q| gates.at(&[t, q * hidden + j, b]));
                    let squashed = c.at(&[t + 1, j, b]).tanh();
                    let of_h = dh.at(&[j, b]);
                    let of_c = dc.at(&[j, b]) + of_h * o * (1.0 - squashed * squashed);
                    let of_gates = [
                        of_c * g * i * (1.0 - i),
                        of_c * c.at(&[t, j, b]) * f * (1.0 - f),
                        of_c * i * (1.0 - g * g),
                        of_h * squashed * o * (1.0 - o),
                    ];
                    for (q, gradient) in of_gates.into_iter().enumerate() {
                        *dpre.at_mut(&[t, q * hidden + j, b]) = gradient;
                    }
                    *dc.at_mut(&[j, b]) = dc_all.at(&[t, j, b]) + of_c * f;
                }
                for k in 0..hidden {
                    let back = |row| w_hh.at(&[row, k]) * dpre.at(&[t, row, b]);
                    let sum = (0..4 * hidden).map(back).sum::<f64>();
                    *dh.at_mut(&[k, b]) = dh_all.at(&[t, k, b]) + sum;
                }
            }
        }
        vec![dpre, dh, dc]
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        let [hidden, batch] = [outputs[1].shape[0], outputs[1].shape[1]];
        let flops = flops(outputs[0].shape[0], hidden, batch);
        Cost { flops, bytes: traffic(inputs, outputs) }
    }

    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        vec![false, true, true, true, true, true, true, true]
    }
}

/// What a layer of LSTM cells makes of a sequence.
#[derive(Clone, Copy, Debug)]
pub struct LstmOutput<'g> {
    /// The hidden state after each step, `[T, H, B]`.
    pub hs: Var<'g>,
    /// The hidden state after the last step, `[H, B]`.
    pub h_last: Var<'g>,
    /// The cell state after the last step, `[H, B]`.
    pub c_last: Var<'g>,
}

impl<'g> Var<'g> {
    /// A layer of LSTM cells over this sequence `[T, C, B]`, with w_ih `[4H, C]`, w_hh `[4H, H]`,
    /// bias `[4H, 1]` (PyTorch's two biases added up), initial states `[H, B]` or zeros.
    #[track_caller]
    pub fn lstm(
        self,
        w_ih: Var<'g>,
        w_hh: Var<'g>,
        bias: Var<'g>,
        h0: Option<Var<'g>>,
        c0: Option<Var<'g>>,
    ) -> Result<LstmOutput<'g>, GraphError> {
        let pre = w_ih.dot(self)?.add(bias)?;
        let h0 = pre.state_or_zeros(w_hh, h0)?;
        let c0 = pre.state_or_zeros(w_hh, c0)?;
        let made = self.builder().apply(Op::Lstm(Lstm), &[pre, w_hh, h0, c0])?;
        let (hs, h_last) = made[0].after_first()?;
        let (_, c_last) = made[1].after_first()?;
        Ok(LstmOutput { hs, h_last, c_last })
    }
}
