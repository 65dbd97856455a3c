//! The models that are measured: those of `whimbrel-forecast`, and PatchTST, which it does not have yet.
//!
//! Sizes are NeuralForecast's by default. Parameters have the names and the order of PyTorch's
//! `named_parameters`, so that both sides can fill them alike.

mod patchtst;

pub use patchtst::PatchTst;

use whimbrel_forecast::models::{
    Architecture, DLinear, Gru, Lstm, Mlp, NBeats, NHits, NLinear, Network, Rnn, Tcn, Window,
};
use whimbrel_graph::Var;
use whimbrel_nn::{NnError, Scope};

/// Values a window holds.
pub const INPUT: usize = 24;
/// Values a forecast holds.
pub const HORIZON: usize = 12;

/// One model of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Its name in cases.
    pub name: &'static str,
    /// Its settings; none for PatchTST.
    pub network: Option<fn() -> Network>,
}

/// Every model the `steps` suite measures.
pub const MODELS: &[Model] = &[
    of("mlp-5k", || Mlp { hidden_size: 54, ..Mlp::default() }.into()),
    of("mlp-1m", || Mlp::default().into()),
    of("dlinear", || DLinear::default().into()),
    of("nlinear", || NLinear {}.into()),
    of("rnn", || Rnn::default().into()),
    of("lstm", || Lstm::default().into()),
    of("gru", || Gru::default().into()),
    of("tcn", || Tcn::default().into()),
    of("nbeats", || NBeats::default().into()),
    of("nhits", || NHits::default().into()),
    Model { name: "patchtst", network: None },
];

const fn of(name: &'static str, network: fn() -> Network) -> Model {
    Model { name, network: Some(network) }
}

impl Model {
    /// The model of a name.
    pub fn named(name: &str) -> Option<&'static Model> {
        MODELS.iter().find(|model| model.name == name)
    }

    /// Whether it drops out while learning, where the scope has random numbers.
    pub fn drops_out(&self) -> bool {
        self.network.is_none()
    }

    /// Forecasts `[HORIZON, batch]` from windows `[INPUT, batch]`.
    pub fn forecast<'g>(&self, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
        match self.network {
            Some(network) => forecast(&network(), x, scope),
            None => PatchTst::default().forecast(x, scope, HORIZON),
        }
    }
}

/// Forecasts `[HORIZON, batch]` of a network from windows `[INPUT, batch]`, all of which are known.
pub fn forecast<'g>(network: &Network, x: Var<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError> {
    let forecast = network.forward(&Window::of(x, HORIZON), scope)?;
    Ok(forecast.reshape([HORIZON, x.shape()[1]])?)
}
