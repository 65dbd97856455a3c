//! How good forecasts are on public data: test errors, beside published figures and NeuralForecast's.
//!
//! Cases: `ett/SET/MODEL/HORIZON`, MSE and MAE on the standardised scale; `m4/GROUP/MODEL` and
//! `m1/GROUP/MODEL`, sMAPE and MASE of one network; `auto/m4/GROUP`, `auto/m1/GROUP`, the automatic
//! choice. A figure is the mean over the seeds, its spread that of the seeds. Nothing is chosen by test
//! data. Networks take minutes, so `--quick` leaves most of them out, and only `--long` runs all seeds
//! and asks the peer, which trains as long again several times over.

mod automatic;
mod competitions;
mod ett;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::rounds::Samples;
use crate::row::{Row, Unit, tidy};
use competitions::Competition;
use std::path::{Path, PathBuf};
use whimbrel_forecast::ForecastError;

const SUITE: &str = "forecast-accuracy";
/// `peers/forecast-accuracy.py` has the same.
const SEEDS: [u64; 3] = [1, 2, 3];

/// Runs the suite where the data are at hand.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let Some(data) = folder() else {
        eprintln!("{SUITE}: left out, for want of data; WHIMBREL_DATA names their folder");
        return Ok(Vec::new());
    };
    let mut rows = ett::run(context, &data)?;
    for competition in Competition::all() {
        rows.extend(competition.networks(context, &data)?);
    }
    for competition in Competition::all() {
        rows.extend(automatic::run(context, &competition, &data)?);
    }
    Ok(rows)
}

/// The folder of the data: WHIMBREL_DATA, or `../shared/data` beside the project.
fn folder() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let folder = std::env::var_os("WHIMBREL_DATA").map_or_else(beside, PathBuf::from);
    folder.join("m4").is_dir().then_some(folder)
}

/// The seeds of this run.
fn seeds(context: &Context) -> &'static [u64] {
    if context.long() { &SEEDS } else { &SEEDS[..1] }
}

/// Figures of every seed, those of one seed side by side, as rows of these metrics; with them `beside`,
/// a figure for each metric and whose they are.
fn rows(
    case: &str,
    metrics: &[&str],
    ours: &[Vec<f64>],
    beside: Option<(Vec<f64>, String)>,
) -> Vec<Row> {
    let of_metric = |(place, metric): (usize, &&str)| {
        let of_seeds: Vec<f64> = ours.iter().map(|figures| figures[place]).collect();
        let mut row = Row::new(SUITE, case, metric, Unit::Error);
        row.ours = Some(tidy(mean(&of_seeds)));
        row.spread = Samples::new(of_seeds).spread().map(tidy);
        if let Some((figures, name)) = &beside {
            row.peer = figures.get(place).copied().map(tidy);
            row.peer_name = row.peer.map(|_| name.clone());
            row.ratio = row.ours.zip(row.peer).map(|(ours, peer)| tidy(peer / ours));
        }
        row
    };
    metrics.iter().enumerate().map(of_metric).collect()
}

/// What NeuralForecast comes to in a case, the mean over the seeds; none in a run that is not long.
fn peer(context: &mut Context, case: &str, metrics: usize) -> Result<Option<(Vec<f64>, String)>> {
    if !context.long() {
        return Ok(None);
    }
    let Some((figures, name)) = context.peer_figures(SUITE, case)? else { return Ok(None) };
    eprintln!("  {name}: {:.4?}", figures.picks);
    let of_metric = |place: usize| -> Vec<f64> {
        figures.picks.iter().skip(place).step_by(metrics).copied().collect()
    };
    Ok(Some(((0..metrics).map(|place| mean(&of_metric(place))).collect(), name)))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn failed(error: ForecastError) -> Error {
    Error::Suite { suite: SUITE, what: error.to_string() }
}
