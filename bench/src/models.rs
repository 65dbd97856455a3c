//! Forecasting models as graphs, with the sizes and parameter names of NeuralForecast.
//!
//! A model is a struct of its sizes, whose defaults are NeuralForecast's, and a method `forecast`
//! from windows `[input, batch]` to forecasts `[horizon, batch]`. Parameters are declared under the
//! names and in the order of PyTorch's `named_parameters`, so that both sides can fill them alike.
//! Start reading at `nlinear.rs`, then `mlp.rs`.

mod dlinear;
mod gru;
mod layers;
mod lstm;
mod mlp;
mod nbeats;
mod nlinear;
mod patchtst;
mod tcn;

pub use dlinear::DLinear;
pub use gru::Gru;
pub use lstm::Lstm;
pub use mlp::Mlp;
pub use nbeats::NBeats;
pub use nlinear::NLinear;
pub use patchtst::PatchTst;
pub use tcn::Tcn;

use whimbrel_graph::{GraphError, Var};

/// Values a window holds.
pub const INPUT: usize = 24;
/// Values a forecast holds.
pub const HORIZON: usize = 12;

/// What a forecast is built for.
#[derive(Clone, Copy, Debug)]
pub enum Phase<'g> {
    /// Learning: statistics of the batch, and dropout where there are random numbers for it.
    Train {
        /// i32 `[2]` of seed and step; `None` switches dropout off.
        rng: Option<Var<'g>>,
    },
    /// Predicting: statistics kept from learning, no dropout.
    Predict,
}

/// One model of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Its name in cases.
    pub name: &'static str,
    /// Whether it drops out while learning.
    pub drops_out: bool,
    /// Its forecasts for windows.
    pub forecast: Forecast,
}

/// From windows `[INPUT, batch]` to forecasts `[HORIZON, batch]`.
pub type Forecast = for<'g> fn(Var<'g>, Phase<'g>) -> Result<Var<'g>, GraphError>;

/// Every model the `steps` suite measures.
pub const MODELS: &[Model] = &[
    plain("mlp-5k", |x, _| Mlp { hidden: 54, ..Mlp::default() }.forecast(x, HORIZON)),
    plain("mlp-1m", |x, _| Mlp::default().forecast(x, HORIZON)),
    plain("dlinear", |x, _| DLinear::default().forecast(x, HORIZON)),
    plain("nlinear", |x, _| NLinear.forecast(x, HORIZON)),
    plain("lstm", |x, _| Lstm::default().forecast(x, HORIZON)),
    plain("gru", |x, _| Gru::default().forecast(x, HORIZON)),
    plain("tcn", |x, _| Tcn::default().forecast(x, HORIZON)),
    plain("nbeats", |x, _| NBeats::default().forecast(x, HORIZON)),
    Model {
        name: "patchtst",
        drops_out: true,
        forecast: |x, phase| PatchTst::default().forecast(x, phase, HORIZON),
    },
];

/// A model without dropout.
const fn plain(name: &'static str, forecast: Forecast) -> Model {
    Model { name, drops_out: false, forecast }
}
