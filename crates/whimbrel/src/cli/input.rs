//! The options that say where the series are; every command that reads some has them.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;
use whimbrel::features::Features;
use whimbrel::{DateOrder, Fill, Frequency};

/// Where the series are, and how to read them.
#[derive(Args, Debug)]
pub struct Input {
    /// File with the columns unique_id, ds, y: CSV, packed by gzip or not, Parquet or Arrow; - for standard input
    pub file: PathBuf,
    /// File with the columns known ahead, for the steps to forecast: unique_id, ds and those columns
    #[arg(long, value_name = "FILE", conflicts_with = "wide")]
    pub future: Option<PathBuf>,
    /// File with numbers of each series that never change: unique_id and those columns
    #[arg(long = "static", value_name = "FILE")]
    pub fixed: Option<PathBuf>,
    /// Columns known ahead [default: those of the --future file]
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "wide")]
    pub futr_exog: Vec<String>,
    /// Columns known up to now
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "wide")]
    pub hist_exog: Vec<String>,
    /// Columns of the --static file to use [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "fixed")]
    pub stat_exog: Vec<String>,
    /// Columns to compute from the values and the times, such as lag12,rolling_mean_6,month,fourier_12_2
    #[arg(long, value_name = "NAMES")]
    pub features: Option<Features>,
    /// What becomes of missing rows and values
    #[arg(long, value_name = "HOW", default_value = "error", value_parser = fill())]
    pub fill: Fill,
    #[command(flatten)]
    pub layout: Layout,
}

/// How files of series are laid out.
#[derive(Args, Debug)]
pub struct Layout {
    /// Step of the time axis, such as h, D, B, W, MS, ME, 15min, 1mo or a whole number [default: found from the data]
    #[arg(long, value_name = "FREQ")]
    pub freq: Option<Frequency>,
    /// Whether the month or the day is first in dates like 01/02/2024 [default: as a number above 12 in the column says]
    #[arg(long, value_name = "ORDER", value_parser = date_order())]
    pub date_order: Option<DateOrder>,
    /// Every column but that of the time is a series; the time is in --time-col or the first column
    #[arg(long, conflicts_with_all = ["id_col", "target_col"])]
    pub wide: bool,
    #[command(flatten)]
    pub names: Names,
}

/// What columns of data are called; in files of forecasts they may also have the names these are written with.
#[derive(Args, Debug)]
pub struct Names {
    /// Column with the name of the series; a file of series without unique_id is one
    #[arg(long, value_name = "NAME", default_value = "unique_id")]
    pub id_col: String,
    /// Column with the time
    #[arg(long, value_name = "NAME", default_value = "ds")]
    pub time_col: String,
    /// Column with the value to forecast
    #[arg(long, value_name = "NAME", default_value = "y")]
    pub target_col: String,
}

fn date_order() -> impl TypedValueParser<Value = DateOrder> {
    PossibleValuesParser::new(DateOrder::NAMES.map(|(name, _)| name))
        .try_map(|name| name.parse::<DateOrder>())
}

/// A way to fill, by its name.
pub fn fill() -> impl TypedValueParser<Value = Fill> {
    PossibleValuesParser::new(Fill::NAMES.map(|(name, _)| name))
        .try_map(|name| name.parse::<Fill>())
}
