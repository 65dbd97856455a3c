//! Whimbrel forecasts, trains and serves neural networks on ordinary machines.
//!
//! This crate is what programs depend on: it gathers the names of the crates below it that people
//! use. The `whimbrel` binary is made of the same.
//!
//! # A forecast from a CSV
//!
//! ```
//! use whimbrel::models::NHits;
//! use whimbrel::{Baseline, Columns, Model, Panel, Transform};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
//! let panel = Panel::read("examples/air_passengers.csv", &Columns::default(), None)?;
//! let model = Model {
//!     input_size: 24,
//!     max_steps: 20,
//!     windows_batch_size: 32,
//!     local_scaler_type: Transform::Standard,
//!     ..Model::new(NHits::default(), 12)
//! };
//! let forecast = model
//!     .fit(&panel)?
//!     .predict(&panel)?
//!     .with_baseline(&panel, Baseline::SeasonalNaive)
//!     .with_baseline(&panel, Baseline::Theta);
//! println!("{forecast}");
//! # assert_eq!(forecast.rows(), 12);
//! # Ok(())
//! # }
//! ```
//!
//! # A network of one's own
//!
//! ```
//! use whimbrel::{Builder, Init, Session};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let g = Builder::new();
//! let x = g.batch("x", [3, 2])?;
//! let w = g.parameter("w", [1, 3], Init::Constant(2.0))?;
//! g.output("y", w.dot(x)?.relu()?);
//! let mut session = Session::new(&g.finish()?)?;
//! session.write("x", &[1.0, -1.0, 2.0, -2.0, 3.0, -3.0])?;
//! session.run()?;
//! assert_eq!(session.read("y")?, [12.0, 0.0]);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub use whimbrel_chart as chart;
pub use whimbrel_data::{self as data, DataError, Problem, csv};
pub use whimbrel_engine::{
    Buffer, Class, EngineError, Limits, Line, Options, Profile, Report, Session, WeightsProblem,
    expect_replaceable, replace, save_tensors,
};
pub use whimbrel_fann as fann;
pub use whimbrel_forecast::{
    Affine, Automatic, Baseline, Columns, Conformal, CrossValidation, DateOrder, ENSEMBLE,
    Evaluation, Event, Fill, Fitted, FittedForecast, FittedForecaster, ForecastError, Forecaster,
    Frame, Frequency, Method, Model, MonthDay, NeuralForecast, Outcome, Page, Panel, Parts,
    PredictionIntervals, Progress, Rank, Ranking, Reader, RollingErrors, Rule, Saved, Scaler,
    Score, Series, Time, Transform, Whole, WrittenTime, features, level_to_quantiles, models,
    transforms,
};
pub use whimbrel_graph::{Builder, Graph, GraphError, Init, Var};
pub use whimbrel_kernels::simd::{Isa, IsaError};
pub use whimbrel_nn as nn;

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
