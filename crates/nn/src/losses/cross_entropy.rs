//! CrossEntropy: the loss of choosing one class of several.

use super::{Criterion, Target, expect_weights, ratio};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{GraphError, Var};
use whimbrel_tensor::DType;

/// The mean of `-log softmax(prediction)[class]`, for logits `[class, batch]` and the right classes,
/// i32 `[batch]`; or for sequences `[time, class, batch]` and `[time, batch]`. An item with a negative
/// class does not count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CrossEntropy {
    /// The share of certainty that is spread over all classes.
    pub label_smoothing: f32,
    /// How much each class counts; all alike unless given.
    pub weight: Option<Vec<f32>>,
}

impl Criterion for CrossEntropy {
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError> {
        let target = target.into();
        let (logits, labels) = self.items(prediction, &target)?;
        let g = prediction.builder();
        let counted = g.scalar(0.0).le(row(labels.cast(DType::F32)?)?)?;
        let (errors, class_weight) = match self.weight.is_none() && self.label_smoothing == 0.0 {
            true => (logits.cross_entropy(labels)?, None),
            false => {
                let (errors, weight) = self.spread(logits, labels)?;
                (errors, Some(weight))
            }
        };
        let mut total = counted;
        let mut errors = errors.mul(counted)?;
        if let Some(weight) = target.weight {
            // As many weights as labels: of sequences time and batch become one here too.
            let weight = row(weight.broadcast(target.values.shape())?)?;
            errors = errors.mul(weight)?;
            total = total.mul(weight)?;
        }
        if let Some(weight) = class_weight {
            total = total.mul(weight)?;
        }
        Ok(ratio(errors.sum()?, total.sum()?)?)
    }
}

/// Labels that are negative where they do not count, whatever they were: one past the classes would
/// make the loss NaN, even multiplied by 0.
fn counted<'g>(labels: Var<'g>, mask: Option<Var<'g>>) -> Result<Var<'g>, GraphError> {
    let Some(mask) = mask else { return Ok(labels) };
    let mask = mask.broadcast(labels.shape())?;
    let ignored = labels.builder().scalar(-1.0);
    mask.select(labels.cast(DType::F32)?, ignored)?.cast(DType::I32)
}

/// A value as a single row.
fn row(x: Var<'_>) -> Result<Var<'_>, GraphError> {
    x.reshape([1, x.ty().numel()])
}

impl CrossEntropy {
    /// Logits `[class, item]` and labels `[item]`, negative where they do not count; of sequences every
    /// step is an item.
    fn items<'g>(
        &self,
        logits: Var<'g>,
        target: &Target<'g>,
    ) -> Result<(Var<'g>, Var<'g>), NnError> {
        let labels = target.values;
        let refuse = |problem: String, given: Var<'g>, remedy: &str| {
            let (place, remedy) = ("loss cross_entropy".into(), remedy.into());
            Err(NnError::Shape { place, problem, given: Box::new(given.ty()), remedy })
        };
        if !(0.0..1.0).contains(&self.label_smoothing) {
            let (value, reason) = (self.label_smoothing, "a share is at least 0 and below 1");
            return Err(NnError::setting("loss cross_entropy", "label_smoothing", value, reason));
        }
        expect_weights("cross_entropy", "weight", self.weight.as_ref())?;
        let shape = logits.shape();
        let fits = matches!(shape.rank(), 2 | 3)
            && shape.remove(shape.rank() - 2) == Some(labels.shape())
            && labels.ty().dtype == DType::I32;
        if !fits {
            let problem =
                format!("needs a class, i32, for each item of the logits {}", logits.ty());
            return refuse(problem, labels, "give logits [class, batch] and classes [batch]");
        }
        let classes = shape[shape.rank() - 2];
        if let Some(weight) = self.weight.as_ref().filter(|weight| weight.len() != classes) {
            let problem = format!("has weights for {} classes", weight.len());
            return refuse(problem, logits, "give one weight for each class");
        }
        let labels = counted(labels, target.mask)?;
        if shape.rank() == 2 {
            return Ok((logits, labels));
        }
        let items = shape[0] * shape[2];
        let logits = logits.permute(&[1, 0, 2])?.reshape([classes, items])?;
        Ok((logits, labels.reshape([items])?))
    }

    /// Errors `[1, item]` with weights and smoothing, and the weight of each item's class. As in
    /// PyTorch the certainty that is spread falls on each class by its weight.
    fn spread<'g>(
        &self,
        logits: Var<'g>,
        labels: Var<'g>,
    ) -> Result<(Var<'g>, Var<'g>), GraphError> {
        let g = logits.builder();
        let classes = logits.shape()[0];
        let weight = self.weight.clone().unwrap_or_else(|| vec![1.0; classes]);
        let weight = g.constant([classes, 1], weight);
        let hit = g.iota([classes, 1], 0)?.eq(row(labels.cast(DType::F32)?)?)?;
        let of_class = hit.mul(weight)?;
        let smooth = g.scalar(self.label_smoothing / classes as f32);
        let sure = g.scalar(1.0 - self.label_smoothing);
        let share = of_class.mul(sure)?.add(weight.mul(smooth)?)?;
        let errors = share.mul(logits.log_softmax(0)?)?.sum_axes(&[0])?.neg()?;
        Ok((errors, of_class.sum_axes(&[0])?))
    }
}
