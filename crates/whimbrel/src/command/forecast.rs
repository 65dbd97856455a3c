//! `whimbrel forecast`: a CSV in, a table out.
//!
//! The result goes to standard output, everything else to standard error and only to a terminal.

use crate::cli::Forecast;
use crate::command::terminal::{print, say};
use crate::failure::Failure;
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;
use whimbrel::models::Network;
use whimbrel::{Baseline, Frame, Model, Panel, Progress, Transform};

pub fn run(options: &Forecast) -> Result<(), Failure> {
    if let Some(out) = &options.out {
        options.input.files().iter().try_for_each(|input| check_output(out, input))?;
    }
    let talk = !options.quiet && io::stderr().is_terminal();
    let panel = options.input.read()?;
    if talk {
        say(&format!("{}\n", options.input.describe(&panel)));
    }
    let forecast = predict(options, &panel, talk)?;
    if let Some(out) = &options.out {
        let mut csv = Vec::new();
        let written = forecast.write_csv(&mut csv).and_then(|()| std::fs::write(out, &csv));
        written.map_err(|error| {
            Failure::run(format!("{}: cannot be written: {error}", out.display()))
        })?;
    }
    if options.out.is_some() && options.quiet { Ok(()) } else { print(&forecast) }
}

/// A model as the options ask for it; series are scaled, and the learning rate comes down.
fn model(options: &Forecast, network: &Network, panel: &Panel) -> Model {
    let defaults = Model::new(network.clone(), options.horizon);
    let linear = matches!(network, Network::NLinear(_) | Network::DLinear(_));
    Model {
        input_size: options.input_size.unwrap_or(defaults.input_size),
        futr_exog_list: panel.futr_exog_list().to_vec(),
        hist_exog_list: panel.hist_exog_list().to_vec(),
        stat_exog_list: panel.stat_exog_list().to_vec(),
        max_steps: options.max_steps.unwrap_or(if linear { 2000 } else { 1000 }),
        learning_rate: options.learning_rate,
        num_lr_decays: 3,
        windows_batch_size: options.windows_batch_size,
        local_scaler_type: Transform::Standard,
        random_seed: options.seed,
        threads: options.threads.unwrap_or(0),
        ..defaults
    }
}

/// Fits the models and puts the naive forecasts beside theirs.
fn predict(options: &Forecast, panel: &Panel, talk: bool) -> Result<Frame, Failure> {
    let mut forecast: Option<Frame> = None;
    for network in &options.model {
        let own = learn(&model(options, network, panel), panel, talk)?;
        forecast = Some(match forecast {
            Some(others) => others.beside(own),
            None => own,
        });
    }
    let mut forecast = forecast.map_or_else(|| panel.future(options.horizon), Ok)?;
    for rule in [Baseline::Naive, Baseline::SeasonalNaive, Baseline::Theta] {
        forecast = forecast.with_baseline(panel, rule);
    }
    Ok(forecast)
}

/// Fits a model and lets it forecast.
fn learn(model: &Model, panel: &Panel, talk: bool) -> Result<Frame, Failure> {
    let started = Instant::now();
    let mut fitted = model.fit_with(panel, |progress| {
        if talk {
            show(model.name(), progress);
        }
        ControlFlow::Continue(())
    })?;
    let forecast = fitted.predict(panel)?;
    if talk {
        say(&format!(
            "\r\x1b[K{}: {} parameters, {} windows of {} + {} steps, {} training steps, {:.2} s\n",
            model.name(),
            fitted.parameters(),
            fitted.windows(),
            model.input_size,
            model.horizon,
            model.max_steps,
            started.elapsed().as_secs_f64()
        ));
    }
    Ok(forecast)
}

fn show(name: &str, progress: Progress) {
    let percent = 100 * progress.step / progress.of;
    say(&format!("\r\x1b[K{name}: {percent:>3} %, loss {:.4}", progress.loss));
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
