//! Forecasts of trained models, as users ask for them.
//!
//! Cases: `predict/MODEL`, one series through `Fitted::predict` beside NeuralForecast's `predict`, both
//! warm, with the same weights, their forecasts compared; `start/MODEL`, a process of `whimbrel predict`
//! with a saved model from its start to its end, which prints the forecast, beside a process that
//! imports NeuralForecast, loads the same model and prints.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use whimbrel_forecast::{Fitted, ForecastError, Model, Panel};

use crate::child;
use crate::context::{Case, Context, Report, Rival};
use crate::error::{Error, Result};
use crate::fill::Digest;
use crate::forecasters::{Forecaster, all, csv, failed, folder, hand_over, panel};
use crate::row::{Row, Unit, tidy};
use crate::suites::steps::inference;

const SUITE: &str = "forecast-infer";
const PEER_THREADS: [usize; 2] = [1, 2];
/// Values of the series.
const LENGTH: usize = 144;
/// Largest relative distance of forecasts.
const ALLOWED: f64 = 1e-4;

/// The same of a forecast that was printed, which has few digits.
const PRINTED: f32 = 1e-3;

/// Runs the suite.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let panel = panel(1, LENGTH).map_err(failed(SUITE))?;
    for forecaster in all() {
        let name = format!("predict/{}", forecaster.name);
        if context.wants(&name) {
            rows.push(predict(context, &forecaster, &panel, &name)?);
        }
    }
    for forecaster in all() {
        let name = format!("start/{}", forecaster.name);
        if context.wants(&name) {
            rows.push(start(context, &forecaster, &panel, &name)?);
        }
    }
    Ok(rows)
}

/// The model after a step of training; its weights are where the peer looks for them.
fn trained(
    forecaster: &Forecaster,
    panel: &Panel,
) -> std::result::Result<(Fitted, PathBuf), ForecastError> {
    let fitted = Model { max_steps: 1, ..forecaster.model.clone() }.fit(panel)?;
    let path = hand_over(forecaster.name, &fitted, panel)?;
    Ok((fitted, path))
}

/// A warm forecast.
fn predict(
    context: &mut Context,
    forecaster: &Forecaster,
    panel: &Panel,
    name: &str,
) -> Result<Row> {
    let (mut fitted, _) = trained(forecaster, panel).map_err(failed(SUITE))?;
    let frame = fitted.predict(panel).map_err(failed(SUITE))?;
    let answer = Digest::of(frame.column(fitted.model().name()).unwrap_or_default());
    let case = Case {
        suite: SUITE,
        name,
        report: Report::time(Unit::Microseconds),
        work: Some(inference::work(forecaster.entry, 1).map_err(failed(SUITE))?),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        peer: Some(Rival { case: name, threads: &PEER_THREADS, answer: Some((answer, ALLOWED)) }),
    };
    let mut failure = None;
    let row = context.measure(&case, || {
        let frame = fitted.predict(std::hint::black_box(panel));
        failure = std::hint::black_box(frame).err().or(failure.take());
    })?;
    failure.map_or(Ok(row), |error| Err(failed(SUITE)(error)))
}

/// A forecast from the start of a process.
fn start(context: &mut Context, forecaster: &Forecaster, panel: &Panel, name: &str) -> Result<Row> {
    let report = Report::time(Unit::Milliseconds);
    let program = child::program()?.with_file_name("whimbrel");
    if !program.exists() {
        eprintln!("{SUITE} {name}: not measured, there is no {}", program.display());
        eprintln!("cargo build --release -p whimbrel makes it");
        return Ok(Row::new(SUITE, name, report.metric, report.unit));
    }
    let (mut fitted, model) = trained(forecaster, panel).map_err(failed(SUITE))?;
    let frame = fitted.predict(panel).map_err(failed(SUITE))?;
    let expected = frame.column(fitted.model().name()).unwrap_or_default();
    let data = folder().join("series.csv");
    std::fs::write(&data, csv(1, LENGTH))
        .map_err(|source| Error::File { path: data.clone(), source })?;
    let case = Case { suite: SUITE, name, report, work: None, threads: 1, peer: None };
    let mut outcome = Ok(());
    let mut row = context.measure(&case, || {
        if let Err(error) = print(&program, &data, &model, expected) {
            outcome = Err(error);
        }
    })?;
    outcome?;
    if let Some((seconds, peer)) = context.peer_figure(SUITE, name)? {
        row.peer = Some(tidy(report.value(seconds)));
        row.ratio = row.peer.zip(row.ours).map(|(peer, ours)| tidy(peer / ours));
        row.peer_name = Some(peer);
    }
    Ok(row)
}

/// Runs the process; an error where it prints another forecast.
fn print(program: &Path, data: &Path, model: &Path, expected: &[f32]) -> Result<()> {
    let mut command = Command::new(program);
    command.arg("predict").arg(data).arg("--load").arg(model).stdin(Stdio::null());
    let fail = |what: String| Error::Suite { suite: SUITE, what };
    let output = command.output().map_err(|error| fail(error.to_string()))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let rows = printed.lines().skip(1).filter_map(|row| row.split_whitespace().last());
    let forecast: Vec<f32> = rows.filter_map(|value| value.parse().ok()).collect();
    let near = |(printed, value): (&f32, &f32)| (printed - value).abs() <= PRINTED * value.abs();
    let right = forecast.len() == expected.len() && forecast.iter().zip(expected).all(near);
    match output.status.success() {
        true if right => Ok(()),
        true => Err(fail(format!("{command:?} printed {forecast:?} instead of {expected:?}"))),
        false => Err(fail(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)))),
    }
}
