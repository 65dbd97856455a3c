//! An evaluation as text: a table to look at, and one to go on with.

use super::{Evaluation, Score};
use std::fmt;
use std::io::{self, Write};
use whimbrel_chart::Table;
use whimbrel_data::csv::Writer;

impl Evaluation {
    /// Writes all scores as utilsforecast's `evaluate` gives them: `unique_id, metric`, and a column for
    /// each model. Scores that are not defined are empty.
    pub fn write_csv(&self, output: impl Write) -> io::Result<()> {
        let mut writer = Writer::new(output);
        let models = self.models.iter().map(String::as_str);
        writer.record(["unique_id", "metric"].into_iter().chain(models))?;
        let rows = self.of_series.chunks_exact(self.models.len().max(1));
        for (number, row) in rows.enumerate() {
            let (series, score) = (number / self.scores.len(), number % self.scores.len());
            let score = self.scores[score].to_string();
            let text = |x: &f64| if x.is_finite() { x.to_string() } else { String::new() };
            let values: Vec<String> = row.iter().map(text).collect();
            let fields = [self.ids[series].as_str(), &score].into_iter();
            writer.record(fields.chain(values.iter().map(String::as_str)))?;
        }
        writer.finish().map(drop)
    }
}

impl fmt::Display for Evaluation {
    /// The overall scores as an aligned table, a row for each model.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let titles = self.scores.iter().map(Score::to_string);
        let mut table = Table::new(std::iter::once("model".into()).chain(titles));
        for (number, model) in self.models.iter().enumerate() {
            let own = self.overall.iter().skip(number).step_by(self.models.len());
            let text = |x: &f64| if x.is_finite() { digits(*x) } else { String::new() };
            table.row(std::iter::once(model.clone()).chain(own.map(text)));
        }
        table.fmt(f)
    }
}

/// About five digits.
fn digits(x: f64) -> String {
    match x.abs() {
        size if size >= 1e7 || size > 0.0 && size < 1e-3 => format!("{x:.4e}"),
        size => {
            let whole = if size >= 1.0 { size.log10().floor() as usize } else { 0 };
            format!("{x:.decimals$}", decimals = 4usize.saturating_sub(whole))
        }
    }
}
