//! LastStep: where a sequence ends.

use super::{Forward, sequence};
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;

/// The last step of a sequence: `[time, channel, batch]` to `[channel, batch]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastStep;

impl Forward for LastStep {
    fn forward<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        let [time, channels, batch] = sequence(x, scope, "last_step")?;
        let last = time.checked_sub(1).ok_or_else(|| {
            scope.refuse("last_step", "needs at least one step", x, "give it a longer sequence")
        })?;
        Ok(x.slice(0, last, time)?.reshape([channels, batch])?)
    }
}
