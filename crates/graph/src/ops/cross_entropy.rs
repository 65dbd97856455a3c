//! CrossEntropy: the loss of classifying each batch item, from logits and labels.

use super::{Backward, Cost, Gradients, Operation, axes, expect, floats, operands, traffic};
use crate::{Array, GraphError, Op, Type, Var};
use whimbrel_tensor::DType;

/// (logits `[C, B]`, labels i32 `[B]`) to loss `[1, B]`: `log sum exp(x) - x[label]`.
///
/// An item with a negative label is not counted: its loss and gradient are 0. A label past the
/// classes makes them NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrossEntropy;

/// Gradient of the logits: (logits `[C, B]`, labels i32 `[B]`, dloss `[1, B]`) to dlogits `[C, B]`,
/// `(softmax(x) - [class = label]) dloss`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrossEntropyGrad;

/// Log of the sum of exponentials of the logits of one item.
fn log_sum_exp(logits: &Array, item: usize) -> f64 {
    let column = || (0..logits.shape[0]).map(|class| logits.at(&[class, item]));
    let largest = column().fold(f64::NEG_INFINITY, f64::max);
    largest + column().map(|x| (x - largest).exp()).sum::<f64>().ln()
}

fn check(logits: Type, labels: Type) -> Result<[usize; 2], String> {
    let [classes, batch] = axes(logits, "logits")?;
    floats(&[logits])?;
    expect(labels, "labels", [batch])?;
    match labels.dtype {
        DType::I32 => Ok([classes, batch]),
        other => Err(format!("labels must be i32, not {}", other.name().to_lowercase())),
    }
}

impl Operation for CrossEntropy {
    fn name(&self) -> &'static str {
        "cross_entropy"
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [logits, labels] = operands(inputs)?;
        let [_, batch] = check(logits, labels)?;
        Ok(vec![Type::f32([1, batch])])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [logits, labels] = [inputs[0], inputs[1]];
        let [classes, batch] = [logits.shape[0], logits.shape[1]];
        vec![Array::from_fn([1, batch].into(), |at| match labels.data[at[1]] {
            label if label < 0.0 => 0.0,
            label if label >= classes as f64 => f64::NAN,
            label => log_sum_exp(logits, at[1]) - logits.at(&[label as usize, at[1]]),
        })]
    }

    fn grad<'g>(&self, b: &Backward<'g>) -> Gradients<'g> {
        let (logits, labels) = (b.inputs[0], b.inputs[1]);
        let op = Op::CrossEntropyGrad(CrossEntropyGrad);
        let grad = logits.builder().apply(op, &[logits, labels, b.grad()?])?;
        Ok(vec![Some(grad[0]), None])
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        Cost { flops: 18.0 * inputs[0].numel() as f64, bytes: traffic(inputs, outputs) }
    }
}

impl Operation for CrossEntropyGrad {
    fn name(&self) -> &'static str {
        "cross_entropy_grad"
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [logits, labels, dloss] = operands(inputs)?;
        let [_, batch] = check(logits, labels)?;
        floats(&[dloss])?;
        expect(dloss, "dloss", [1, batch])?;
        Ok(vec![logits])
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [logits, labels, dloss] = [inputs[0], inputs[1], inputs[2]];
        let classes = logits.shape[0] as f64;
        vec![Array::from_fn(logits.shape, |at| match labels.data[at[1]] {
            label if label < 0.0 => 0.0,
            label if label >= classes => f64::NAN,
            label => {
                let truth = if at[0] == label as usize { 1.0 } else { 0.0 };
                let share = (logits.at(at) - log_sum_exp(logits, at[1])).exp();
                (share - truth) * dloss.at(&[0, at[1]])
            }
        })]
    }

    fn cost(&self, inputs: &[Type], outputs: &[Type]) -> Cost {
        Cost { flops: 20.0 * inputs[0].numel() as f64, bytes: traffic(inputs, outputs) }
    }
}

impl<'g> Var<'g> {
    /// The loss `[1, B]` of these logits `[C, B]` given the right classes, i32 `[B]`.
    #[track_caller]
    pub fn cross_entropy(self, labels: Var<'g>) -> Result<Var<'g>, GraphError> {
        Ok(self.builder().apply(Op::CrossEntropy(CrossEntropy), &[self, labels])?[0])
    }
}
