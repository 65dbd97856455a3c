//! A forecast in the terminal: what was found, what was tried, what comes.

use crate::command::files::Files;
use crate::command::terminal::{more_columns, wrapped};
use std::fmt;
use std::path::Path;
use whimbrel::chart::{Sketch, Table};
use whimbrel::{ENSEMBLE, Evaluation, ForecastError, Outcome, Panel, Rank, Ranking, Score};

/// Rows of a forecast that are printed whole; of longer ones, the first series.
const MOST_ROWS: usize = 60;
/// What the rows of scores begin with.
const INDENT: &str = "  ";

/// What is printed about a forecast.
pub struct Summary<'a> {
    pub found: &'a str,
    pub panel: &'a Panel,
    pub outcome: &'a Outcome,
    pub horizon: usize,
    pub files: &'a Files,
    /// Letters in a line of the terminal it is printed on.
    pub width: Option<usize>,
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Summary { found, panel, outcome, .. } = self;
        let season = match outcome.season_length {
            1 => "no season".into(),
            length => format!("season {length}"),
        };
        let width = self.width.unwrap_or(usize::MAX);
        writeln!(f, "{}\n", wrapped(&format!("{found}, {season}"), width))?;
        let ranking = ranking(outcome);
        match ranking.rows.is_empty() {
            true => {
                let why = "series are too short to try models on their end";
                let said = format!("{why}: {ENSEMBLE} is {}", made_of(outcome));
                writeln!(f, "{}\n", wrapped(&said, width))?;
            }
            false => {
                writeln!(f, "{}", wrapped(&ranking.note, width))?;
                writeln!(f, "{}", table(&ranking, width, &self.files.html))?;
            }
        }
        if !outcome.left_out.is_empty() {
            writeln!(f, "{}", wrapped(&left_out(outcome), width))?;
        }
        self.sketch(f)?;
        let yardstick = if outcome.season_length > 1 { "SeasonalNaive" } else { "Naive" };
        let forecast = outcome.forecast.only(&[ENSEMBLE, yardstick]);
        let series = panel.series().len();
        let is_cut = forecast.rows() > MOST_ROWS;
        let forecast = if is_cut { forecast.head(self.horizon.min(MOST_ROWS)) } else { forecast };
        let (table, left_out) = forecast.within(width);
        write!(f, "{table}")?;
        if is_cut && series > 1 {
            writeln!(f, "... and {} more series", series - 1)?;
        }
        let has_them = format!("{} has all", self.files.csv.display());
        f.write_str(&more_columns(left_out, &has_them))?;
        writeln!(f, "\n{}\n{}", self.files.csv.display(), self.files.html.display())
    }
}

impl Summary<'_> {
    /// The first series, where somebody looks.
    fn sketch(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let forecast = &self.outcome.forecast;
        let (Some(series), Some(width)) = (self.panel.series().first(), self.width) else {
            return Ok(());
        };
        let values = series.values();
        let first = values.len().saturating_sub(Sketch::room(self.horizon, width));
        let of_first = |values: &[f32]| -> Vec<f64> {
            values.iter().take(self.horizon).map(|&x| f64::from(x)).collect()
        };
        let widest = forecast.levels(ENSEMBLE).first().copied();
        let edges = widest.and_then(|level| forecast.interval(ENSEMBLE, level));
        let (low, high) = edges.unwrap_or_default();
        let time = |step: usize| self.panel.time_text(series, step);
        let sketch = Sketch {
            past: values[first..].iter().map(|&x| f64::from(x)).collect(),
            ahead: of_first(forecast.column(ENSEMBLE).unwrap_or_default()),
            low: of_first(low),
            high: of_first(high),
            times: [first, values.len(), values.len() + self.horizon - 1].map(time),
        };
        writeln!(f, "{}", series.id().escape_debug())?;
        writeln!(f, "{}", sketch.draw(width, std::env::var_os("NO_COLOR").is_none()))
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
    let cutoffs_of = frame.series().map(|(_, rows)| cutoffs.get(rows).unwrap_or_default());
    let points = cutoffs_of.map(|own| own.chunk_by(|one, next| one == next).count()).max();
    let note = note(points.unwrap_or(0));
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
        note,
        names: ["MASE", "sMAPE %", "RMSE", "weight"].map(String::from).to_vec(),
        rows: models.into_iter().map(row).collect(),
    }
}

/// What the scores are of, where forecasts were made from so many points.
fn note(points: usize) -> String {
    let forecasts = "forecasts of the last values from";
    match points {
        0 | 1 => format!("{forecasts} 1 point of the past, {ENSEMBLE} being the weighted mean"),
        _ => format!(
            "{forecasts} {points} points of the past, {ENSEMBLE} being the weighted mean, at each point with weights \
             learned from the others"
        ),
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

/// Columns of the scores that a narrow terminal does without, the first of them first.
const LEAST_TOLD: [usize; 2] = [3, 2];

/// The rows in columns, at most so wide; `page` has all of them.
fn table(ranking: &Ranking, width: usize, page: &Path) -> String {
    let mut table = Table::new(std::iter::once("").chain(ranking.names.iter().map(String::as_str)));
    for row in &ranking.rows {
        table.row(std::iter::once(&row.name).chain(&row.cells));
    }
    let groups = LEAST_TOLD.map(|column| vec![column]);
    let (table, left_out) = table.within(width.saturating_sub(INDENT.len()), &groups);
    let more = more_columns(left_out, &format!("{} has all", page.display()));
    let lines = table.to_string() + &more;
    lines.lines().map(|line| format!("{INDENT}{line}\n")).collect()
}

fn made_of(outcome: &Outcome) -> String {
    outcome.weights.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
}
