//! From a table of time series to a forecast of each.
//!
//! A [`Panel`] holds series on a regular time axis. A model is fitted to it by the engine and
//! predicts a [`Frame`]: `unique_id, ds`, and one column per model.
//!
//! ```
//! use whimbrel_forecast::{Columns, NLinear, Panel};
//! # fn main() -> Result<(), whimbrel_forecast::ForecastError> {
//! let mut csv = String::from("unique_id,ds,y\n");
//! for day in 1..=28 {
//!     csv += &format!("tide,2024-02-{day:02},{}\n", day % 4);
//! }
//! let panel = Panel::from_csv("tide.csv", csv.as_bytes(), &Columns::default(), None)?;
//! let forecast = NLinear::new(4).fit(&panel)?.predict(&panel)?;
//! assert_eq!(forecast.times()[0].to_string(), "2024-02-29");
//! assert_eq!(forecast.column("NLinear").map(<[f32]>::len), Some(4));
//! # Ok(())
//! # }
//! ```
//!
//! Start reading at [`Panel`], then `models/nlinear.rs`, then `train.rs`.
#![forbid(unsafe_code)]

mod error;
mod frame;
mod frequency;
mod models;
mod panel;
mod read;
mod scale;
mod shuffle;
mod time;
mod train;
mod windows;

pub use error::ForecastError;
pub use frame::Frame;
pub use frequency::{Frequency, MonthDay};
pub use models::{NLinear, naive, seasonal_naive};
pub use panel::{Panel, Series};
pub use read::Columns;
pub use time::Time;
pub use train::{Fitted, Progress};
