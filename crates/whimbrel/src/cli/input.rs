//! The options that say where the series are; every command that reads some has them.

use clap::Args;
use std::path::PathBuf;
use whimbrel::Frequency;

/// Where the series are, and how to read them.
#[derive(Args, Debug)]
pub struct Input {
    /// CSV file with the columns unique_id, ds, y; - for standard input
    pub file: PathBuf,
    /// Step of the time axis, such as h, D, W, MS, ME, 15min or a whole number [default: found from the data]
    #[arg(long, value_name = "FREQ")]
    pub freq: Option<Frequency>,
    /// Column with the name of the series
    #[arg(long, value_name = "NAME", default_value = "unique_id")]
    pub id_col: String,
    /// Column with the time
    #[arg(long, value_name = "NAME", default_value = "ds")]
    pub time_col: String,
    /// Column with the value to forecast
    #[arg(long, value_name = "NAME", default_value = "y")]
    pub target_col: String,
}
