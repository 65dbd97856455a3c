//! BinaryCrossEntropy: the loss of saying yes or no, for each channel on its own.

use super::{Criterion, Target, expect_not_negative};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// The mean of `-target log sigmoid(prediction) - (1 - target) log(1 - sigmoid(prediction))`, for
/// logits and targets `[.., channel, batch]`, the targets between 0 (no) and 1 (yes).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BinaryCrossEntropy {
    /// The share of certainty that is spread over yes and no.
    pub label_smoothing: f32,
    /// How much a yes counts in each channel, or in all of them; 1 unless given.
    pub pos_weight: Option<Vec<f32>>,
}

impl Criterion for BinaryCrossEntropy {
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError> {
        let target = target.into();
        let place = "loss binary_cross_entropy";
        if !(0.0..1.0).contains(&self.label_smoothing) {
            let (value, reason) = (self.label_smoothing, "a share is at least 0 and below 1");
            return Err(NnError::setting(place, "label_smoothing", value, reason));
        }
        for &weight in self.pos_weight.iter().flatten() {
            expect_not_negative("binary_cross_entropy", "pos_weight", weight)?;
        }
        let g = prediction.builder();
        let one = g.scalar(1.0);
        let mut yes = target.like(prediction, "binary_cross_entropy")?;
        if self.label_smoothing > 0.0 {
            let half = g.scalar(0.5 * self.label_smoothing);
            yes = yes.mul(g.scalar(1.0 - self.label_smoothing))?.add(half)?;
        }
        // -log(1 - sigmoid(x)) = x + softplus(-x), -log sigmoid(x) = softplus(-x).
        let no = one.sub(yes)?;
        let weighed = match &self.pos_weight {
            None => one.broadcast(yes.shape())?,
            Some(weight) => {
                let shape = prediction.shape();
                let channels = shape[shape.rank().saturating_sub(2)];
                if weight.len() != 1 && weight.len() != channels {
                    return Err(NnError::Shape {
                        place: place.into(),
                        problem: format!("has pos_weight for {} channels", weight.len()),
                        given: Box::new(prediction.ty()),
                        remedy: "give one number, or one for each channel".into(),
                    });
                }
                no.add(yes.mul(g.constant([weight.len(), 1], weight.clone()))?)?
            }
        };
        let errors = no.mul(prediction)?.add(weighed.mul(prediction.neg()?.softplus()?)?)?;
        Ok(target.mean(errors)?)
    }
}
