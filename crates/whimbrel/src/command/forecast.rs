//! `whimbrel forecast`: series in; a table, a CSV and a page out.
//!
//! The result goes to standard output, everything else to standard error and only to a terminal.

use crate::cli::{Forecast, Report};
use crate::command::files::Files;
use crate::command::output::{frame_json, scores_json, talks, without_intervals};
use crate::command::summary::{Summary, left_out, ranking};
use crate::command::terminal::{print, say, width};
use crate::command::watch::Watch;
use crate::failure::Failure;
use serde_json::json;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;
use whimbrel::{Automatic, ENSEMBLE, Event, Outcome, Page, Panel, Parts, Whole};

/// Seconds that trying models may take where nobody says.
const BUDGET: f64 = 60.0;

/// The share of a training after which it is known how long all of it takes.
const EARLY: f64 = 0.1;

pub fn run(options: &Forecast) -> Result<(), Failure> {
    let files = Files::check(&options.report, &options.input.files())?;
    let panel = options.input.read_ahead(options.horizon, &options.settings)?;
    let settings = &options.settings;
    let forecasters = match settings.model.is_empty() {
        true => None,
        false => Some(settings.forecasters(&panel, options.horizon, &options.report.levels())?),
    };
    let automatic = Automatic {
        levels: options.report.levels(),
        season_length: settings.season_length,
        forecasters,
        random_seed: settings.seed,
        threads: settings.threads.unwrap_or(0),
        ..Automatic::new(options.horizon)
    };
    forecast(&options.input.describe(&panel), &panel, &automatic, &options.report, &files)
}

/// Does the job on a panel; `found` says what it is.
pub fn forecast(
    found: &str,
    panel: &Panel,
    automatic: &Automatic,
    report: &Report,
    files: &Files,
) -> Result<(), Failure> {
    let talk = talks(report.quiet);
    let width = width();
    // A summary on the same terminal begins with it.
    if talk && (report.json || files.is_standard() || width.is_none()) {
        say(&format!("{found}\n"));
    }
    // Who names models wants them, however long they take.
    let usual = if automatic.forecasters.is_some() { f64::INFINITY } else { BUDGET };
    let outcome = run_within(automatic, panel, report.budget.unwrap_or(usual), talk)?;
    let mut csv = Vec::new();
    let written = outcome.forecast.write_csv(&mut csv);
    written.map_err(|error| Failure::run(format!("the forecast cannot be written: {error}")))?;
    let standard = files.is_standard();
    if !standard {
        files.write(&csv, page(found, panel, automatic, &outcome)?.as_bytes())?;
    }
    if !report.quiet {
        say(&without_intervals(&outcome.forecast, ENSEMBLE, &automatic.levels));
        say(&if standard { left_out(&outcome) } else { String::new() });
    }
    match (report.quiet, report.json) {
        (_, false) if standard => print(String::from_utf8_lossy(&csv)),
        (true, _) if !standard => Ok(()),
        (_, true) => print(format!("{}\n", as_json(panel, &outcome, files))),
        _ => {
            let horizon = automatic.horizon;
            print(Summary { found, panel, outcome: &outcome, horizon, files, width })
        }
    }
}

impl Report {
    /// The intervals to forecast, in per cent.
    pub fn levels(&self) -> Vec<f32> {
        if self.level.is_empty() { vec![80.0, 90.0] } else { self.level.clone() }
    }
}

/// Lets the choice take so many seconds, of which learning anew what is chosen takes a part.
fn run_within(
    automatic: &Automatic,
    panel: &Panel,
    budget: f64,
    talk: bool,
) -> Result<Outcome, Failure> {
    let started = Instant::now();
    let (mut watch, mut begun) = (Watch::new(talk), 0.0);
    let outcome = automatic.run(panel, |event| {
        let now = started.elapsed().as_secs_f64();
        match event {
            Event::Tried(_) => begun = now,
            Event::Learning { model, progress, chosen } => {
                let what = if chosen { model.to_owned() } else { format!("trying {model}") };
                let share = progress.step as f64 / progress.of.max(1) as f64;
                let end = begun + 2.0 * (now - begun) / share.max(1e-9);
                // The first steps take longer than others.
                if !chosen && (share >= EARLY && end > budget || now > budget) {
                    return ControlFlow::Break(());
                }
                return watch.show(&what, progress);
            }
        }
        ControlFlow::Continue(())
    });
    watch.done();
    Ok(outcome?)
}

/// The page of a forecast.
fn page(
    found: &str,
    panel: &Panel,
    automatic: &Automatic,
    outcome: &Outcome,
) -> Result<String, Failure> {
    let mut parts = Vec::new();
    let shown = panel.first(Page::MOST_SERIES);
    for fitted in &outcome.fitted {
        let frame = match (fitted.model().why_whole(), fitted.decompose(&shown)?) {
            (Some(Whole::Network), _) => continue,
            (Some(why), _) => Err(why.to_string()),
            (None, Some(frame)) => Ok(frame),
            (None, None) => continue,
        };
        parts.push(Parts { model: fitted.model().name().to_owned(), frame });
    }
    let (path, _) = found.split_once(": ").unwrap_or((found, ""));
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    let written = |time| panel.written(time);
    let span = panel.span().map(|(first, last)| format!("{} to {}", written(first), written(last)));
    let season = match outcome.season_length {
        1 => "none".into(),
        length => length.to_string(),
    };
    let facts = [
        ("series", panel.series().len().to_string()),
        ("rows", panel.rows().to_string()),
        ("frequency", panel.frequency().to_string()),
        ("time", span.unwrap_or_default()),
        ("season", season),
    ];
    let page = Page {
        title: format!("{name}: {} steps ahead", automatic.horizon),
        facts: facts.map(|(name, value)| (name.to_owned(), value)).to_vec(),
        panel,
        forecast: &outcome.forecast,
        shown: vec![ENSEMBLE.into()],
        ranking: ranking(outcome),
        parts,
    };
    Ok(page.html())
}

fn as_json(panel: &Panel, outcome: &Outcome, files: &Files) -> serde_json::Value {
    let (first, last) = panel.span().unzip();
    let text = |time| outcome.forecast.time_text(time);
    let written = [&files.csv, &files.html].map(|file| file.display().to_string());
    let weights = outcome.weights.iter().map(|(name, weight)| (name.clone(), json!(weight)));
    let left_out =
        outcome.left_out.iter().map(|(name, why)| (name.clone(), json!(why.to_string())));
    json!({
        "found": {
            "series": panel.series().len(),
            "rows": panel.rows(),
            "frequency": panel.frequency().to_string(),
            "first": first.map(text),
            "last": last.map(text),
        },
        "files": if files.is_standard() { &[] } else { &written[..] },
        "season_length": outcome.season_length,
        "weights": weights.collect::<serde_json::Map<_, _>>(),
        "left_out": left_out.collect::<serde_json::Map<_, _>>(),
        "scores": outcome.evaluation.as_ref().map(scores_json),
        "forecast": frame_json(&outcome.forecast),
    })
}
