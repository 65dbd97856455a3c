//! Mase: the mean absolute error relative to that of a naive forecast.

use super::{Criterion, Target, ratio};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// The mean of `|prediction - target|` over the mean absolute difference of values `seasonality` steps
/// apart in the history of the item, [`Target::history`] `[time, batch]`. An item whose history does not
/// change has no error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Mase {
    /// Steps after which values repeat; 1 for none.
    pub seasonality: usize,
}

impl Default for Mase {
    fn default() -> Mase {
        Mase { seasonality: 1 }
    }
}

impl Criterion for Mase {
    fn loss<'g>(
        &self,
        prediction: Var<'g>,
        target: impl Into<Target<'g>>,
    ) -> Result<Var<'g>, NnError> {
        let target = target.into();
        let Some(history) = target.history else {
            return Err(NnError::Missing {
                place: "loss mase".into(),
                problem: "needs the values before the target".into(),
                remedy:
                    "give them with Target::with_history; network files have none, use mae there"
                        .into(),
            });
        };
        let (time, season) = (history.shape().first().copied().unwrap_or(0), self.seasonality);
        if season == 0 || season >= time {
            let reason = format!("it must be at least 1 and below the {time} steps of the history");
            return Err(NnError::setting("loss mase", "seasonality", season, reason));
        }
        let error = prediction.sub(target.like(prediction, "mase")?)?.abs()?;
        let (later, earlier) =
            (history.slice(0, season, time)?, history.slice(0, 0, time - season)?);
        let naive = later.sub(earlier)?.abs()?.mean_axes(&[0])?;
        Ok(target.mean(ratio(error, naive.broadcast(error.shape())?)?)?)
    }
}
