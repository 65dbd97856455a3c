//! A forecast in the terminal: what was found, what was tried, what comes.

use crate::command::files::Files;
use std::fmt;
use std::io::{self, IsTerminal};
use whimbrel::chart::{Sketch, Table};
use whimbrel::{ENSEMBLE, Evaluation, ForecastError, Outcome, Panel, Rank, Ranking, Score};

/// Rows of a forecast that are printed whole; of longer ones, the first series.
const MOST_ROWS: usize = 60;

/// What is printed about a forecast.
pub struct Summary<'a> {
    pub found: &'a str,
    pub panel: &'a Panel,
    pub outcome: &'a Outcome,
    pub horizon: usize,
    pub files: &'a Files,
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Summary { found, panel, outcome, .. } = self;
        let season = match outcome.season_length {
            1 => "no season".into(),
            length => format!("season {length}"),
        };
        writeln!(f, "{found}, {season}\n")?;
        let ranking = ranking(outcome);
        match ranking.rows.is_empty() {
            true => writeln!(
                f,
                "series are too short to try models on their end: {ENSEMBLE} is {}\n",
                made_of(outcome)
            )?,
            false => writeln!(f, "{}\n{}", ranking.note, table(&ranking))?,
        }
        if !outcome.left_out.is_empty() {
            writeln!(f, "{}", left_out(outcome))?;
        }
        self.sketch(f)?;
        let yardstick = if outcome.season_length > 1 { "SeasonalNaive" } else { "Naive" };
        let forecast = outcome.forecast.only(&[ENSEMBLE, yardstick]);
        let series = panel.series().len();
        match forecast.rows() <= MOST_ROWS {
            true => write!(f, "{forecast}")?,
            false => {
                write!(f, "{}", forecast.head(self.horizon.min(MOST_ROWS)))?;
                if series > 1 {
                    writeln!(f, "... and {} more series", series - 1)?;
                }
            }
        }
        writeln!(f, "\n{}\n{}", self.files.csv.display(), self.files.html.display())
    }
}

impl Summary<'_> {
    /// The first series, where somebody looks.
    fn sketch(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let forecast = &self.outcome.forecast;
        let (Some(series), true) = (self.panel.series().first(), io::stdout().is_terminal()) else {
            return Ok(());
        };
        let values = series.values();
        let first = values.len().saturating_sub(Sketch::room(self.horizon));
        let column = |name: &str| -> Vec<f64> {
            let values = forecast.column(name).unwrap_or_default();
            values.iter().take(self.horizon).map(|&x| f64::from(x)).collect()
        };
        let lower = format!("{ENSEMBLE}-lo-");
        let widest = forecast.columns().find_map(|name| name.strip_prefix(&lower));
        let level = widest.unwrap_or_default();
        let time = |step: usize| self.panel.time_text(series, step);
        let sketch = Sketch {
            past: values[first..].iter().map(|&x| f64::from(x)).collect(),
            ahead: column(ENSEMBLE),
            low: column(&format!("{ENSEMBLE}-lo-{level}")),
            high: column(&format!("{ENSEMBLE}-hi-{level}")),
            times: [first, values.len(), values.len() + self.horizon - 1].map(time),
        };
        writeln!(f, "{}", series.id().escape_debug())?;
        writeln!(f, "{}", sketch.draw(std::env::var_os("NO_COLOR").is_none()))
    }
}

/// What was not tried to its end, and why, a line each.
pub fn left_out(outcome: &Outcome) -> String {
    let line = |(model, why): &(String, ForecastError)| match why {
        ForecastError::Stopped { .. } => {
            format!("left out: {model}, which takes longer than --budget allows\n")
        }
        why => format!("left out: {model}: {why}\n"),
    };
    outcome.left_out.iter().map(line).collect()
}

/// The models by their error, the best first.
pub fn ranking(outcome: &Outcome) -> Ranking {
    let (Some(evaluation), Some(frame)) = (&outcome.evaluation, &outcome.cross_validation) else {
        return Ranking::default();
    };
    let cutoffs = frame.cutoffs().unwrap_or_default();
    let of_first = frame.series().next().and_then(|(_, rows)| cutoffs.get(rows));
    let mut times: Vec<_> = of_first.unwrap_or_default().iter().collect();
    times.dedup();
    let score = |score, model: &str| evaluation.overall(score, model).unwrap_or(f64::NAN);
    let mut models: Vec<&String> = evaluation.models().iter().collect();
    models.sort_by(|a, b| score(Score::Mase, a).total_cmp(&score(Score::Mase, b)));
    let row = |model: &String| {
        let weight = outcome.weights.iter().find(|(name, _)| name == model).map(|(_, w)| *w);
        let share = weight.map_or_else(String::new, |weight| format!("{:.0} %", 100.0 * weight));
        Rank {
            name: model.clone(),
            cells: cells(evaluation, model, share),
            chosen: model == ENSEMBLE,
        }
    };
    Ranking {
        note: format!(
            "forecasts of the last values from {} points of the past, {ENSEMBLE} being the weighted mean",
            times.len()
        ),
        names: ["MASE", "sMAPE %", "RMSE", "weight"].map(String::from).to_vec(),
        rows: models.into_iter().map(row).collect(),
    }
}

fn cells(evaluation: &Evaluation, model: &str, share: String) -> Vec<String> {
    let score = |score, factor: f64| match evaluation.overall(score, model) {
        Some(value) if value.is_finite() => digits(factor * value),
        _ => "-".into(),
    };
    vec![score(Score::Mase, 1.0), score(Score::Smape, 200.0), score(Score::Rmse, 1.0), share]
}

/// A number with about four digits.
fn digits(value: f64) -> String {
    if value > 0.0 && value < 1e-4 {
        return format!("{value:.3e}");
    }
    let decimals = (3.0 - value.abs().max(1e-3).log10().floor()).clamp(0.0, 4.0) as usize;
    format!("{value:.decimals$}")
}

/// The rows in columns.
fn table(ranking: &Ranking) -> String {
    let mut table = Table::new(std::iter::once("").chain(ranking.names.iter().map(String::as_str)));
    for row in &ranking.rows {
        table.row(std::iter::once(&row.name).chain(&row.cells));
    }
    table.to_string().lines().map(|line| format!("  {line}\n")).collect()
}

fn made_of(outcome: &Outcome) -> String {
    outcome.weights.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
}
