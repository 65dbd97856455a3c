//! What the operations mean, one element at a time in f64.

use super::{Binary, Source, Step, Target, Unary};
use crate::maths::reference::{erf, normal_distribution};

/// `op(a)` in f64.
pub(crate) fn unary(op: Unary, a: f64) -> f64 {
    let logistic =
        |x: f64| if x < 0.0 { x.exp() / (1.0 + x.exp()) } else { 1.0 / (1.0 + (-x).exp()) };
    let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let k = (8.0 / std::f64::consts::PI).sqrt();
    let double_u = |x: f64| k * (x + 0.044715 * x * x * x);
    // The limit where a factor is infinite and the other 0.
    let product = |x: f64, p: f64| if p == 0.0 { p * x.signum() } else { x * p };
    match op {
        Unary::Identity => a,
        Unary::Neg => -a,
        Unary::Abs => a.abs(),
        Unary::Sign => {
            if a > 0.0 {
                1.0
            } else if a < 0.0 {
                -1.0
            } else {
                a
            }
        }
        Unary::Floor => a.floor(),
        Unary::Round => a.round_ties_even(),
        Unary::Square => a * a,
        Unary::Recip => 1.0 / a,
        Unary::Sqrt => a.sqrt(),
        Unary::Rsqrt => 1.0 / a.sqrt(),
        Unary::Exp => a.exp(),
        Unary::Expm1 => a.exp_m1(),
        Unary::Log => a.ln(),
        Unary::Log1p => a.ln_1p(),
        Unary::Sin => a.sin(),
        Unary::Cos => a.cos(),
        Unary::Tanh => a.tanh(),
        Unary::Sigmoid => logistic(a),
        Unary::Silu => product(a, logistic(a)),
        Unary::Softplus => {
            if a > 0.0 {
                a + (-a).exp().ln_1p()
            } else {
                a.exp().ln_1p()
            }
        }
        Unary::Erf => erf(a),
        Unary::Gelu => product(a, normal_distribution(a)),
        Unary::GeluSlope => {
            if a.abs() > 40.0 {
                f64::from(a > 0.0)
            } else {
                normal_distribution(a) + a * density(a)
            }
        }
        Unary::GeluTanh => product(a, logistic(double_u(a))),
        Unary::GeluTanhSlope => {
            let p = logistic(double_u(a));
            if a.abs() > 40.0 {
                p
            } else {
                p + a * p * (1.0 - p) * k * (1.0 + 3.0 * 0.044715 * a * a)
            }
        }
        Unary::Relu => {
            if a < 0.0 {
                0.0
            } else {
                a
            }
        }
        Unary::Not => f64::from(a == 0.0),
    }
}

/// `op(a, b)` in f64.
pub(crate) fn binary(op: Binary, a: f64, b: f64) -> f64 {
    match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        Binary::Max => {
            if a.is_nan() || a > b {
                a
            } else {
                b
            }
        }
        Binary::Min => {
            if a.is_nan() || a < b {
                a
            } else {
                b
            }
        }
        Binary::Pow => a.powf(b),
        Binary::Lt => f64::from(a < b),
        Binary::Le => f64::from(a <= b),
        Binary::Eq => f64::from(a == b),
        Binary::Ne => f64::from(a != b),
        Binary::TanhGrad => b * (1.0 - a * a),
        Binary::SigmoidGrad => b * a * (1.0 - a),
        Binary::ReluGrad => {
            if a > 0.0 {
                b
            } else {
                0.0
            }
        }
    }
}

/// One element through the steps; every value is rounded to f32 as the program rounds it.
pub(crate) fn element(steps: &[Step], inputs: &[f32], outputs: &mut [f32]) {
    let mut registers = [0.0f32; 256];
    for step in steps {
        let [a, b, c] = step.sources().map(|source| match source {
            Source::Input(i) => inputs[usize::from(i)],
            Source::Register(r) => registers[usize::from(r)],
            Source::Output(o) => outputs[usize::from(o)],
            Source::Constant(c) => c,
        });
        let value = match *step {
            Step::Unary { op, .. } => unary(op, f64::from(a)) as f32,
            Step::Binary { op, .. } => binary(op, f64::from(a), f64::from(b)) as f32,
            Step::MulAdd { .. } => (f64::from(a) * f64::from(b) + f64::from(c)) as f32,
            Step::Select { .. } => {
                if a != 0.0 {
                    b
                } else {
                    c
                }
            }
        };
        match step.target() {
            Target::Register(r) => registers[usize::from(r)] = value,
            Target::Output(o) => outputs[usize::from(o)] = value,
        }
    }
}
