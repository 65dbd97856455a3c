//! From a table of time series to a forecast of each.
//!
//! A [`Panel`] holds series on a regular time axis. A model is fitted to it by the engine and
//! predicts a [`Frame`]: `unique_id, ds`, and one column per model.
//!
//! ```
//! use whimbrel_forecast::models::NLinear;
//! use whimbrel_forecast::{Columns, Model, Panel};
//! # fn main() -> Result<(), whimbrel_forecast::ForecastError> {
//! let mut csv = String::from("unique_id,ds,y\n");
//! for day in 1..=28 {
//!     csv += &format!("tide,2024-02-{day:02},{}\n", day % 4);
//! }
//! let panel = Panel::from_csv("tide.csv", csv.as_bytes(), &Columns::default(), None)?;
//! let model = Model { learning_rate: 0.01, max_steps: 500, ..Model::new(NLinear {}, 4) };
//! let forecast = model.fit(&panel)?.predict(&panel)?;
//! assert_eq!(forecast.times()[0].to_string(), "2024-02-29");
//! assert_eq!(forecast.column("NLinear").map(<[f32]>::len), Some(4));
//! # Ok(())
//! # }
//! ```
//!
//! Start reading at [`Panel`], then [`Model`], `models/nlinear.rs` and `fit.rs`.
#![forbid(unsafe_code)]

mod automatic;
mod baselines;
mod batch;
mod column;
mod conformal;
mod cv;
mod decompose;
mod distribution;
mod draw;
mod error;
mod evaluate;
mod exogenous;
pub mod features;
mod fill;
mod fit;
mod fitted;
mod folder;
mod forecaster;
mod frame;
mod frame_file;
mod frequency;
mod graphs;
mod in_memory;
mod keeper;
mod model;
pub mod models;
mod moments;
mod neural_forecast;
mod objective;
mod page;
mod panel;
mod permutation;
mod picture;
mod read;
mod rolling;
mod sample_weight;
mod saved;
mod scaler;
mod setting;
mod sizes;
mod source;
mod time;
pub mod transforms;
mod window_norm;
mod windows;

pub use automatic::{Automatic, ENSEMBLE, Event, Outcome};
pub use baselines::Baseline;
pub use conformal::{Conformal, Method, PredictionIntervals};
pub use cv::CrossValidation;
pub use decompose::Whole;
pub use error::ForecastError;
pub use evaluate::{Evaluation, Score};
pub use exogenous::MissingRows;
pub use fill::Fill;
pub use fit::Progress;
pub use fitted::Fitted;
pub use forecaster::{FittedForecaster, Forecaster, Rule};
pub use frame::Frame;
pub use frequency::{Frequency, MonthDay};
pub use model::{Model, level_to_quantiles};
pub use neural_forecast::{FittedForecast, NeuralForecast};
pub use page::{Page, Parts, Rank, Ranking};
pub use panel::{Panel, Series};
pub use read::{Columns, Reader};
pub use rolling::RollingErrors;
pub use saved::Saved;
pub use scaler::{Affine, Scaler};
pub use time::{DateOrder, Time, WrittenTime};
pub use transforms::Transform;
