//! Whole forecasters trained as users train them: `Model::fit` beside NeuralForecast's `fit`.
//!
//! Cases: `MODEL/bBATCH` in windows a second; 10,000 windows of 100 series, NeuralForecast's default
//! settings. Both sides are timed from one of their steps to a later one of the same run, so that
//! nothing made once counts. Begun with the same weights, the losses of eight steps over the same
//! windows are compared. `study/MODEL` is fifty epochs of batches of 32 run to the end, everything
//! counted; its limit is that of its steps.

pub mod steps;

use std::time::Instant;

use whimbrel_forecast::{ForecastError, Panel};

use crate::context::{Case, Context, Report, Rival};
use crate::error::Result;
use crate::fill::Digest;
use crate::forecasters::{Forecaster, all, failed, panel};
use crate::machine::Work;
use crate::row::{Row, Unit};
use crate::suites::steps::{limit, training};
use steps::Steps;

const SUITE: &str = "forecast-train";
const BATCHES: [usize; 2] = [32, 1024];

/// Series and the values of each: a window begins at each value but the last 24 of a series.
const SHAPE: (usize, usize) = (100, 124);
const WINDOWS: usize = 10_000;
const PEER_THREADS: [usize; 2] = [1, 2];

/// The seconds a block takes at least: a training run is made for each.
const BLOCK_SECONDS: f64 = 0.2;

/// Largest relative distance of losses.
const ALLOWED: f64 = 1e-4;
/// The same of N-BEATS at 1,024 windows: Adam divides a gradient by its own size, and where that is
/// nearly 0, as of a few weights there, rounding alone turns the first step around.
const ALLOWED_NBEATS: f64 = 2e-3;

const STUDY_BATCH: usize = 32;
const STUDY_EPOCHS: usize = 50;
/// Studies longer than this are run once.
const LONG_SECONDS: f64 = 3.0;

/// Runs the suite.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let panel = panel(SHAPE.0, SHAPE.1).map_err(failed(SUITE))?;
    for forecaster in all() {
        for batch in BATCHES {
            let name = format!("{}/b{batch}", forecaster.name);
            if context.wants(&name) {
                rows.push(rate(context, &forecaster, &panel, batch, &name)?);
            }
        }
    }
    for forecaster in all() {
        let name = format!("study/{}", forecaster.name);
        if context.wants(&name) {
            rows.push(study(context, &forecaster, &panel, &name)?);
        }
    }
    Ok(rows)
}

/// Windows a second, beside the peer's.
fn rate(
    context: &mut Context,
    forecaster: &Forecaster,
    panel: &Panel,
    batch: usize,
    name: &str,
) -> Result<Row> {
    let answer = steps::losses(forecaster, batch).map_err(failed(SUITE))?;
    let allowed = if name == "nbeats/b1024" { ALLOWED_NBEATS } else { ALLOWED };
    let case = Case {
        suite: SUITE,
        name,
        report: Report::rate(Unit::WindowsPerSecond, batch as f64),
        work: Some(work(forecaster, batch)?),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        peer: Some(Rival {
            case: name,
            threads: &PEER_THREADS,
            answer: Some((Digest::of(&answer), allowed)),
        }),
    };
    let mut steps = Steps::new(forecaster, panel, batch);
    context.measure_blocks(&case, BLOCK_SECONDS, &mut |seconds| {
        steps.block(seconds).map_err(failed(SUITE))
    })
}

/// A study run to the end.
fn study(context: &mut Context, forecaster: &Forecaster, panel: &Panel, name: &str) -> Result<Row> {
    let steps = STUDY_EPOCHS * WINDOWS / STUDY_BATCH;
    let model = whimbrel_forecast::Model {
        max_steps: steps,
        windows_batch_size: STUDY_BATCH,
        val_check_steps: steps,
        ..forecaster.model.clone()
    };
    let whole = || -> std::result::Result<f64, ForecastError> {
        let start = Instant::now();
        model.fit(panel)?;
        Ok(start.elapsed().as_secs_f64())
    };
    let step = work(forecaster, STUDY_BATCH)?;
    let times = steps as f64;
    let case = Case {
        suite: SUITE,
        name,
        report: Report::time(Unit::Seconds),
        work: Some(Work { flops: times * step.flops, bytes: times * step.bytes, ..step }),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        peer: None,
    };
    // The first run tells whether there is time for more.
    let mut known = Some(whole().map_err(failed(SUITE))?);
    let long = known.is_some_and(|seconds| seconds > LONG_SECONDS);
    let mut block = |_: f64| match known.take() {
        Some(seconds) => Ok(seconds),
        None => whole().map_err(failed(SUITE)),
    };
    context.measure_long(&case, long, &mut block)
}

/// What a step cannot avoid doing.
fn work(forecaster: &Forecaster, batch: usize) -> Result<Work> {
    let graph = training::graph(forecaster.entry, batch, false).map_err(failed(SUITE))?;
    limit::training(&graph, batch).map_err(failed(SUITE))
}
