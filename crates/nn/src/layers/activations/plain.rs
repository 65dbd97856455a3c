//! Functions of each element that have no settings.

use crate::layers::Forward;
use crate::{NnError, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::{GraphError, Var};

/// Declares a layer for each function.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident = $function:expr;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub struct $name;

        impl Forward for $name {
            fn forward<'g>(&self, x: Var<'g>, _: &Scope<'g>) -> Result<Var<'g>, NnError> {
                Ok($function(x)?)
            }
        })*
    };
}

functions! {
    /// max(x, 0).
    Relu = Var::relu;
    /// min(max(x, 0), 6).
    Relu6 = |x: Var<'g>| clamp(x, 0.0, 6.0);
    /// Hyperbolic tangent.
    Tanh = Var::tanh;
    /// 1 / (1 + exp(-x)).
    Sigmoid = Var::sigmoid;
    /// x sigmoid(x), also called swish.
    Silu = Var::silu;
    /// x tanh(softplus(x)).
    Mish = |x: Var<'g>| x.mul(x.softplus()?.tanh()?);
    /// x / (1 + |x|).
    Softsign = |x: Var<'g>| x.div(x.abs()?.add(x.builder().scalar(1.0))?);
    /// log(sigmoid(x)).
    LogSigmoid = |x: Var<'g>| x.neg()?.softplus()?.neg();
    /// x - tanh(x).
    Tanhshrink = |x: Var<'g>| x.sub(x.tanh()?);
    /// min(max(x, -1), 1).
    Hardtanh = |x: Var<'g>| clamp(x, -1.0, 1.0);
    /// min(max(x / 6 + 1 / 2, 0), 1).
    Hardsigmoid = hard_sigmoid;
    /// x hardsigmoid(x).
    Hardswish = |x: Var<'g>| x.mul(hard_sigmoid(x)?);
    /// The self-normalising exponential unit.
    Selu = selu;
}

/// min(max(x, low), high). Its slope is 0 at both bounds, as in PyTorch; NaN stays.
fn clamp(x: Var<'_>, low: f32, high: f32) -> Result<Var<'_>, GraphError> {
    let (low, high) = (x.builder().scalar(low), x.builder().scalar(high));
    let not_below = x.le(low)?.select(low, x)?;
    high.le(x)?.select(high, not_below)
}

fn hard_sigmoid(x: Var<'_>) -> Result<Var<'_>, GraphError> {
    let g = x.builder();
    clamp(x.mul(g.scalar(1.0 / 6.0))?.add(g.scalar(0.5))?, 0.0, 1.0)
}

/// The constants keep mean 0 and variance 1 from layer to layer (Klambauer et al., 2017).
fn selu(x: Var<'_>) -> Result<Var<'_>, GraphError> {
    const ALPHA: f32 = 1.673_263_2;
    const SCALE: f32 = 1.050_701;
    super::elu::elu(x, ALPHA, 1.0)?.mul(x.builder().scalar(SCALE))
}
