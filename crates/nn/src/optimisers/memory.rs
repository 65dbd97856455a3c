//! What an optimiser remembers of each parameter.

use whimbrel_graph::ops::Role;
use whimbrel_graph::{GraphError, Init, Var};

/// State of the optimiser like `parameter`, called `<parameter>.<what>`.
pub(super) fn remember<'g>(
    parameter: Var<'g>,
    what: &str,
    init: Init,
) -> Result<Var<'g>, GraphError> {
    let g = parameter.builder();
    g.state(&format!("{}.{what}", g.label(parameter)), parameter.ty(), init, Role::Optimiser)
}

/// The gradient with weight decay added to it.
pub(super) fn decayed<'g>(
    gradient: Var<'g>,
    parameter: Var<'g>,
    weight_decay: f64,
) -> Result<Var<'g>, GraphError> {
    match weight_decay {
        0.0 => Ok(gradient),
        _ => gradient.add(parameter.mul(parameter.builder().scalar(weight_decay as f32))?),
    }
}

/// `decay old + (1 - decay) new`.
pub(super) fn running_mean<'g>(
    old: Var<'g>,
    new: Var<'g>,
    decay: f64,
) -> Result<Var<'g>, GraphError> {
    let g = old.builder();
    old.mul(g.scalar(decay as f32))?.add(new.mul(g.scalar((1.0 - decay) as f32))?)
}
