//! `whimbrel predict`: series and a saved model in, a forecast out.

use crate::cli::workflow::Predict;
use crate::command::output::{frame_json, without_intervals};
use crate::command::terminal::say;
use crate::failure::Failure;
use whimbrel::features::Features;
use whimbrel::{ForecastError, Saved};

pub fn run(options: &Predict) -> Result<(), Failure> {
    options.output.check(&[&options.input.files()[..], &[&options.load]].concat())?;
    let saved = Saved::open(&options.load)?;
    let panel = options.input.read_for(saved.frequency().parse().ok())?;
    if saved.frequency() != panel.frequency().to_string() {
        let (learned, found) = (saved.frequency().to_owned(), panel.frequency());
        return Err(ForecastError::OtherFrequency { learned, found }.into());
    }
    let mut fitted = saved.load(panel.series().len())?;
    fitted.set_level(&options.level)?;
    let own = fitted.model().horizon;
    let horizon = options.horizon.unwrap_or(own);
    // The last of several forecasts reaches beyond what is asked for.
    let ahead = horizon.checked_next_multiple_of(own).unwrap_or(horizon);
    let panel = match features(options, fitted.features()) {
        Some(features) => features.add_to(&panel, ahead)?,
        None => panel,
    };
    let mut frame = fitted.predict_ahead(&panel, horizon)?;
    match (fitted.conformal(), &options.level[..]) {
        (_, []) => {}
        (Some(conformal), level) => {
            frame = conformal.intervals(frame, level)?;
            if !options.output.quiet {
                say(&without_intervals(&frame, fitted.model().name(), level));
            }
        }
        (None, level) => {
            frame.expect_intervals(level, "it was fitted without; fit it with that --level")?;
        }
    }
    options.output.give(&frame, &frame, || frame_json(&frame))
}

/// The features that were asked for, or else those the model learned from; of both, steps are counted as the model
/// counted them.
fn features(options: &Predict, learned: Option<&Features>) -> Option<Features> {
    let given = options.input.features.clone();
    let origin = learned.and_then(Features::origin);
    match (given, origin) {
        (Some(given), Some(origin)) => Some(given.counted_from(origin)),
        (given, _) => given.or_else(|| learned.cloned()),
    }
}
