//! An evaluation as text: a table to look at, and one to go on with.

use super::{Evaluation, Score};
use std::fmt;
use std::io::{self, Write};
use whimbrel_chart::Table;
use whimbrel_data::csv::Writer;
use whimbrel_data::{self as data, Column, Values};

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

    /// The same as a table, for files that are not text.
    pub fn to_table(&self) -> data::Table {
        let rows = || self.ids.iter().flat_map(|id| self.scores.iter().map(move |s| (id, s)));
        let metrics: Vec<String> = rows().map(|(_, score)| score.to_string()).collect();
        let ids = rows().map(|(id, _)| id.as_str()).collect();
        let metrics = metrics.iter().map(String::as_str).collect();
        let texts = [("unique_id", ids), ("metric", metrics)];
        let texts = texts.map(|(name, text)| (name.to_owned(), Column::new(Values::Text(text))));
        let finite = |x: f64| if x.is_finite() { x } else { f64::NAN };
        let of_model = |(place, model): (usize, &String)| {
            let values = self.of_series.iter().skip(place).step_by(self.models.len());
            (model.clone(), Column::floats(values.copied().map(finite).collect()))
        };
        let models = self.models.iter().enumerate().map(of_model);
        data::Table::of(texts.into_iter().chain(models).collect())
    }
}

impl Evaluation {
    /// Its table, at most so many letters wide as far as that can be, and how many columns are left out for it:
    /// scores that say much the same as others first.
    pub fn within(&self, width: usize) -> (Table, usize) {
        let mut columns: Vec<(usize, usize)> = self
            .scores
            .iter()
            .enumerate()
            .map(|(column, score)| (rank(*score), column + 1))
            .collect();
        columns.sort_unstable();
        columns.retain(|(rank, _)| *rank > 0);
        let groups: Vec<Vec<usize>> = columns.into_iter().map(|(_, column)| vec![column]).collect();
        self.whole().within(width, &groups)
    }

    /// Its table with all columns.
    fn whole(&self) -> Table {
        let titles = self.scores.iter().map(Score::to_string);
        let mut table = Table::new(std::iter::once("model".into()).chain(titles));
        for (number, model) in self.models.iter().enumerate() {
            let own = self.overall.iter().skip(number).step_by(self.models.len());
            let text = |x: &f64| if x.is_finite() { digits(*x) } else { String::new() };
            table.row(std::iter::once(model.clone()).chain(own.map(text)));
        }
        table
    }
}

impl fmt::Display for Evaluation {
    /// The overall scores as an aligned table, a row for each model.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.whole().fmt(f)
    }
}

/// Which scores a narrow table does without, the least first; 0 for the one it always has.
fn rank(score: Score) -> usize {
    match score {
        Score::Mae => 0,
        Score::Mse => 1,
        Score::Rmsse => 2,
        Score::ScaledCrps => 3,
        Score::Mape => 4,
        Score::Owa => 5,
        Score::Crps => 6,
        Score::Smape => 7,
        Score::Rmse => 8,
        Score::Coverage(_) => 9,
        Score::Mase => 10,
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

#[cfg(test)]
mod tests {
    use crate::{Baseline, Columns, CrossValidation, Panel};

    #[test]
    fn a_narrow_table_keeps_the_scores_that_say_most() {
        let rows: String = (0..40).map(|t| format!("a,{t},{}\n", t * t % 7)).collect();
        let csv = format!("unique_id,ds,y\n{rows}");
        let panel = Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap();
        let frame = CrossValidation::new(3).run(&[Baseline::Naive.into()], &panel).unwrap();
        let scores = frame.evaluate(Some(&panel), None).unwrap();
        let titles = |width| {
            let (table, left_out) = scores.within(width);
            let text = table.to_string();
            let titles = text.lines().next().unwrap_or_default().to_owned();
            assert!(titles.len() <= width || width == 0, "{titles}");
            (titles.split_whitespace().count(), left_out, titles)
        };
        let (all, none, whole) = titles(usize::MAX);
        assert_eq!((all, none), (scores.scores().len() + 1, 0));
        let (fewer, left_out, narrow) = titles(whole.len() - 1);
        assert_eq!(fewer + left_out, all);
        assert!(!narrow.contains(" mse") && narrow.contains("rmse"), "{narrow}");
        assert_eq!(titles(14).2.split_whitespace().collect::<Vec<_>>(), ["model", "mae"]);
        assert_eq!(titles(0).1, all - 2);
    }
}
