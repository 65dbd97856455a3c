//! Attention: scaled dot products of queries and keys, softmax over the keys, mean of values.
//!
//! All heads at once, on lanes: the batch stays the last axis everywhere. The softmax weights are
//! a result, kept for the way back and for reading. Start reading at [`Var::attention`]; the way
//! back is in `attention_grad.rs`.

use super::attention_grad::AttentionGrad;
use super::{Backward, Cost, Gradients, Operation, axes, expect, floats, traffic};
use crate::{Array, GraphError, Op, Type, Var};
use whimbrel_tensor::Shape;

/// (q `[Tq, heads d, B]`, k `[Tk, heads d, B]`, v `[Tk, heads dv, B]`, optionally additive
/// `[heads, Tq, Tk, B or 1]`) to (out `[Tq, heads dv, B]`, probs `[heads, Tq, Tk, B]`, with
/// `return_scores` also scores `[heads, Tq, Tk, B]`).
///
/// `scores = scale q k + additive`, `probs = softmax(scores)` over the keys, `out = probs v`.
/// Queries for which every score is -inf have probs and out of zeros.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attention {
    /// Number of heads.
    pub heads: usize,
    /// Factor of the products, usually `1 / sqrt(d)`.
    pub scale: f64,
    /// Whether all heads read the same values, v `[Tk, dv, B]`.
    pub shared_values: bool,
    /// Whether the scores before the softmax are a third result.
    pub return_scores: bool,
}

/// Sizes of one attention.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub queries: usize,
    pub keys: usize,
    pub batch: usize,
    /// Channels of a query or key of one head.
    pub d: usize,
    /// Channels of a value of one head.
    pub dv: usize,
}

impl Attention {
    /// `heads` heads of own values, scaled by `1 / sqrt(d)`.
    pub fn new(heads: usize, d: usize) -> Attention {
        let scale = 1.0 / (d as f64).sqrt();
        Attention { heads, scale, shared_values: false, return_scores: false }
    }

    pub(super) fn sizes(&self, q: Type, k: Type, v: Type) -> Result<Sizes, String> {
        let [queries, channels, batch] = axes(q, "q")?;
        let [keys, _, _] = axes(k, "k")?;
        let [_, values, _] = axes(v, "v")?;
        let own = if self.shared_values { 1 } else { self.heads };
        if self.heads == 0 || channels % self.heads != 0 || values % own != 0 {
            let heads = self.heads;
            return Err(format!("{channels} and {values} channels do not divide by {heads} heads"));
        }
        expect(k, "k", [keys, channels, batch])?;
        expect(v, "v", [keys, values, batch])?;
        Ok(Sizes { queries, keys, batch, d: channels / self.heads, dv: values / own })
    }

    /// The channel of v that head `head` reads as its `i`-th.
    pub(super) fn value_channel(&self, s: Sizes, head: usize, i: usize) -> usize {
        if self.shared_values { i } else { head * s.dv + i }
    }

    /// Shape of probs and scores.
    pub(super) fn square(&self, s: Sizes) -> Shape {
        [self.heads, s.queries, s.keys, s.batch].into()
    }

    pub(super) fn flops(&self, s: Sizes) -> f64 {
        let pairs = (self.heads * s.queries * s.keys * s.batch) as f64;
        pairs * (2.0 * (s.d + s.dv) as f64 + 20.0)
    }
}

impl Operation for Attention {
    fn name(&self) -> &'static str {
        "attention"
    }

    fn detail(&self) -> String {
        let shared = if self.shared_values { " shared values" } else { "" };
        format!("heads {} scale {}{shared}", self.heads, self.scale)
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        floats(inputs)?;
        let (q, k, v, additive) = match *inputs {
            [q, k, v] => (q, k, v, None),
            [q, k, v, additive] => (q, k, v, Some(additive)),
            _ => return Err(format!("takes 3 or 4 operands, was given {}", inputs.len())),
        };
        let s = self.sizes(q, k, v)?;
        let square = self.square(s);
        if let Some(additive) = additive {
            let [_, _, _, last] = axes(additive, "additive scores")?;
            let batch = if last == 1 { 1 } else { s.batch };
            expect(additive, "additive scores", [self.heads, s.queries, s.keys, batch])?;
        }
        let out = Type::f32([s.queries, self.heads * s.dv, s.batch]);
        let squares = if self.return_scores { 2 } else { 1 };
        Ok([vec![out], vec![Type::f32(square); squares]].concat())
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [q, k, v] = [inputs[0], inputs[1], inputs[2]];
        let [of_q, of_k, of_v] = [q, k, v].map(|x| Type::f32(x.shape));
        let Ok(s) = self.sizes(of_q, of_k, of_v) else { return Vec::new() };
        let scores = Array::from_fn(self.square(s), |at| {
            let [head, tq, tk, b] = [at[0], at[1], at[2], at[3]];
            let term = |i| q.at(&[tq, head * s.d + i, b]) * k.at(&[tk, head * s.d + i, b]);
            let added = inputs.get(3).map_or(0.0, |additive| {
                additive.at(&[head, tq, tk, if additive.shape[3] == 1 { 0 } else { b }])
            });
            self.scale * (0..s.d).map(term).sum::<f64>() + added
        });
        let probs = Array::from_fn(self.square(s), |at| {
            let row = || (0..s.keys).map(|tk| scores.at(&[at[0], at[1], tk, at[3]]));
            let largest = row().fold(f64::NEG_INFINITY, f64::max);
            if row().all(|x| x == f64::NEG_INFINITY) {
                return 0.0;
            }
            (scores.at(at) - largest).exp() / row().map(|x| (x - largest).exp()).sum::<f64>()
        });
        let out = Array::from_fn([s.queries, self.heads * s.dv, s.batch].into(), |at| {
            let (head, i) = (at[1] / s.dv, at[1] % s.dv);
            let value = |tk| v.at(&[tk, self.value_channel(s, head, i), at[2]]);
            (0..s.keys).map(|tk| probs.at(&[head, at[0], tk, at[2]]) * value(tk)).sum()
        });
        let mut made = vec![out, probs];
        made.extend(self.return_scores.then_some(scores));
        made
    }

    /// Gradients that reach probs from outside pass the softmax here, in primitives, and join those
    /// of the scores.
    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let probs = b.outputs[1];
        let mut dscores = b.grads.get(2).copied().flatten();
        if let Some(dprobs) = b.grads[1] {
            let mean = probs.mul(dprobs)?.sum_axes(&[2])?;
            let through = probs.mul(dprobs.sub(mean)?)?;
            dscores = Some(match dscores {
                None => through,
                Some(scores) => scores.add(through)?,
            });
        }
        let additive = b.inputs.get(3).copied();
        let wanted = additive.is_some() && b.needed[3];
        let back = AttentionGrad {
            attention: *self,
            takes_dscores: dscores.is_some(),
            returns_dscores: wanted,
        };
        let mut operands = vec![b.inputs[0], b.inputs[1], b.inputs[2], probs, b.grad()?];
        operands.extend(dscores);
        let made = probs.builder().apply(Op::AttentionGrad(back), &operands)?;
        let mut grads: Vec<_> = made[..3].iter().map(|&grad| Some(grad)).collect();
        if let Some(additive) = additive {
            let shared = additive.shape().last() == Some(&1);
            grads.push(match made.get(3) {
                Some(all) if shared => Some(all.sum_axes(&[3])?),
                other => other.copied(),
            });
        }
        Ok(grads)
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        let bytes = traffic(inputs, outputs);
        match self.sizes(inputs[0], inputs[1], inputs[2]) {
            Ok(s) => Cost { flops: self.flops(s), bytes },
            Err(_) => Cost::default(),
        }
    }

    fn carries_batch(&self, inputs: &[Type], outputs: &[Type]) -> Vec<bool> {
        let mut carried = vec![true; inputs.len() + outputs.len()];
        if let Some(additive) = inputs.get(3) {
            carried[3] = additive.shape.last() == inputs[0].shape.last();
        }
        carried
    }
}

/// What attention makes of queries, keys and values.
#[derive(Clone, Copy, Debug)]
pub struct AttentionOutput<'g> {
    /// The mean of the values for each query, `[Tq, heads dv, B]`.
    pub out: Var<'g>,
    /// The weights of that mean, `[heads, Tq, Tk, B]`.
    pub probs: Var<'g>,
    /// The scores before the softmax, where asked for.
    pub scores: Option<Var<'g>>,
}

impl<'g> Var<'g> {
    /// Lets these queries `[Tq, heads d, B]` read `values` by their likeness to `keys`, with
    /// `additive` scores `[heads, Tq, Tk, B or 1]` such as a mask of 0 and -inf.
    #[track_caller]
    pub fn attention(
        self,
        keys: Var<'g>,
        values: Var<'g>,
        additive: Option<Var<'g>>,
        attention: Attention,
    ) -> Result<AttentionOutput<'g>, GraphError> {
        let mut operands = vec![self, keys, values];
        operands.extend(additive);
        let made = self.builder().apply(Op::Attention(attention), &operands)?;
        Ok(AttentionOutput { out: made[0], probs: made[1], scores: made.get(2).copied() })
    }
}
