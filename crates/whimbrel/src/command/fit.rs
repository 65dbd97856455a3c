//! `whimbrel fit`: series in, a saved model out.

use crate::cli::workflow::Fit;
use crate::command::output::{check_file, talks};
use crate::command::terminal::{print, say};
use crate::command::watch::Watch;
use crate::failure::Failure;
use serde_json::json;
use std::path::Path;
use whimbrel::{Conformal, Fitted, Forecaster, Method, Panel, PredictionIntervals};

pub fn run(options: &Fit) -> Result<(), Failure> {
    // A saved model may be replaced, also by what was learned from it.
    let ours = Fitted::load(&options.save, 1).is_ok();
    check_file("--save", &options.save, &options.input.files(), options.force || ours)?;
    let talk = talks(options.quiet);
    let panel = options.input.read_ahead(options.horizon, &options.settings)?;
    if talk {
        say(&format!("{}\n", options.input.describe(&panel)));
    }
    options.settings.check_levels(&options.level)?;
    let forecasters = options.settings.forecasters(&panel, options.horizon, &options.level)?;
    let [Forecaster::Model(model)] = &forecasters[..] else {
        return Err(Failure::input("--model: fit learns and saves one model; name one, no rule"));
    };
    let mut watch = Watch::new(talk);
    let conformal = calibrate(options, &forecasters, &panel, &mut watch)?;
    let tell = |progress| watch.show(model.name(), progress);
    let fitted = match &options.load {
        Some(load) => model.fit_from(&Fitted::load(load, 1)?.0, &panel, tell)?,
        None => model.fit_with(&panel, tell)?,
    };
    watch.done();
    let features = options.input.features_from(&panel);
    let fitted = fitted.with_conformal(conformal).with_features(features);
    fitted.save(&options.save, panel.frequency())?;
    match (options.quiet, options.json) {
        (true, _) => Ok(()),
        (_, true) => print(format!("{}\n", summary(options, &fitted))),
        (_, false) => print(format!(
            "{}: {}, {} parameters, learned from {} windows of {} + {} steps\n",
            options.save.display(),
            model.name(),
            fitted.parameters(),
            fitted.windows(),
            model.input_size,
            model.horizon
        )),
    }
}

/// The errors that intervals are made of, where they were asked for and the loss has none of its own.
fn calibrate(
    options: &Fit,
    forecasters: &[Forecaster],
    panel: &Panel,
    watch: &mut Watch,
) -> Result<Option<Conformal>, Failure> {
    if options.level.is_empty() || forecasters.iter().all(Forecaster::has_intervals) {
        return Ok(None);
    }
    let intervals = PredictionIntervals { n_windows: options.n_windows, method: Method::default() };
    let tell = |one: &Forecaster, progress| {
        watch.show(&format!("{}, to tell its errors", one.name()), progress)
    };
    Ok(Some(intervals.learn(forecasters, panel, options.horizon, tell)?))
}

fn summary(options: &Fit, fitted: &Fitted) -> serde_json::Value {
    let path: &Path = &options.save;
    json!({
        "file": path.display().to_string(),
        "model": fitted.model().name(),
        "parameters": fitted.parameters(),
        "windows": fitted.windows(),
        "loss": fitted.loss(),
        "input_size": fitted.model().input_size,
        "horizon": fitted.model().horizon,
    })
}
