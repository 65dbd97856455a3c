//! Predictions of several numbers for each target: quantiles, parameters of distributions.

use super::Target;
use crate::NnError;
use whimbrel_graph::{GraphError, Var};

/// The smallest deviation or scale of a distribution whose loss is told none.
pub(super) const LEAST: f32 = 1e-6;

/// Cuts `prediction` `[.., count channel, batch]` into `count` parts like the target.
pub(super) fn parts<'g>(
    prediction: Var<'g>,
    target: &Target<'g>,
    count: usize,
    loss: &str,
) -> Result<Vec<Var<'g>>, NnError> {
    let shape = target.values.shape();
    let axis = shape.rank().checked_sub(2).ok_or_else(|| NnError::Shape {
        place: format!("loss {loss}"),
        problem: "needs a target with channels before the batch".into(),
        given: Box::new(target.values.ty()),
        remedy: "reshape it to [channel, batch]".into(),
    })?;
    let channels = shape[axis];
    if count == 0 || shape.with(axis, count * channels) != Some(prediction.shape()) {
        return Err(NnError::Shape {
            place: format!("loss {loss}"),
            problem: format!("needs {count} predictions for each target {}", target.values.ty()),
            given: Box::new(prediction.ty()),
            remedy: format!("let the last layer give {} channels", count * channels),
        });
    }
    let part = |i: usize| Ok(prediction.slice(axis, i * channels, (i + 1) * channels)?);
    (0..count).map(part).collect()
}

/// A number above `floor` from any number: its softplus plus `floor`.
pub(super) fn positive(x: Var<'_>, floor: f32) -> Result<Var<'_>, GraphError> {
    x.softplus()?.add(x.builder().scalar(floor))
}
