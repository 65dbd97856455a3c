//! `whimbrel cv`: series in, forecasts of its past and how good they were out.

use crate::cli::workflow::CrossValidate;
use crate::command::output::{scores_json, short_of_first, without_intervals};
use crate::command::terminal::say;
use crate::command::watch::Watch;
use crate::failure::Failure;
use whimbrel::{CrossValidation, Forecaster, Method, PredictionIntervals};

pub fn run(options: &CrossValidate) -> Result<(), Failure> {
    options.output.check(&options.input.files())?;
    let panel = options.input.read_ahead(options.horizon, &options.settings)?;
    let talk = options.output.talks();
    if talk {
        say(&format!("{}\n", options.input.describe(&panel)));
    }
    let forecasters = options.settings.forecasters(&panel, options.horizon, &options.level)?;
    let cv = CrossValidation {
        horizon: options.horizon,
        n_windows: options.n_windows,
        step_size: options.step_size.unwrap_or(options.horizon),
        refit: options.refit.unwrap_or(0),
    };
    options.settings.check_levels(&options.level)?;
    let mut watch = Watch::new(talk);
    let tell = |one: &Forecaster, window: usize, progress| {
        let what = format!("window {} of {}, {}", window + 1, cv.n_windows, one.name());
        watch.show(&what, progress)
    };
    let frame = if options.level.is_empty() {
        cv.run_with(&forecasters, &panel, tell)?
    } else {
        let n_windows = options.conformal_windows;
        let intervals = PredictionIntervals { n_windows, method: Method::default() };
        cv.run_with_intervals(&forecasters, &panel, (intervals, &options.level), tell)?
    };
    watch.done();
    if !options.output.quiet {
        say(&short_of_first(&frame, cv.n_windows, panel.series().len()));
    }
    let learned = forecasters.iter().find(|one| !one.has_intervals());
    if let (Some(first), false) = (learned, options.output.quiet) {
        say(&without_intervals(&frame, first.name(), &options.level));
    }
    let scores = frame.evaluate(Some(&panel), options.settings.season_length)?;
    options.output.give(&frame, &scores, || scores_json(&scores))
}
