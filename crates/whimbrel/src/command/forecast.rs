//! `whimbrel forecast`: a CSV in, a table out.
//!
//! The result goes to standard output, everything else to standard error and only to a terminal.

use crate::cli::Forecast;
use crate::command::terminal::{print, say};
use crate::failure::Failure;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::Instant;
use whimbrel::{Columns, Frame, NLinear, Panel, Progress, naive, seasonal_naive};

pub fn run(options: &Forecast) -> Result<(), Failure> {
    if let Some(out) = &options.out {
        check_output(out, &options.file)?;
    }
    let talk = !options.quiet && io::stderr().is_terminal();
    let columns = Columns {
        id: options.id_col.clone(),
        time: options.time_col.clone(),
        target: options.target_col.clone(),
    };
    let panel = Panel::read_csv(&options.file, &columns, options.freq)?;
    if talk {
        say(&describe(&options.file, &panel));
    }
    let forecast = predict(&model(options), &panel, talk)?;
    if let Some(out) = &options.out {
        let mut csv = Vec::new();
        let written = forecast.write_csv(&mut csv).and_then(|()| std::fs::write(out, &csv));
        written.map_err(|error| {
            Failure::run(format!("{}: cannot be written: {error}", out.display()))
        })?;
    }
    if options.out.is_some() && options.quiet { Ok(()) } else { print(&forecast) }
}

fn model(options: &Forecast) -> NLinear {
    let defaults = NLinear::new(options.horizon);
    NLinear {
        input_size: options.input_size.unwrap_or(defaults.input_size),
        max_steps: options.max_steps,
        learning_rate: options.learning_rate,
        batch_size: options.batch_size,
        seed: options.seed,
        threads: options.threads.unwrap_or(defaults.threads),
        ..defaults
    }
}

/// Fits the model and puts the naive forecasts beside its own.
fn predict(model: &NLinear, panel: &Panel, talk: bool) -> Result<Frame, Failure> {
    let started = Instant::now();
    let mut fitted = model.fit_with(panel, |progress| {
        if talk {
            show(progress);
        }
    })?;
    let mut forecast = fitted.predict(panel)?;
    if talk {
        say(&format!(
            "\r\x1b[K{}: {} windows of {} + {} steps, {} training steps, {:.2} s\n",
            NLinear::NAME,
            fitted.windows(),
            model.input_size,
            model.horizon,
            model.max_steps,
            started.elapsed().as_secs_f64()
        ));
    }
    forecast = forecast.with_column("Naive", naive(panel, model.horizon));
    let season = panel.frequency().season_length();
    let shortest = panel.series().iter().map(|s| s.values().len()).min().unwrap_or(0);
    if season > 1 && shortest >= season {
        let values = seasonal_naive(panel, season, model.horizon);
        forecast = forecast.with_column("SeasonalNaive", values);
    }
    Ok(forecast)
}

fn describe(file: &Path, panel: &Panel) -> String {
    let span = panel.span().map(|(first, last)| format!(", {first} to {last}")).unwrap_or_default();
    let (series, rows) = (panel.series().len(), panel.rows());
    format!(
        "{}: {series} series, {rows} rows, frequency {}{span}\n",
        file.display(),
        panel.frequency()
    )
}

fn show(progress: Progress) {
    let percent = 100 * progress.step / progress.of;
    say(&format!("\r\x1b[K{}: {percent:>3} %, loss {:.4}", NLinear::NAME, progress.loss));
}

/// Refuses, before the work, an output that cannot be written or would overwrite the input.
fn check_output(out: &Path, input: &Path) -> Result<(), Failure> {
    let refuse = |why: &str| Err(Failure::input(format!("--out {}: {why}", out.display())));
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
    if out.is_dir() {
        return refuse("is a folder; name a file in it");
    }
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return refuse("the folder does not exist");
    }
    match (out.canonicalize(), input.canonicalize()) {
        (Ok(out), Ok(input)) if out == input => refuse("is the input file; name another"),
        _ => Ok(()),
    }
}
