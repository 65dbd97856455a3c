//! Accumulating: gradients of several batches averaged before one step.
//!
//! The batches of a group run through the graph of [`Optimiser::gather`], the last one through that of
//! [`Optimiser::minimise_gathered`]. Both declare the inputs `share`, what part of the group's rows the
//! batch has, and `later`, 0 for the first batch of a group and else 1.

use super::memory::remember;
use super::{Optimiser, Step};
use crate::NnError;
use whimbrel_graph::{Builder, GraphError, Init, Var};

/// What the sum of a parameter's gradients is called beside the parameter.
const SUM: &str = "gathered";

/// Whether a state value is a sum of gradients: it begins anew with each group of batches.
pub(crate) fn is_sum(name: &str) -> bool {
    name.rsplit('.').next() == Some(SUM)
}

impl Optimiser {
    /// Adds the gradients of `loss` to those of the batches before; for all batches of a group but the
    /// last.
    #[track_caller]
    pub fn gather(&self, loss: Var<'_>) -> Result<(), NnError> {
        for (sum, total) in totals(loss)? {
            loss.builder().update(sum, total)?;
        }
        Ok(())
    }

    /// Writes one step along the mean gradient of a group of batches into the graph of its last one;
    /// else as [`minimise`](Optimiser::minimise).
    #[track_caller]
    pub fn minimise_gathered(&self, loss: Var<'_>) -> Result<(), NnError> {
        self.check()?;
        let g = loss.builder();
        let step = Step { lr: g.input("lr", [])?, number: g.input("step", [])? };
        let gradients = totals(loss)?.into_iter().map(|(_, total)| total).collect();
        self.follow(&g.parameters(), gradients, step)
    }
}

/// For each parameter the sum so far, and what it becomes by the gradient of `loss`.
fn totals<'g>(loss: Var<'g>) -> Result<Vec<(Var<'g>, Var<'g>)>, GraphError> {
    let g: &Builder = loss.builder();
    let (share, later) = (g.input("share", [])?, g.input("later", [])?);
    let later = later.gt(g.scalar(0.0))?;
    let parameters = g.parameters();
    let gradients = g.gradients(loss, &parameters)?;
    let total = |(&parameter, gradient): (&Var<'g>, Var<'g>)| {
        let sum = remember(parameter, SUM, Init::Zeros)?;
        let own = gradient.mul(share)?;
        Ok((sum, later.select(sum.add(own)?, own)?))
    };
    parameters.iter().zip(gradients).map(total).collect()
}
