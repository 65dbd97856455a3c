//! Sgd: stochastic gradient descent as PyTorch defines it, one operation per parameter.

use super::{Cost, Operation, floats, operands, traffic};
use crate::ops::{Dot, Init, Role};
use crate::{Array, Builder, GraphError, Op, Type, Var};

/// One update: (parameter, velocity, lr, gradient) to (parameter, velocity); without momentum
/// (parameter, lr, gradient) to (parameter). The results take the place of the first operands.
///
/// `g = gradient + weight_decay p`, `v = momentum v + g`, `p = p - lr v`; with `nesterov`
/// `p = p - lr (g + momentum v)`.
///
/// With `grad` the gradient is not an operand but the product of the last two; it is made tile by
/// tile and not stored, where that is faster.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sgd {
    /// Decay of the velocity; 0 for none.
    pub momentum: f64,
    /// Whether to look ahead along the velocity.
    pub nesterov: bool,
    /// Weight decay, through the gradient.
    pub weight_decay: f64,
    /// The product that is the gradient, where it is fused into the update.
    pub grad: Option<Dot>,
}

impl Sgd {
    /// Number of state operands, which are also the results: the parameter and, with momentum, its
    /// velocity. The learning rate follows them, then the gradient.
    pub fn states(&self) -> usize {
        if self.momentum == 0.0 { 1 } else { 2 }
    }

    /// What the update makes of one element.
    fn step(&self, p: f64, v: f64, g: f64, lr: f64) -> [f64; 2] {
        let g = g + self.weight_decay * p;
        let v = self.momentum * v + g;
        let direction = if self.nesterov { g + self.momentum * v } else { v };
        [p - lr * direction, v]
    }
}

impl Operation for Sgd {
    fn name(&self) -> &'static str {
        if self.grad.is_some() { "dot_sgd" } else { "sgd" }
    }

    fn detail(&self) -> String {
        self.grad.map(|dot| dot.detail()).unwrap_or_default()
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        floats(inputs)?;
        let states = self.states();
        let split = inputs.split_at_checked(states + 1);
        let (state, grad) = split.ok_or("takes parameter, state, learning rate and gradient")?;
        let grad = match self.grad {
            Some(dot) => dot.infer(grad)?[0],
            None => operands::<1>(grad)?[0],
        };
        if state[..states].iter().any(|ty| ty.shape != grad.shape) {
            return Err("parameter, gradient and velocity differ in shape".into());
        }
        if state[states].numel() != 1 {
            return Err("the learning rate is a single number".into());
        }
        Ok(state[..states].to_vec())
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let states = self.states();
        let (p, lr) = (inputs[0], inputs[states].data[0]);
        let grad = match self.grad {
            Some(dot) => dot.eval(&inputs[states + 1..]).remove(0),
            None => inputs[states + 1].clone(),
        };
        let mut out: Vec<Array> = inputs[..states].iter().map(|&x| x.clone()).collect();
        for i in 0..p.data.len() {
            let v = if states == 2 { inputs[1].data[i] } else { 0.0 };
            let new = self.step(p.data[i], v, grad.data[i], lr);
            for (array, x) in out.iter_mut().zip(new) {
                array.data[i] = x;
            }
        }
        out
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        let flops = 8.0 * outputs[0].numel() as f64;
        let mut cost = Cost { flops, bytes: traffic(inputs, outputs) };
        if let Some(dot) = self.grad {
            cost.flops += dot.cost(&inputs[self.states() + 1..], &outputs[..1]).flops;
        }
        cost
    }

    fn carries_batch(&self, inputs: &[Type], outputs: &[Type]) -> Vec<bool> {
        let mut carried = vec![false; inputs.len() + outputs.len()];
        if self.grad.is_some() {
            carried[self.states() + 1..inputs.len()].fill(true);
        }
        carried
    }
}

impl Builder {
    /// Adds one step of gradient descent for each parameter, with the state it needs.
    #[track_caller]
    pub fn sgd<'g>(
        &'g self,
        sgd: Sgd,
        parameters: &[Var<'g>],
        gradients: &[Var<'g>],
        lr: Var<'g>,
    ) -> Result<(), GraphError> {
        for (&p, &g) in parameters.iter().zip(gradients) {
            let mut states = vec![p];
            if sgd.states() == 2 {
                let name = self.with(|graph| format!("{}.momentum_buffer", graph.label(p.id())));
                states.push(self.state(&name, p.ty(), Init::Zeros, Role::Optimiser)?);
            }
            let operands = [&states[..], &[lr, g]].concat();
            let new = self.apply(Op::Sgd(sgd), &operands)?;
            for (&state, &value) in states.iter().zip(&new) {
                self.update(state, value)?;
            }
        }
        Ok(())
    }
}
