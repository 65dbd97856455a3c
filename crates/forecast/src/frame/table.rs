//! A frame as an aligned table, as wide as a terminal has room for.

use super::{ACTUAL, Frame};
use crate::column::Part;
use std::fmt;
use whimbrel_chart::Table;

impl Frame {
    /// Its table, at most so many letters wide as far as that can be, and how many columns are left out for it:
    /// first the edges of inner intervals, then what other models than the first forecast, then its intervals.
    pub fn within(&self, width: usize) -> (Table, usize) {
        let texts = self.texts();
        let models = self.models();
        let columns = |wanted: &dyn Fn(&str, Part) -> bool| -> Vec<usize> {
            let wanted = |name: &str| {
                let (model, part) = Part::split(name);
                name != ACTUAL && wanted(model, part)
            };
            let columns = self.columns().enumerate().filter(|(_, name)| wanted(name));
            columns.map(|(column, _)| texts + column).collect()
        };
        let mut levels: Vec<f32> =
            self.columns().filter_map(|name| Part::split(name).1.level()).collect();
        levels.sort_by(f32::total_cmp);
        levels.dedup();
        let widest = levels.pop();
        let inner = levels.iter().flat_map(|&level| {
            let edges =
                |model: &str| columns(&|of, part| of == model && part.level() == Some(level));
            models.iter().rev().map(|model| edges(model)).collect::<Vec<_>>()
        });
        let mut groups: Vec<Vec<usize>> = inner.collect();
        let is_outer = |part: Part| part.level().is_none_or(|level| Some(level) == widest);
        if let Some((first, others)) = models.split_first() {
            for other in others.iter().rev() {
                groups.push(columns(&|of, part| of == *other && is_outer(part)));
            }
            groups.push(columns(&|of, part| {
                of == *first && part.level().is_some() && is_outer(part)
            }));
        }
        self.whole().within(width, &groups)
    }

    /// Columns before those of values.
    fn texts(&self) -> usize {
        if self.cutoffs.is_empty() { 2 } else { 3 }
    }

    /// Its table with all columns.
    fn whole(&self) -> Table {
        let texts = self.texts();
        let titles = ["unique_id", "ds", "cutoff"].into_iter().take(texts);
        let names = self.columns.iter().map(|(name, _)| name.as_str());
        let mut table = Table::new(titles.chain(names)).left(0..texts);
        let decimals: Vec<_> = self.columns.iter().map(|(_, v)| decimals(v)).collect();
        for (row, (id, time)) in self.ids().zip(&self.times).enumerate() {
            let cutoff = self.cutoffs.get(row).map(|time| time.to_text(self.clock));
            let head = [id.escape_debug().to_string(), time.to_text(self.clock)];
            let values = self.columns.iter().zip(&decimals);
            let values = values.map(|((_, values), &decimals)| rounded(values[row], decimals));
            table.row(head.into_iter().chain(cutoff).chain(values));
        }
        table
    }
}

impl fmt::Display for Frame {
    /// An aligned table, values with about five digits, more where they differ by little.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.whole().fmt(f)
    }
}

/// Decimals that give the largest value about five digits, and what values differ by two, as far as an
/// f32 has them; none for values so small that they are written with an exponent.
fn decimals(values: &[f32]) -> Option<usize> {
    let finite = || values.iter().copied().filter(|x| x.is_finite());
    let (low, high) = finite()
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let largest = high.max(-low);
    if largest <= 0.0 {
        return Some(1);
    }
    let power = |size: f32| size.log10().floor();
    let apart = if high > low { 1.0 - power(high - low) } else { 0.0 };
    let decimals = apart.max(4.0 - power(largest)).min(6.0 - power(largest));
    (largest >= 1e-5).then_some(decimals.clamp(0.0, 9.0) as usize)
}

fn rounded(value: f32, decimals: Option<usize>) -> String {
    match (value, decimals) {
        (x, _) if x.is_nan() => String::new(),
        (x, Some(decimals)) if x.abs() < 1e12 => {
            let text = format!("{x:.decimals$}");
            let zero = text.bytes().all(|b| matches!(b, b'-' | b'0' | b'.'));
            if zero { text.trim_start_matches('-').into() } else { text }
        }
        (x, _) => format!("{x:.4e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Time;
    use crate::time::Clock;

    #[test]
    fn a_narrow_table_lacks_inner_intervals_then_other_models_then_intervals() {
        let edges = ["-lo-90", "-lo-80", "-hi-80", "-hi-90"].map(|edge| format!("Mean{edge}"));
        let names = ["Mean"].into_iter().chain(edges.iter().map(String::as_str)).chain(["Naive"]);
        let mut frame = Frame::new(Clock::default());
        frame.push_row("a", Time::Integer(1));
        let frame = names.fold(frame, |frame, name| frame.with_column(name, vec![1.0]));
        let at = |width: usize| {
            let (table, left_out) = frame.within(width);
            let text = table.to_string();
            let titles = text.lines().next().unwrap_or_default().to_owned();
            assert!(left_out == 5 || text.lines().all(|line| line.len() <= width), "{text}");
            let names: Vec<&str> = titles.split_whitespace().skip(2).collect();
            (names.join(" "), left_out)
        };
        let whole = "Mean Mean-lo-90 Mean-lo-80 Mean-hi-80 Mean-hi-90 Naive";
        let width = frame.to_string().lines().next().unwrap().len();
        assert_eq!(at(usize::MAX), (whole.into(), 0));
        assert_eq!(at(width), (whole.into(), 0));
        assert_eq!(at(width - 1), ("Mean Mean-lo-90 Mean-hi-90 Naive".into(), 2));
        assert_eq!(at(50), ("Mean Mean-lo-90 Mean-hi-90".into(), 3));
        assert_eq!(at(30), ("Mean".into(), 5));
        assert_eq!(at(0), ("Mean".into(), 5));
    }

    #[test]
    fn values_that_differ_by_little_are_told_apart() {
        for (values, texts) in [
            ([15000.0, 15000.4], ["15000.00", "15000.40"]),
            ([110.1, 110.14], ["110.100", "110.140"]),
            ([445.25, 632.0], ["445.25", "632.00"]),
            ([3e6, 3e6], ["3000000", "3000000"]),
            ([0.0, -0.5], ["0.00000", "-0.50000"]),
            ([3e-10, 5.25e-10], ["3.0000e-10", "5.2500e-10"]),
        ] {
            let decimals = decimals(&values);
            assert_eq!(values.map(|value| rounded(value, decimals)), texts);
        }
        assert_eq!(decimals(&[f32::NAN]), Some(1));
    }
}
