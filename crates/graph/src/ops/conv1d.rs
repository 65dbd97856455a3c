//! Conv1d: convolution over time, and its two gradients as operations.
//!
//! All three are sums of `x[t, c, b] w[tap, o, c] dy[t_out, o, b]` over the triples where output
//! step `t_out` reads input step `t` through `tap`: each leaves out one factor. Steps that fall
//! into the padding read zeros. Start reading at [`Var::conv1d`].

use super::{Backward, Cost, Gradients, Operation, axes, expect, floats, operands, traffic};
use crate::{Array, GraphError, Op, Type, Var};

/// (x `[T, C, B]`, w `[taps, O, C / groups]`) to y `[T_out, O, B]`, cross-correlation as in PyTorch:
/// `y[t, o] = sum over tap, c of w[tap, o, c] x[t stride + tap dilation - pad_left, c]`.
///
/// `T_out = (T + pad_left + pad_right - dilation (taps - 1) - 1) / stride + 1`. The outputs of a
/// group read the channels of that group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conv1d {
    /// Input steps between two outputs.
    pub stride: usize,
    /// Input steps between two taps.
    pub dilation: usize,
    /// Into how many parts the channels are divided, each convolved on its own.
    pub groups: usize,
    /// Zeros before the first step.
    pub pad_left: usize,
    /// Zeros after the last step.
    pub pad_right: usize,
}

/// Gradient of the input: (w `[taps, O, C / groups]`, dy `[T_out, O, B]`) to dx `[T, C, B]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conv1dGradInput {
    /// The convolution.
    pub conv: Conv1d,
    /// T, the steps of its input.
    pub time: usize,
}

/// Gradient of the weight: (x `[T, C, B]`, dy `[T_out, O, B]`) to dw `[taps, O, C / groups]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conv1dGradWeight {
    /// The convolution.
    pub conv: Conv1d,
    /// Taps of its weight.
    pub taps: usize,
}

impl Default for Conv1d {
    fn default() -> Conv1d {
        Conv1d { stride: 1, dilation: 1, groups: 1, pad_left: 0, pad_right: 0 }
    }
}

/// Sizes of one convolution.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    time: usize,
    time_out: usize,
    taps: usize,
    /// Output channels of a group.
    outputs: usize,
    /// Input channels of a group.
    inputs: usize,
    batch: usize,
}

impl Conv1d {
    /// Padding that lets each output see only its own and earlier steps, as many outputs as inputs.
    pub fn causal(taps: usize, dilation: usize) -> Conv1d {
        let pad_left = dilation.saturating_mul(taps.saturating_sub(1));
        Conv1d { dilation, pad_left, ..Conv1d::default() }
    }

    /// The input step that output step `t` reads through `tap`, if it is not padding.
    pub fn source(&self, t: usize, tap: usize, time: usize) -> Option<usize> {
        let at = (t * self.stride + tap * self.dilation).checked_sub(self.pad_left)?;
        (at < time).then_some(at)
    }

    /// Steps of the output for `time` steps of input.
    pub fn time_out(&self, time: usize, taps: usize) -> Result<usize, String> {
        if self.stride == 0 || self.dilation == 0 || self.groups == 0 || taps == 0 {
            return Err("stride, dilation, groups and taps start at 1".into());
        }
        let padded = time.saturating_add(self.pad_left).saturating_add(self.pad_right);
        let span = self.dilation.saturating_mul(taps - 1).saturating_add(1);
        match padded.checked_sub(span) {
            Some(room) => Ok(room / self.stride + 1),
            None => Err(format!("{taps} taps span {span} steps, there are {padded} with padding")),
        }
    }

    /// Sizes from the shapes of x and w.
    fn sizes(&self, x: Type, w: Type) -> Result<Sizes, String> {
        let [time, channels, batch] = axes(x, "x")?;
        let [taps, outputs, inputs] = axes(w, "w")?;
        let time_out = self.time_out(time, taps)?;
        let groups = self.groups;
        if channels != inputs.saturating_mul(groups) || outputs % groups != 0 {
            return Err(format!(
                "{channels} channels and {outputs} outputs in {groups} groups do not fit a weight \
                 of {inputs} channels a group"
            ));
        }
        Ok(Sizes { time, time_out, taps, outputs: outputs / groups, inputs, batch })
    }

    /// Calls `f` with the indices of x, w and y of every product that is summed.
    fn for_each(&self, s: Sizes, mut f: impl FnMut([usize; 3], [usize; 3], [usize; 3])) {
        for (t, tap) in (0..s.time_out).flat_map(|t| (0..s.taps).map(move |tap| (t, tap))) {
            let Some(from) = self.source(t, tap, s.time) else { continue };
            for output in 0..s.outputs * self.groups {
                let group = output / s.outputs;
                for input in 0..s.inputs {
                    for b in 0..s.batch {
                        let x = [from, group * s.inputs + input, b];
                        f(x, [tap, output, input], [t, output, b]);
                    }
                }
            }
        }
    }

    fn flops(&self, s: Sizes) -> f64 {
        2.0 * (s.time_out * s.taps * s.outputs * self.groups * s.inputs * s.batch) as f64
    }

    fn cost_of(&self, x: Type, w: Type, bytes: f64) -> Cost {
        self.sizes(x, w).map(|s| Cost { flops: self.flops(s), bytes }).unwrap_or_default()
    }
}

impl Operation for Conv1d {
    fn name(&self) -> &'static str {
        "conv1d"
    }

    fn detail(&self) -> String {
        let Conv1d { stride, dilation, groups, pad_left, pad_right } = *self;
        format!("stride {stride} dilation {dilation} groups {groups} pad {pad_left} {pad_right}")
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [x, w] = operands(inputs)?;
        floats(inputs)?;
        let s = self.sizes(x, w)?;
        Ok(vec![Type::f32([s.time_out, s.outputs * self.groups, s.batch])])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [x, w] = [inputs[0], inputs[1]];
        let Ok(s) = self.sizes(Type::f32(x.shape), Type::f32(w.shape)) else { return Vec::new() };
        let mut y = Array::full([s.time_out, s.outputs * self.groups, s.batch].into(), 0.0);
        self.for_each(s, |of_x, of_w, of_y| *y.at_mut(&of_y) += x.at(&of_x) * w.at(&of_w));
        vec![y]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let (x, w, dy) = (b.inputs[0], b.inputs[1], b.grad()?);
        let dx = || self.grad_input(w, dy, x.shape()[0]);
        let dw = || self.grad_weight(x, dy, w.shape()[0]);
        Ok(vec![b.needed[0].then(dx).transpose()?, b.needed[1].then(dw).transpose()?])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        self.cost_of(inputs[0], inputs[1], traffic(inputs, outputs))
    }

    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        vec![true, false, true]
    }
}

impl Operation for Conv1dGradInput {
    fn name(&self) -> &'static str {
        "conv1d_grad_input"
    }

    fn detail(&self) -> String {
        self.conv.detail()
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [w, dy] = operands(inputs)?;
        floats(inputs)?;
        let [[_, _, channels], [_, _, batch]] = [axes(w, "w")?, axes(dy, "dy")?];
        let x = Type::f32([self.time, channels.saturating_mul(self.conv.groups), batch]);
        expect(dy, "dy", self.conv.infer(&[x, w])?[0].shape)?;
        Ok(vec![x])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [w, dy] = [inputs[0], inputs[1]];
        let shape = [self.time, w.shape[2] * self.conv.groups, dy.shape[2]];
        let mut dx = Array::full(shape.into(), 0.0);
        let sizes = self.conv.sizes(Type::f32(shape), Type::f32(w.shape));
        let Ok(s) = sizes else { return Vec::new() };
        self.conv.for_each(s, |of_x, of_w, of_y| *dx.at_mut(&of_x) += w.at(&of_w) * dy.at(&of_y));
        vec![dx]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let (w, dy, ddx) = (b.inputs[0], b.inputs[1], b.grad()?);
        let of_w = || self.conv.grad_weight(ddx, dy, w.shape()[0]);
        let of_dy = || ddx.conv1d(w, self.conv);
        Ok(vec![b.needed[0].then(of_w).transpose()?, b.needed[1].then(of_dy).transpose()?])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        self.conv.cost_of(outputs[0], inputs[0], traffic(inputs, outputs))
    }

    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        vec![false, true, true]
    }
}

impl Operation for Conv1dGradWeight {
    fn name(&self) -> &'static str {
        "conv1d_grad_weight"
    }

    fn detail(&self) -> String {
        self.conv.detail()
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [x, dy] = operands(inputs)?;
        floats(inputs)?;
        let [[_, channels, _], [_, outputs, _]] = [axes(x, "x")?, axes(dy, "dy")?];
        let groups = self.conv.groups.max(1);
        let w = Type::f32([self.taps, outputs, channels / groups]);
        expect(dy, "dy", self.conv.infer(&[x, w])?[0].shape)?;
        Ok(vec![w])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [x, dy] = [inputs[0], inputs[1]];
        let shape = [self.taps, dy.shape[1], x.shape[1] / self.conv.groups];
        let mut dw = Array::full(shape.into(), 0.0);
        let sizes = self.conv.sizes(Type::f32(x.shape), Type::f32(shape));
        let Ok(s) = sizes else { return Vec::new() };
        self.conv.for_each(s, |of_x, of_w, of_y| *dw.at_mut(&of_w) += x.at(&of_x) * dy.at(&of_y));
        vec![dw]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let (x, dy, ddw) = (b.inputs[0], b.inputs[1], b.grad()?);
        let of_x = || self.conv.grad_input(ddw, dy, x.shape()[0]);
        let of_dy = || x.conv1d(ddw, self.conv);
        Ok(vec![b.needed[0].then(of_x).transpose()?, b.needed[1].then(of_dy).transpose()?])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        self.conv.cost_of(inputs[0], outputs[0], traffic(inputs, outputs))
    }

    /// The batch is summed away.
    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        vec![true, true, false]
    }
}

impl Conv1d {
    #[track_caller]
    fn grad_input<'g>(self, w: Var<'g>, dy: Var<'g>, time: usize) -> Result<Var<'g>, GraphError> {
        let op = Op::Conv1dGradInput(Conv1dGradInput { conv: self, time });
        Ok(w.builder().apply(op, &[w, dy])?[0])
    }

    #[track_caller]
    fn grad_weight<'g>(self, x: Var<'g>, dy: Var<'g>, taps: usize) -> Result<Var<'g>, GraphError> {
        let op = Op::Conv1dGradWeight(Conv1dGradWeight { conv: self, taps });
        Ok(x.builder().apply(op, &[x, dy])?[0])
    }
}

impl<'g> Var<'g> {
    /// Convolves this sequence `[T, C, B]` with w `[taps, O, C / groups]` to `[T_out, O, B]`.
    #[track_caller]
    pub fn conv1d(self, w: Var<'g>, conv: Conv1d) -> Result<Var<'g>, GraphError> {
        Ok(self.builder().apply(Op::Conv1d(conv), &[self, w])?[0])
    }
}
