//! Gru: a recurrent layer over a whole sequence, gates in PyTorch's order r, z, n.
//!
//! The input projection is one product over all steps, made before. The bias of the hidden
//! projection stays with the scan, because r acts on it: `n = tanh(pre_n + r (W_n h + b_n))`.
//! Going back, [`GruGrad`] walks through the cells; gradients of weight and bias are sums over
//! all steps of what it gives. Start reading at [`Var::gru`].

use super::rnn::RecurrentOutput;
use super::{
    Backward, Cost, Gradients, Operation, UnaryOp, axes, expect, floats, operands, traffic,
};
use crate::ops::Dot;
use crate::{Array, GraphError, Op, Type, Var};

/// (pre `[T, 3H, B]`, w_hh `[3H, H]`, b_hh `[3H, 1]`, h0 `[H, B]`) to (h `[T+1, H, B]`,
/// saved `[T, 4H, B]`).
///
/// Row 0 of h is the initial state: `r, z = sigmoid(pre + W h + b)`, `n` as above,
/// `h' = (1 - z) n + z h`. Saved for the way back are r, z, n and `W_n h + b_n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gru;

/// The way back: (w_hh `[3H, H]`, h `[T+1, H, B]`, saved `[T, 4H, B]`, dh `[T+1, H, B]`) to
/// (dpre `[T, 3H, B]`, dhid `[T, 3H, B]`, dh0 `[H, B]`).
///
/// dh is the gradient that reaches each state from outside the recurrence, dhid the gradient of
/// the hidden projection `w_hh h + b_hh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GruGrad;

/// Arithmetic of `steps` steps of one cell in either direction.
fn flops(steps: usize, hidden: usize, batch: usize) -> f64 {
    let cells = (steps * hidden * batch) as f64;
    cells * (6.0 * hidden as f64 + 70.0)
}

impl Operation for Gru {
    fn name(&self) -> &'static str {
        "gru"
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [pre, w_hh, b_hh, h0] = operands(inputs)?;
        floats(inputs)?;
        let [_, hidden] = axes(w_hh, "w_hh")?;
        let [time, _, batch] = axes(pre, "pre")?;
        expect(w_hh, "w_hh", [3 * hidden, hidden])?;
        expect(pre, "pre", [time, 3 * hidden, batch])?;
        expect(b_hh, "b_hh", [3 * hidden, 1])?;
        expect(h0, "h0", [hidden, batch])?;
        Ok(vec![Type::f32([time + 1, hidden, batch]), Type::f32([time, 4 * hidden, batch])])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [pre, w_hh, b_hh, h0] = [inputs[0], inputs[1], inputs[2], inputs[3]];
        let (time, hidden, batch) = (pre.shape[0], h0.shape[0], h0.shape[1]);
        let mut h = Array::from_fn([time + 1, hidden, batch].into(), |at| match at[0] {
            0 => h0.at(&at[1..]),
            _ => 0.0,
        });
        let mut saved = Array::full([time, 4 * hidden, batch].into(), 0.0);
        for t in 0..time {
            for b in 0..batch {
                for j in 0..hidden {
                    let before = h.at(&[t, j, b]);
                    let [in_r, in_z, in_n] = [0, 1, 2].map(|q| pre.at(&[t, q * hidden + j, b]));
                    let [of_r, of_z, hn] = [0, 1, 2].map(|q| {
                        let row = q * hidden + j;
                        let product = |k| w_hh.at(&[row, k]) * h.at(&[t, k, b]);
                        b_hh.at(&[row, 0]) + (0..hidden).map(product).sum::<f64>()
                    });
                    let r = UnaryOp::Sigmoid.eval(in_r + of_r);
                    let z = UnaryOp::Sigmoid.eval(in_z + of_z);
                    let n = (in_n + r * hn).tanh();
                    for (q, x) in [r, z, n, hn].into_iter().enumerate() {
                        *saved.at_mut(&[t, q * hidden + j, b]) = x;
                    }
                    *h.at_mut(&[t + 1, j, b]) = (1.0 - z) * n + z * before;
                }
            }
        }
        vec![h, saved]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        if b.grads[1].is_some() {
            let value = format!("{:?}", b.outputs[1]);
            return Err(GraphError::NoGradient { op: "gates of a gru", value });
        }
        let (pre, w_hh, b_hh) = (b.inputs[0], b.inputs[1], b.inputs[2]);
        let (h, saved) = (b.outputs[0], b.outputs[1]);
        let back = pre.builder().apply(Op::GruGrad(GruGrad), &[w_hh, h, saved, b.grad()?])?;
        let (dpre, dhid, dh0) = (back[0], back[1], back[2]);
        let dw_hh = || {
            let before = h.slice(0, 0, pre.shape()[0])?;
            dhid.product(before, Dot { rhs_transposed: true, sum: true, ..Dot::default() })
        };
        let db_hh = || dhid.sum_axes(&[0, 2])?.reshape(b_hh.shape());
        let (dw_hh, db_hh) = (b.needed[1].then(dw_hh), b.needed[2].then(db_hh));
        Ok(vec![Some(dpre), dw_hh.transpose()?, db_hh.transpose()?, Some(dh0)])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        let [hidden, batch] = [inputs[3].shape[0], inputs[3].shape[1]];
        let flops = flops(inputs[0].shape[0], hidden, batch);
        Cost { flops, bytes: traffic(inputs, outputs) }
    }

    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        vec![true, false, false, true, true, true]
    }
}

impl Operation for GruGrad {
    fn name(&self) -> &'static str {
        "gru_grad"
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [w_hh, h, saved, dh] = operands(inputs)?;
        floats(inputs)?;
        let [_, hidden] = axes(w_hh, "w_hh")?;
        let [time, _, batch] = axes(saved, "saved")?;
        expect(w_hh, "w_hh", [3 * hidden, hidden])?;
        expect(saved, "saved", [time, 4 * hidden, batch])?;
        expect(h, "h", [time + 1, hidden, batch])?;
        expect(dh, "dh", [time + 1, hidden, batch])?;
        let projection = Type::f32([time, 3 * hidden, batch]);
        Ok(vec![projection, projection, Type::f32([hidden, batch])])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [w_hh, h, saved, dh_all] = [inputs[0], inputs[1], inputs[2], inputs[3]];
        let (time, hidden, batch) = (saved.shape[0], h.shape[1], h.shape[2]);
        let mut dh = Array::from_fn([hidden, batch].into(), |at| dh_all.at(&[time, at[0], at[1]]));
        let mut dpre = Array::full([time, 3 * hidden, batch].into(), 0.0);
        let mut dhid = dpre.clone();
        for t in (0..time).rev() {
            for b in 0..batch {
                let mut direct = vec![0.0; hidden];
                for (j, direct) in direct.iter_mut().enumerate() {
                    let [r, z, n, hn] = [0, 1, 2, 3].map(|q| saved.at(&[t, q * hidden + j, b]));
                    let out = dh.at(&[j, b]);
                    let of_n = out * (1.0 - z) * (1.0 - n * n);
                    let of_z = out * (h.at(&[t, j, b]) - n) * z * (1.0 - z);
                    let of_r = of_n * hn * r * (1.0 - r);
                    for (q, x) in [of_r, of_z, of_n].into_iter().enumerate() {
                        *dpre.at_mut(&[t, q * hidden + j, b]) = x;
                    }
                    for (q, x) in [of_r, of_z, of_n * r].into_iter().enumerate() {
                        *dhid.at_mut(&[t, q * hidden + j, b]) = x;
                    }
                    *direct = out * z;
                }
                for (k, direct) in direct.into_iter().enumerate() {
                    let back = |row| w_hh.at(&[row, k]) * dhid.at(&[t, row, b]);
                    let sum = (0..3 * hidden).map(back).sum::<f64>();
                    *dh.at_mut(&[k, b]) = dh_all.at(&[t, k, b]) + direct + sum;
                }
            }
        }
        vec![dpre, dhid, dh]
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        let [hidden, batch] = [outputs[2].shape[0], outputs[2].shape[1]];
        let flops = flops(outputs[0].shape[0], hidden, batch);
        Cost { flops, bytes: traffic(inputs, outputs) }
    }

    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        vec![false, true, true, true, true, true, true]
    }
}

impl<'g> Var<'g> {
    /// A layer of GRU cells over this sequence `[T, C, B]`, with w_ih `[3H, C]`, w_hh `[3H, H]`,
    /// biases `[3H, 1]`, the initial state `[H, B]` or zeros.
    #[track_caller]
    pub fn gru(
        self,
        w_ih: Var<'g>,
        w_hh: Var<'g>,
        b_ih: Var<'g>,
        b_hh: Var<'g>,
        h0: Option<Var<'g>>,
    ) -> Result<RecurrentOutput<'g>, GraphError> {
        let pre = w_ih.dot(self)?.add(b_ih)?;
        let h0 = pre.state_or_zeros(w_hh, h0)?;
        let made = self.builder().apply(Op::Gru(Gru), &[pre, w_hh, b_hh, h0])?;
        let (hs, h_last) = made[0].after_first()?;
        Ok(RecurrentOutput { hs, h_last })
    }
}
