//! The models, one file each: a struct of settings that writes itself into a graph.
//!
//! Settings have the names and defaults of NeuralForecast, parameters its names and shapes, so that
//! weights can go from one to the other. Adding a model: a file here with a struct that implements
//! [`Architecture`], one line in `models!`, a case in `tests/golden/make.py`. `nlinear.rs` is the one to
//! imitate.

mod activation;
mod blocks;
mod decoder;
mod dlinear;
mod interpolate;
mod mlp;
mod nbeats;
mod nhits;
mod nlinear;
mod recurrent;
mod tcn;
mod window;

pub use activation::Activation;
pub use dlinear::DLinear;
pub use interpolate::Interpolation;
pub use mlp::Mlp;
pub use nbeats::{Basis, NBeats};
pub use nhits::{NHits, Pooling};
pub use nlinear::NLinear;
pub use recurrent::{Gru, Lstm, Rnn};
pub use tcn::Tcn;
pub use window::Window;

use serde::{Deserialize, Serialize};
use whimbrel_graph::Var;
use whimbrel_nn::{NnError, Scope};

/// What every model can do.
pub trait Architecture {
    /// Writes the model into the graph of a window: its forecast, `[horizon, outputs, batch]`.
    fn forward<'g>(&self, window: &Window<'g>, scope: &Scope<'g>) -> Result<Var<'g>, NnError>;

    /// What the parts of its forecast are called; none where it is one whole.
    fn part_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// The parts of its forecast, which add up to it.
    fn parts<'g>(&self, window: &Window<'g>, scope: &Scope<'g>) -> Result<Vec<Var<'g>>, NnError> {
        Ok(vec![self.forward(window, scope)?])
    }
}

/// Declares [`Network`] and its dispatch.
macro_rules! models {
    ($($(#[$doc:meta])* $name:ident = $title:literal,)*) => {
        /// Any model with its settings; in a file `type` says which.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "type")]
        pub enum Network {
            $($(#[$doc])* #[serde(rename = $title)] $name($name),)*
        }

        impl Network {
            /// The names of all models.
            pub const NAMES: &[&str] = &[$($title),*];

            /// The model of a name, in any case, with its default settings.
            pub fn named(name: &str) -> Option<Network> {
                $(if name.eq_ignore_ascii_case($title) {
                    return Some(Network::$name($name::default()));
                })*
                None
            }

            /// Its name, which is that of its column in a frame.
            pub fn name(&self) -> &'static str {
                match self { $(Network::$name(_) => $title,)* }
            }
        }

        impl Architecture for Network {
            fn forward<'g>(
                &self,
                window: &Window<'g>,
                scope: &Scope<'g>,
            ) -> Result<Var<'g>, NnError> {
                match self { $(Network::$name(model) => model.forward(window, scope),)* }
            }

            fn part_names(&self) -> Vec<String> {
                match self { $(Network::$name(model) => model.part_names(),)* }
            }

            fn parts<'g>(
                &self,
                window: &Window<'g>,
                scope: &Scope<'g>,
            ) -> Result<Vec<Var<'g>>, NnError> {
                match self { $(Network::$name(model) => model.parts(window, scope),)* }
            }
        }

        $(impl From<$name> for Network {
            fn from(model: $name) -> Network {
                Network::$name(model)
            }
        })*
    };
}

models! {
    /// Dense layers.
    Mlp = "MLP",
    /// Trend and season, a linear map each.
    DLinear = "DLinear",
    /// A linear map relative to the last value.
    NLinear = "NLinear",
    /// Plain recurrent cells.
    Rnn = "RNN",
    /// LSTM cells.
    Lstm = "LSTM",
    /// GRU cells.
    Gru = "GRU",
    /// Dilated convolutions.
    Tcn = "TCN",
    /// Blocks over fixed bases.
    NBeats = "NBEATS",
    /// Blocks at several rates.
    NHits = "NHITS",
}

/// Refuses what is no share to leave out.
fn expect_share(model: &str, field: &'static str, value: f32) -> Result<(), NnError> {
    match (0.0..1.0).contains(&value) {
        true => Ok(()),
        false => Err(NnError::setting(model, field, value, "it must be at least 0 and below 1")),
    }
}

/// A constant matrix by row and column.
fn constant<'g>(
    scope: &Scope<'g>,
    rows: usize,
    columns: usize,
    element: impl Fn(usize, usize) -> f64,
) -> Var<'g> {
    let at = |i: usize| element(i / columns, i % columns) as f32;
    scope.builder().constant([rows, columns], (0..rows * columns).map(at).collect())
}
