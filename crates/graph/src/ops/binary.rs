//! Binary: two operands of one shape, element by element.
//!
//! The methods of [`Var`] broadcast their operands first; the operation itself does not.

use super::{Backward, Gradients, Operation, floats, operands};
use crate::{Array, GraphError, Op, Type, Var};

/// Which function. Comparisons give 1 or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the functions")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    /// NaN if either is.
    Max,
    /// NaN if either is.
    Min,
    Pow,
    Lt,
    Le,
    Eq,
}

/// Applies a function to pairs of elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Binary {
    /// The function.
    pub op: BinaryOp,
}

impl BinaryOp {
    /// The function in f64.
    pub fn eval(self, a: f64, b: f64) -> f64 {
        let truth = |t: bool| if t { 1.0 } else { 0.0 };
        match self {
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mul => a * b,
            BinaryOp::Div => a / b,
            BinaryOp::Max if a.is_nan() || b.is_nan() => f64::NAN,
            BinaryOp::Min if a.is_nan() || b.is_nan() => f64::NAN,
            BinaryOp::Max => a.max(b),
            BinaryOp::Min => a.min(b),
            BinaryOp::Pow => a.powf(b),
            BinaryOp::Lt => truth(a < b),
            BinaryOp::Le => truth(a <= b),
            BinaryOp::Eq => truth(a == b),
        }
    }

    /// Whether the operands may change places.
    pub fn commutes(self) -> bool {
        use BinaryOp::{Add, Eq, Max, Min, Mul};
        matches!(self, Add | Mul | Max | Min | Eq)
    }
}

impl Operation for Binary {
    fn name(&self) -> &'static str {
        match self.op {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::Div => "div",
            BinaryOp::Max => "max",
            BinaryOp::Min => "min",
            BinaryOp::Pow => "pow",
            BinaryOp::Lt => "lt",
            BinaryOp::Le => "le",
            BinaryOp::Eq => "eq",
        }
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [a, b] = operands(inputs)?;
        floats(inputs)?;
        if a.shape != b.shape {
            return Err("shapes differ".into());
        }
        Ok(vec![a])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        vec![inputs[0].zip(inputs[1], |a, b| self.op.eval(a, b))]
    }

    fn grad<'g>(&self, back: &Backward<'g>) -> Gradients<'g> {
        let (a, b, y, dy) = (back.inputs[0], back.inputs[1], back.outputs[0], back.grad()?);
        let wants = |i: usize, make: &dyn Fn() -> Result<Var<'g>, GraphError>| {
            back.needed[i].then(make).transpose()
        };
        let (da, db) = match self.op {
            BinaryOp::Add => (Some(dy), Some(dy)),
            BinaryOp::Sub => (Some(dy), wants(1, &|| dy.neg())?),
            BinaryOp::Mul => (wants(0, &|| dy.mul(b))?, wants(1, &|| dy.mul(a))?),
            BinaryOp::Div => (wants(0, &|| dy.div(b))?, wants(1, &|| dy.mul(y)?.div(b)?.neg())?),
            // Where both are equal each takes half, so that the sum of the gradients is kept.
            BinaryOp::Max | BinaryOp::Min => {
                let half = a.eq(b)?.mul(a.builder().scalar(0.5))?;
                let (low, high) = (a.lt(b)?.add(half)?, b.lt(a)?.add(half)?);
                let (of_a, of_b) = if self.op == BinaryOp::Max { (high, low) } else { (low, high) };
                (wants(0, &|| dy.mul(of_a))?, wants(1, &|| dy.mul(of_b))?)
            }
            BinaryOp::Pow => {
                let one = a.builder().scalar(1.0);
                let da = wants(0, &|| dy.mul(b)?.mul(a.pow(b.sub(one)?)?))?;
                (da, wants(1, &|| dy.mul(y)?.mul(a.log()?))?)
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Eq => (None, None),
        };
        Ok(vec![da, db])
    }
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {
        #[allow(clippy::should_implement_trait, reason = "operators cannot return errors")]
        impl<'g> Var<'g> {
            $($(#[$doc])* #[track_caller]
            pub fn $name(self, other: Var<'g>) -> Result<Var<'g>, GraphError> {
                self.binary(BinaryOp::$op, other)
            })*
        }
    };
}

methods! {
    /// a + b, broadcast.
    add = Add;
    /// a - b, broadcast.
    sub = Sub;
    /// a b, broadcast.
    mul = Mul;
    /// a / b, broadcast.
    div = Div;
    /// The larger, NaN if either is, broadcast.
    max = Max;
    /// The smaller, NaN if either is, broadcast.
    min = Min;
    /// a to the power of b, broadcast.
    pow = Pow;
    /// 1 where a < b, else 0.
    lt = Lt;
    /// 1 where a <= b, else 0.
    le = Le;
    /// 1 where a = b, else 0.
    eq = Eq;
}

impl<'g> Var<'g> {
    /// 1 where a > b, else 0.
    #[track_caller]
    pub fn gt(self, other: Var<'g>) -> Result<Var<'g>, GraphError> {
        other.lt(self)
    }

    #[track_caller]
    fn binary(self, op: BinaryOp, other: Var<'g>) -> Result<Var<'g>, GraphError> {
        let op = Op::Binary(Binary { op });
        let operands = match self.shape().broadcast(&other.shape()) {
            Some(shape) => [self.broadcast(shape)?, other.broadcast(shape)?],
            None => [self, other],
        };
        Ok(self.builder().apply(op, &operands)?[0])
    }
}
