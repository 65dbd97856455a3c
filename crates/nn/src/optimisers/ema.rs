//! Ema: parameters averaged over the steps, which often predict better than the last ones. Running statistics are
//! averaged with them: those of other weights would not fit.

use super::memory::{remember, running_mean};
use super::{Step, expect_decay};
use crate::NnError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{GraphError, Init, Var};

/// What the name of an average ends in.
pub(crate) const SUFFIX: &str = ".ema";

/// An exponential moving average of each parameter and running statistic, in state `<parameter>.ema`:
/// `ema = decay ema + (1 - decay) p`, from the first step's parameters on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ema {
    /// How much of the average stays in a step.
    pub decay: f64,
}

impl Default for Ema {
    fn default() -> Ema {
        Ema { decay: 0.999 }
    }
}

impl Ema {
    pub(super) fn check(&self) -> Result<(), NnError> {
        expect_decay("ema", "decay", self.decay)
    }

    /// Writes the average of what each parameter and statistic becomes into the graph.
    pub(super) fn follow<'g>(
        &self,
        parameters: &[Var<'g>],
        step: Step<'g>,
    ) -> Result<(), GraphError> {
        let g = step.lr.builder();
        let later = step.number.gt(g.scalar(1.0))?;
        for parameter in parameters.iter().copied().chain(g.statistics()) {
            let average = remember(parameter, SUFFIX.trim_start_matches('.'), Init::Zeros)?;
            let new = g.updated(parameter).unwrap_or(parameter);
            let blended = running_mean(average, new, self.decay)?;
            g.update(average, later.select(blended, new)?)?;
        }
        Ok(())
    }
}

/// The name of the state that holds the average of a parameter.
pub fn average_of(parameter: &str) -> String {
    format!("{parameter}{SUFFIX}")
}
