//! AttentionGrad: the way back through attention, from the weights it kept.

use super::attention::Attention;
use super::{Cost, Operation, expect, floats, traffic};
use crate::{Array, Type};

/// (q, k, v, probs `[heads, Tq, Tk, B]`, dout `[Tq, heads dv, B]`, with `takes_dscores` also
/// dscores `[heads, Tq, Tk, B]`) to (dq, dk, dv, with `returns_dscores` also the gradient of the
/// scores `[heads, Tq, Tk, B]`).
///
/// With dP = dout v: `dS = P (dP - sum over keys of P dP) + dscores`, `dq = scale dS k`,
/// `dk = scale dSᵀ q`, `dv = Pᵀ dout`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionGrad {
    /// The way forward.
    pub attention: Attention,
    /// Whether gradients reach the scores from outside, as a sixth operand.
    pub takes_dscores: bool,
    /// Whether the gradient of the scores, and so of the additive operand, is a fourth result.
    pub returns_dscores: bool,
}

impl Operation for AttentionGrad {
    fn name(&self) -> &'static str {
        "attention_grad"
    }

    fn detail(&self) -> String {
        self.attention.detail()
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        floats(inputs)?;
        let count = if self.takes_dscores { 6 } else { 5 };
        if inputs.len() != count {
            return Err(format!("takes {count} operands, was given {}", inputs.len()));
        }
        let (q, k, v) = (inputs[0], inputs[1], inputs[2]);
        let s = self.attention.sizes(q, k, v)?;
        let square = self.attention.square(s);
        expect(inputs[3], "probs", square)?;
        expect(inputs[4], "dout", [s.queries, self.attention.heads * s.dv, s.batch])?;
        if let Some(dscores) = inputs.get(5) {
            expect(*dscores, "dscores", square)?;
        }
        let mut made = vec![q, k, v];
        made.extend(self.returns_dscores.then_some(Type::f32(square)));
        Ok(made)
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [q, k, v, probs, dout] = [inputs[0], inputs[1], inputs[2], inputs[3], inputs[4]];
        let attention = self.attention;
        let [of_q, of_k, of_v] = [q, k, v].map(|x| Type::f32(x.shape));
        let Ok(s) = attention.sizes(of_q, of_k, of_v) else { return Vec::new() };
        let square = attention.square(s);
        let dprobs = Array::from_fn(square, |at| {
            let [head, tq, tk, b] = [at[0], at[1], at[2], at[3]];
            let term = |i| {
                let value = v.at(&[tk, attention.value_channel(s, head, i), b]);
                dout.at(&[tq, head * s.dv + i, b]) * value
            };
            (0..s.dv).map(term).sum()
        });
        let ds = Array::from_fn(square, |at| {
            let [head, tq, _, b] = [at[0], at[1], at[2], at[3]];
            let term = |tk| probs.at(&[head, tq, tk, b]) * dprobs.at(&[head, tq, tk, b]);
            let mean: f64 = (0..s.keys).map(term).sum();
            let outside = inputs.get(5).map_or(0.0, |dscores| dscores.at(at));
            probs.at(at) * (dprobs.at(at) - mean) + outside
        });
        let [mut dq, mut dk, mut dv] = [q, k, v].map(|x| Array::full(x.shape, 0.0));
        crate::array::for_each_index(&square, |at| {
            let [head, tq, tk, b] = [at[0], at[1], at[2], at[3]];
            let (slope, p) = (attention.scale * ds.at(at), probs.at(at));
            for channel in head * s.d..(head + 1) * s.d {
                *dq.at_mut(&[tq, channel, b]) += slope * k.at(&[tk, channel, b]);
                *dk.at_mut(&[tk, channel, b]) += slope * q.at(&[tq, channel, b]);
            }
            for i in 0..s.dv {
                let channel = attention.value_channel(s, head, i);
                *dv.at_mut(&[tk, channel, b]) += p * dout.at(&[tq, head * s.dv + i, b]);
            }
        });
        let mut made = vec![dq, dk, dv];
        made.extend(self.returns_dscores.then_some(ds));
        made
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        let bytes = traffic(inputs, outputs);
        match self.attention.sizes(inputs[0], inputs[1], inputs[2]) {
            Ok(s) => Cost { flops: 2.0 * self.attention.flops(s), bytes },
            Err(_) => Cost::default(),
        }
    }
}
