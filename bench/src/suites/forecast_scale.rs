//! What training costs as data grow, in time and in memory.
//!
//! Cases: `windows/MODEL/N`, nanoseconds a window of training from N windows, beside the same from ten
//! thousand; `resident/MODEL`, the most memory that was resident in a process that trains a model with
//! batches of 32, beside one that does so with NeuralForecast; `panel/N`, that of a process that reads
//! N short series from a CSV file, learns, and writes a forecast of each, in bytes of the file.

use std::process::Command;

use whimbrel_forecast::{Columns, Model, Panel};

use super::forecast_train::steps::Steps;
use crate::child;
use crate::context::{Case, Context, Report};
use crate::error::{Error, Result};
use crate::forecasters::{Forecaster, all, csv, failed, folder, panel};
use crate::models::{HORIZON, INPUT};
use crate::row::{Row, Unit, tidy};

const SUITE: &str = "forecast-scale";

/// The models whose time is told: the cheapest ones, so that what is not arithmetic shows.
const TIMED: [&str; 3] = ["nlinear", "dlinear", "mlp-5k"];
const BATCH: usize = 32;
/// Powers of ten of windows; the first one is what the others stand beside.
const POWERS: [u32; 4] = [4, 5, 6, 7];
/// Series that share them.
const SERIES: usize = 100;
const BLOCK_SECONDS: f64 = 0.1;

/// Steps of a process that is weighed.
const STEPS: usize = 100;
const SHORT_SERIES: usize = 100_000;
const ROWS: usize = INPUT + HORIZON;

/// Runs the suite.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let mut rows = windows(context)?;
    for Forecaster { name, .. } in all() {
        let case = format!("resident/{name}");
        if context.wants(&case) {
            rows.push(resident(context, name, &case)?);
        }
    }
    let case = format!("panel/{SHORT_SERIES}");
    if context.wants(&case) {
        rows.push(short_series(context, &case)?);
    }
    Ok(rows)
}

/// The cost of a window, model by model.
fn windows(context: &mut Context) -> Result<Vec<Row>> {
    let timed: Vec<Forecaster> = all().into_iter().filter(|f| TIMED.contains(&f.name)).collect();
    let mut rows = Vec::new();
    let few = of_windows(POWERS[0])?;
    for power in POWERS {
        let names = timed.iter().map(|f| format!("windows/{}/1e{power}", f.name));
        let names: Vec<String> = names.collect();
        if !names.iter().any(|name| context.wants(name)) {
            continue;
        }
        let many = of_windows(power)?;
        for (forecaster, name) in timed.iter().zip(&names) {
            if !context.wants(name) {
                continue;
            }
            let report = Report::time_of_part(Unit::Nanoseconds, BATCH);
            let case = Case { suite: SUITE, name, report, work: None, threads: 1, peer: None };
            let mut ours = Steps::new(forecaster, &many, BATCH);
            let mut other = Steps::new(forecaster, &few, BATCH);
            rows.push(context.race_blocks(
                &case,
                BLOCK_SECONDS,
                &mut |seconds| ours.block(seconds).map_err(failed(SUITE)),
                "10^4 windows",
                &mut |seconds| other.block(seconds).map_err(failed(SUITE)),
            )?);
        }
    }
    Ok(rows)
}

/// A panel of ten to the `power` windows.
fn of_windows(power: u32) -> Result<Panel> {
    let length = 10_usize.pow(power) / SERIES + INPUT;
    panel(SERIES, length).map_err(failed(SUITE))
}

/// The memory of a process that trains.
fn resident(context: &mut Context, name: &str, case: &str) -> Result<Row> {
    eprintln!("{SUITE} {case}");
    let mut row = Row::new(SUITE, case, "resident memory", Unit::Megabytes);
    let ours = peak(context, &format!("train/{name}"))? / 1e6;
    row.ours = Some(tidy(ours));
    if let Some((bytes, peer)) = context.peer_figure(SUITE, case)? {
        row.peer = Some(tidy(bytes / 1e6));
        row.peer_name = Some(peer);
        row.ratio = Some(tidy(bytes / 1e6 / ours));
    }
    Ok(row)
}

/// The memory of a process that forecasts many short series.
fn short_series(context: &mut Context, case: &str) -> Result<Row> {
    eprintln!("{SUITE} {case}");
    let (text, path) = (csv(SHORT_SERIES, ROWS), folder().join("panel.csv"));
    std::fs::create_dir_all(folder())
        .and_then(|()| std::fs::write(&path, &text))
        .map_err(|source| Error::File { path, source })?;
    let bytes = text.len() as f64;
    drop(text);
    let peak = peak(context, "panel")?;
    eprintln!("  {:.1} MB of CSV, {:.1} MB resident", bytes / 1e6, peak / 1e6);
    let mut row = Row::new(SUITE, case, "resident memory", Unit::OfBound);
    row.ours = Some(tidy(peak / bytes));
    Ok(row)
}

/// The bytes that were resident at most in a child that does a job.
fn peak(context: &Context, job: &str) -> Result<f64> {
    let mut command = Command::new(child::program()?);
    command.args(child::arguments(job, context.quick()));
    child::ask(&mut command, SUITE)
}

/// The job of a child: trains the model of this name, then says what was resident.
pub fn train(name: &str, _: bool) -> Result<String> {
    let found = all().into_iter().find(|forecaster| forecaster.name == name);
    let found = found.ok_or_else(|| Error::Usage(format!("no model {name}")))?;
    let model = Model { max_steps: STEPS, windows_batch_size: BATCH, ..found.model };
    let panel = panel(SERIES, SERIES + INPUT).map_err(failed(SUITE))?;
    model.fit(&panel).map_err(failed(SUITE))?;
    Ok(child::peak_resident()?.to_string())
}

/// The job of a child: from the file of many short series to a forecast of each, then says what was
/// resident.
pub fn forecast_panel(_: &str, _: bool) -> Result<String> {
    let path = folder().join("panel.csv");
    let panel = Panel::read(&path, &Columns::default(), None).map_err(failed(SUITE))?;
    let model = all().into_iter().find(|forecaster| forecaster.name == "nlinear");
    let model = model.ok_or_else(|| Error::Usage("no model nlinear".into()))?.model;
    let model = Model { max_steps: STEPS, ..model };
    let mut fitted = model.fit(&panel).map_err(failed(SUITE))?;
    let frame = fitted.predict(&panel).map_err(failed(SUITE))?;
    let written = folder().join("panel-forecast.csv");
    let file = std::fs::File::create(&written).and_then(|file| frame.write_csv(file));
    file.map_err(|source| Error::File { path: written, source })?;
    Ok(child::peak_resident()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_trains_tells_a_plausible_size() {
        let bytes: f64 = train("nlinear", true).unwrap().parse().unwrap();
        assert!((1e6..2e9).contains(&bytes));
        assert!(train("nothing", true).is_err());
    }
}
