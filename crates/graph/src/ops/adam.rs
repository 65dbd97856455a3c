//! Adam and AdamW as PyTorch defines them, one operation per parameter.

use super::{Backward, Cost, Gradients, Operation, floats, operands, traffic};
use crate::ops::{Dot, Init, Role};
use crate::{Array, Builder, GraphError, Op, Type, Var};

/// From learning rate and step number (1 in the first step) to the three numbers every [`Adam`]
/// of the step needs: `lr / (1 - beta1^step)`, `sqrt(1 - beta2^step)`, `lr`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamRate {
    /// Decay of the mean of gradients.
    pub beta1: f64,
    /// Decay of the mean of squared gradients.
    pub beta2: f64,
}

impl AdamRate {
    /// The three numbers.
    pub fn rates(&self, lr: f64, step: f64) -> [f64; 3] {
        [lr / (1.0 - self.beta1.powf(step)), (1.0 - self.beta2.powf(step)).sqrt(), lr]
    }
}

impl Operation for AdamRate {
    fn name(&self) -> &'static str {
        "adam_rate"
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [lr, step] = operands(inputs)?;
        if lr.numel() != 1 || step.numel() != 1 {
            return Err("learning rate and step are single numbers".into());
        }
        Ok(vec![Type::f32([3])])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        vec![Array::new([3], self.rates(inputs[0].data[0], inputs[1].data[0]).to_vec())]
    }

    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        vec![false; 3]
    }
}

/// One update: (parameter, mean, square, rate, gradient) to (parameter, mean, square). The results
/// take the place of the first three operands.
///
/// With `grad` the gradient is not an operand but the product of the last two; it is made tile by
/// tile and not stored, where that is faster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adam {
    /// Decay of the mean of gradients.
    pub beta1: f64,
    /// Decay of the mean of squared gradients.
    pub beta2: f64,
    /// Added to the denominator.
    pub eps: f64,
    /// Weight decay.
    pub weight_decay: f64,
    /// Whether the decay acts on the parameter itself (AdamW) or through the gradient (Adam).
    pub decoupled: bool,
    /// The product that is the gradient, where it is fused into the update.
    pub grad: Option<Dot>,
}

impl Default for Adam {
    fn default() -> Adam {
        let (beta1, beta2, eps) = (0.9, 0.999, 1e-8);
        Adam { beta1, beta2, eps, weight_decay: 0.0, decoupled: false, grad: None }
    }
}

impl Adam {
    /// What the update makes of one element.
    fn step(&self, [p, g, m, v]: [f64; 4], [step_size, sqrt_bias2, lr]: [f64; 3]) -> [f64; 3] {
        let (p, g) = match self.decoupled {
            true => (p * (1.0 - lr * self.weight_decay), g),
            false => (p, g + self.weight_decay * p),
        };
        let m = self.beta1 * m + (1.0 - self.beta1) * g;
        let v = self.beta2 * v + (1.0 - self.beta2) * g * g;
        [p - step_size * m / (v.sqrt() / sqrt_bias2 + self.eps), m, v]
    }
}

impl Operation for Adam {
    fn name(&self) -> &'static str {
        if self.grad.is_some() { "dot_adam" } else { "adam" }
    }

    fn detail(&self) -> String {
        self.grad.map(|dot| dot.detail()).unwrap_or_default()
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        floats(inputs)?;
        let (state, grad) = inputs.split_at_checked(4).ok_or("takes at least 5 operands")?;
        let grad = match self.grad {
            Some(dot) => dot.infer(grad)?[0],
            None => operands::<1>(grad)?[0],
        };
        if state[..3].iter().any(|ty| ty.shape != grad.shape) {
            return Err("parameter, gradient and state differ in shape".into());
        }
        if state[3].numel() != 3 {
            return Err("the rate has three numbers, from adam_rate".into());
        }
        Ok(state[..3].to_vec())
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [p, m, v, rate] = [inputs[0], inputs[1], inputs[2], inputs[3]];
        let grad = match self.grad {
            Some(dot) => dot.eval(&inputs[4..]).remove(0),
            None => inputs[4].clone(),
        };
        let rates = [rate.data[0], rate.data[1], rate.data[2]];
        let mut out = [p.clone(), m.clone(), v.clone()];
        for i in 0..p.data.len() {
            let new = self.step([p.data[i], grad.data[i], m.data[i], v.data[i]], rates);
            for (array, x) in out.iter_mut().zip(new) {
                array.data[i] = x;
            }
        }
        out.into()
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        Err(GraphError::NoGradient { op: self.name(), value: format!("{:?}", b.outputs[0]) })
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        let flops = 14.0 * outputs[0].numel() as f64;
        let mut cost = Cost { flops, bytes: traffic(inputs, outputs) };
        if let Some(dot) = self.grad {
            cost.flops += dot.cost(&inputs[4..], &outputs[..1]).flops;
        }
        cost
    }

    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        match self.grad {
            None => vec![false; 8],
            Some(_) => vec![false, false, false, false, true, true, false, false, false],
        }
    }
}

impl Builder {
    /// Adds one Adam step for each parameter: the state it needs, the update, the rates from the
    /// single numbers `lr` and `step`.
    #[track_caller]
    pub fn adam<'g>(
        &'g self,
        adam: Adam,
        parameters: &[Var<'g>],
        gradients: &[Var<'g>],
        lr: Var<'g>,
        step: Var<'g>,
    ) -> Result<(), GraphError> {
        let rate = Op::AdamRate(AdamRate { beta1: adam.beta1, beta2: adam.beta2 });
        let rate = self.apply(rate, &[lr, step])?[0];
        for (&p, &g) in parameters.iter().zip(gradients) {
            let name = self.with(|graph| graph.label(p.id()));
            let memory = |suffix: &str| {
                self.state(&format!("{name}.{suffix}"), p.ty(), Init::Zeros, Role::Optimiser)
            };
            let (m, v) = (memory("exp_avg")?, memory("exp_avg_sq")?);
            let new = self.apply(Op::Adam(adam), &[p, m, v, rate, g])?;
            self.update(p, new[0])?;
            self.update(m, new[1])?;
            self.update(v, new[2])?;
        }
        Ok(())
    }
}
