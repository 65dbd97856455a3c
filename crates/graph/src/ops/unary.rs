//! Unary: one operand, element by element.

use super::{Backward, Cost, Gradients, Operation, floats, operands, traffic};
use crate::{Array, GraphError, Op, Type, Var};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// Which function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the functions")]
pub enum UnaryOp {
    Neg,
    Abs,
    /// -1, 0 or 1.
    Sign,
    Square,
    Sqrt,
    /// 1 / sqrt(x).
    Rsqrt,
    /// 1 / x.
    Recip,
    Exp,
    Log,
    /// log(1 + x).
    Log1p,
    Sin,
    Cos,
    Tanh,
    Sigmoid,
    Relu,
    /// log(1 + exp(x)).
    Softplus,
    /// x * sigmoid(x).
    Silu,
    /// x times the normal distribution function of x.
    Gelu,
    Erf,
    Floor,
}

/// Applies a function to each element.
#[derive(Clone, Debug, PartialEq)]
pub struct Unary {
    /// The function.
    pub op: UnaryOp,
}

impl UnaryOp {
    /// The function in f64.
    pub fn eval(self, x: f64) -> f64 {
        match self {
            UnaryOp::Neg => -x,
            UnaryOp::Abs => x.abs(),
            UnaryOp::Sign => {
                if x == 0.0 {
                    0.0
                } else {
                    x.signum()
                }
            }
            UnaryOp::Square => x * x,
            UnaryOp::Sqrt => x.sqrt(),
            UnaryOp::Rsqrt => 1.0 / x.sqrt(),
            UnaryOp::Recip => 1.0 / x,
            UnaryOp::Exp => x.exp(),
            UnaryOp::Log => x.ln(),
            UnaryOp::Log1p => x.ln_1p(),
            UnaryOp::Sin => x.sin(),
            UnaryOp::Cos => x.cos(),
            UnaryOp::Tanh => x.tanh(),
            UnaryOp::Sigmoid => 1.0 / (1.0 + (-x).exp()),
            UnaryOp::Relu => {
                if x > 0.0 || x.is_nan() {
                    x
                } else {
                    0.0
                }
            }
            UnaryOp::Softplus => x.max(0.0) + (-x.abs()).exp().ln_1p(),
            UnaryOp::Silu => x / (1.0 + (-x).exp()),
            UnaryOp::Gelu => 0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2)),
            UnaryOp::Erf => erf(x),
            UnaryOp::Floor => x.floor(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            UnaryOp::Neg => "neg",
            UnaryOp::Abs => "abs",
            UnaryOp::Sign => "sign",
            UnaryOp::Square => "square",
            UnaryOp::Sqrt => "sqrt",
            UnaryOp::Rsqrt => "rsqrt",
            UnaryOp::Recip => "recip",
            UnaryOp::Exp => "exp",
            UnaryOp::Log => "log",
            UnaryOp::Log1p => "log1p",
            UnaryOp::Sin => "sin",
            UnaryOp::Cos => "cos",
            UnaryOp::Tanh => "tanh",
            UnaryOp::Sigmoid => "sigmoid",
            UnaryOp::Relu => "relu",
            UnaryOp::Softplus => "softplus",
            UnaryOp::Silu => "silu",
            UnaryOp::Gelu => "gelu",
            UnaryOp::Erf => "erf",
            UnaryOp::Floor => "floor",
        }
    }

    /// Operations per element a vector unit spends, roughly.
    pub fn flops(self) -> f64 {
        match self {
            UnaryOp::Exp | UnaryOp::Log | UnaryOp::Log1p | UnaryOp::Sin | UnaryOp::Cos => 15.0,
            UnaryOp::Tanh | UnaryOp::Sigmoid | UnaryOp::Softplus | UnaryOp::Silu => 20.0,
            UnaryOp::Erf | UnaryOp::Gelu => 30.0,
            UnaryOp::Sqrt | UnaryOp::Rsqrt | UnaryOp::Recip => 5.0,
            _ => 1.0,
        }
    }
}

/// The error function: its Taylor series near 0, a continued fraction of erfc in the tails.
pub(crate) fn erf(x: f64) -> f64 {
    if x.abs() > 3.0 {
        // erfc(x) = exp(-x^2)/sqrt(pi) * 1/(x + (1/2)/(x + 1/(x + (3/2)/(x + ...)))).
        let a = x.abs();
        let tail = (1..=60).rev().fold(a, |f, k| a + f64::from(k) * 0.5 / f);
        let erfc = (-a * a).exp() * FRAC_2_SQRT_PI * 0.5 / tail;
        return x.signum() * (1.0 - erfc);
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
        if term.abs() < 1e-18 * sum.abs() {
            break;
        }
    }
    sum * FRAC_2_SQRT_PI
}

impl Operation for Unary {
    fn name(&self) -> &'static str {
        self.op.name()
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [x] = operands(inputs)?;
        floats(inputs)?;
        Ok(vec![x])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        vec![inputs[0].map(|x| self.op.eval(x))]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let (x, y, dy) = (b.inputs[0], b.outputs[0], b.grad()?);
        let g = x.builder();
        let dx = match self.op {
            UnaryOp::Neg => dy.neg()?,
            UnaryOp::Abs => dy.mul(x.sign()?)?,
            UnaryOp::Sign | UnaryOp::Floor => return Ok(vec![None]),
            UnaryOp::Square => dy.mul(x)?.mul(g.scalar(2.0))?,
            UnaryOp::Sqrt => dy.mul(g.scalar(0.5))?.div(y)?,
            UnaryOp::Rsqrt => dy.mul(y.square()?.mul(y)?)?.mul(g.scalar(-0.5))?,
            UnaryOp::Recip => dy.mul(y.square()?)?.neg()?,
            UnaryOp::Exp => dy.mul(y)?,
            UnaryOp::Log => dy.div(x)?,
            UnaryOp::Log1p => dy.div(x.add(g.scalar(1.0))?)?,
            UnaryOp::Sin => dy.mul(x.cos()?)?,
            UnaryOp::Cos => dy.mul(x.sin()?)?.neg()?,
            UnaryOp::Tanh => dy.mul(g.scalar(1.0).sub(y.square()?)?)?,
            UnaryOp::Sigmoid => dy.mul(y.mul(g.scalar(1.0).sub(y)?)?)?,
            UnaryOp::Relu => dy.keep_where(y.gt(g.scalar(0.0))?)?,
            UnaryOp::Softplus => dy.mul(x.sigmoid()?)?,
            UnaryOp::Silu => {
                // d/dx x s(x) = s + x s (1 - s) = s + y (1 - s).
                let s = x.sigmoid()?;
                dy.mul(s.add(y.mul(g.scalar(1.0).sub(s)?)?)?)?
            }
            UnaryOp::Gelu => {
                // d/dx x F(x) = F(x) + x f(x), f the normal density.
                let half = g.scalar(0.5);
                let cdf = x.mul(g.scalar(FRAC_1_SQRT_2 as f32))?.erf()?.add(g.scalar(1.0))?;
                let density = x.square()?.mul(g.scalar(-0.5))?.exp()?;
                let scale = g.scalar((0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2) as f32);
                dy.mul(cdf.mul(half)?.add(x.mul(density)?.mul(scale)?)?)?
            }
            UnaryOp::Erf => {
                let slope = x.square()?.neg()?.exp()?;
                dy.mul(slope)?.mul(g.scalar(FRAC_2_SQRT_PI as f32))?
            }
        };
        Ok(vec![Some(dx)])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        let flops = self.op.flops() * outputs[0].numel() as f64;
        Cost { flops, bytes: traffic(inputs, outputs) }
    }
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {
        #[allow(clippy::should_implement_trait, reason = "operators cannot return errors")]
        impl<'g> Var<'g> {
            $($(#[$doc])* #[track_caller]
            pub fn $name(self) -> Result<Var<'g>, GraphError> {
                self.apply(Op::Unary(Unary { op: UnaryOp::$op }))
            })*
        }
    };
}

methods! {
    /// -x.
    neg = Neg;
    /// |x|.
    abs = Abs;
    /// -1, 0 or 1.
    sign = Sign;
    /// x².
    square = Square;
    /// Square root.
    sqrt = Sqrt;
    /// 1 / sqrt(x).
    rsqrt = Rsqrt;
    /// 1 / x.
    recip = Recip;
    /// Exponential.
    exp = Exp;
    /// Natural logarithm.
    log = Log;
    /// log(1 + x).
    log1p = Log1p;
    /// Sine.
    sin = Sin;
    /// Cosine.
    cos = Cos;
    /// Hyperbolic tangent.
    tanh = Tanh;
    /// 1 / (1 + exp(-x)).
    sigmoid = Sigmoid;
    /// max(x, 0); NaN stays.
    relu = Relu;
    /// log(1 + exp(x)).
    softplus = Softplus;
    /// x sigmoid(x).
    silu = Silu;
    /// x times the normal distribution function of x (exact form).
    gelu = Gelu;
    /// Error function.
    erf = Erf;
    /// Largest integer not above x.
    floor = Floor;
}
