//! Fused: a chain of element-wise operations as one, made by `passes::fuse`.

use super::{Backward, Cost, Gradients, Operation, floats, traffic};
use crate::ops::{BinaryOp, Broadcast, UnaryOp};
use crate::{Array, GraphError, Type};
use whimbrel_tensor::Shape;

/// One step; operands are the positions of earlier steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expr {
    /// An operand of the node, broadcast to the shape.
    Input(usize),
    /// The same number everywhere.
    Constant(f32),
    /// A function of one step.
    Unary(UnaryOp, usize),
    /// A function of two steps.
    Binary(BinaryOp, usize, usize),
    /// The second step where the first is not 0, else the third.
    Select(usize, usize, usize),
}

impl Expr {
    /// Positions of the steps it reads.
    pub fn operands(&self) -> Vec<usize> {
        match *self {
            Expr::Input(_) | Expr::Constant(_) => Vec::new(),
            Expr::Unary(_, a) => vec![a],
            Expr::Binary(_, a, b) => vec![a, b],
            Expr::Select(m, a, b) => vec![m, a, b],
        }
    }

    /// The same step with its operands at other positions.
    pub fn with_operands(&self, to: impl Fn(usize) -> usize) -> Expr {
        match *self {
            Expr::Input(_) | Expr::Constant(_) => *self,
            Expr::Unary(op, a) => Expr::Unary(op, to(a)),
            Expr::Binary(op, a, b) => Expr::Binary(op, to(a), to(b)),
            Expr::Select(m, a, b) => Expr::Select(to(m), to(a), to(b)),
        }
    }
}

/// Element-wise steps over one shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused {
    /// The shape of every result.
    pub shape: Shape,
    /// The steps, each reading earlier ones.
    pub steps: Vec<Expr>,
    /// The steps whose values are results.
    pub results: Vec<usize>,
}

impl Operation for Fused {
    fn name(&self) -> &'static str {
        "fused"
    }

    fn detail(&self) -> String {
        let step = |expr: &Expr| match expr {
            Expr::Input(i) => format!("in{i}"),
            Expr::Constant(x) => format!("{x}"),
            Expr::Unary(op, a) => format!("{op:?} {a}"),
            Expr::Binary(op, a, b) => format!("{op:?} {a} {b}"),
            Expr::Select(m, a, b) => format!("Select {m} {a} {b}"),
        };
        let steps: Vec<_> = self.steps.iter().map(step).collect();
        steps.join("; ")
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        floats(inputs)?;
        for ty in inputs {
            Broadcast { shape: self.shape }.infer(&[*ty])?;
        }
        for (at, step) in self.steps.iter().enumerate() {
            let forward = step.operands().iter().any(|&a| a >= at);
            let missing = matches!(*step, Expr::Input(i) if i >= inputs.len());
            if forward || missing {
                return Err(format!("step {at} reads what is not there"));
            }
        }
        if self.results.iter().any(|&r| r >= self.steps.len()) {
            return Err("a result is not a step".into());
        }
        Ok(vec![Type::f32(self.shape); self.results.len()])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let broadcast = Broadcast { shape: self.shape };
        let mut made: Vec<Array> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let array = match *step {
                Expr::Input(i) => broadcast.eval(&[inputs[i]]).remove(0),
                Expr::Constant(x) => Array::full(self.shape, f64::from(x)),
                Expr::Unary(op, a) => made[a].map(|x| op.eval(x)),
                Expr::Binary(op, a, b) => made[a].zip(&made[b], |x, y| op.eval(x, y)),
                Expr::Select(m, a, b) => {
                    super::Select.eval(&[&made[m], &made[a], &made[b]]).remove(0)
                }
            };
            made.push(array);
        }
        self.results.iter().map(|&r| made[r].clone()).collect()
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        Err(GraphError::NoGradient { op: "fused", value: format!("{:?}", b.outputs[0]) })
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        let per_element: f64 = self
            .steps
            .iter()
            .map(|step| match step {
                Expr::Input(_) | Expr::Constant(_) => 0.0,
                Expr::Unary(op, _) => op.flops(),
                Expr::Binary(..) | Expr::Select(..) => 1.0,
            })
            .sum();
        let flops = per_element * self.shape.numel() as f64;
        Cost { flops, bytes: traffic(inputs, outputs) }
    }

    fn carries_batch(&self, inputs: &[Type], outputs: &[Type]) -> Vec<bool> {
        let last = self.shape.last();
        let carried = inputs.iter().map(|ty| ty.shape.last() == last && ty.shape.rank() > 0);
        carried.chain(outputs.iter().map(|_| true)).collect()
    }
}
