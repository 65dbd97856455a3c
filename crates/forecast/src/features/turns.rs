//! Turns: the rows of all series, cut into what a thread fills at once.
//!
//! A turn is a few short series or a piece of a long one. The cut follows from the lengths alone.

use super::feature::{Feature, Source};
use super::rolling;
use crate::{ForecastError, Panel, Series, Time};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use whimbrel_kernels::copy::copy;
use whimbrel_threads::Pool;

/// Rows of a turn: few enough to stay in cache for all features.
const ROWS: usize = 1 << 16;

/// A feature of steps is computed once if as many times as many rows need it.
const MANY: usize = 4;

/// What is to be filled.
pub(super) struct Turns<'a> {
    features: &'a [Feature],
    panel: &'a Panel,
    /// The rows wanted of each series; those after its last value are ahead.
    rows: Vec<Range<usize>>,
    /// The time that steps are counted from; none to have all series end at the same step.
    origin: Option<Time>,
    longest: usize,
    /// The number of the first step in the tables.
    first: i64,
    /// The features that follow from the number of the step, once for all series, where those are many;
    /// empty for the others.
    tables: Vec<Vec<f32>>,
}

/// Rows of neighbouring series, and the part of every column they go to.
struct Turn<'c> {
    series: Range<usize>,
    /// The rows of the one series it is a piece of.
    piece: Option<Range<usize>>,
    columns: Vec<&'c mut [f32]>,
}

impl<'a> Turns<'a> {
    pub(super) fn new(
        features: &'a [Feature],
        panel: &'a Panel,
        rows: Vec<Range<usize>>,
        origin: Option<Time>,
    ) -> Turns<'a> {
        let longest = panel.series().iter().map(|series| series.values().len()).max().unwrap_or(0);
        let mut turns =
            Turns { features, panel, rows, origin, longest, first: 1, tables: Vec::new() };
        let steps = panel.series().iter().zip(&turns.rows);
        let firsts =
            steps.map(|(series, rows)| turns.step(series).saturating_add(rows.start as i64));
        turns.first = firsts.min().unwrap_or(1);
        turns.tables = features.iter().map(|feature| turns.table(feature)).collect();
        turns
    }

    fn table(&self, feature: &Feature) -> Vec<f32> {
        let series = self.panel.series().first().filter(|_| feature.follows_from_step());
        let last = |(series, rows): (&Series, &Range<usize>)| {
            self.step(series).saturating_add(rows.end as i64)
        };
        let last = self.panel.series().iter().zip(&self.rows).map(last).max().unwrap_or(self.first);
        let steps = last.wrapping_sub(self.first) as usize;
        let total: usize = self.rows.iter().map(Range::len).sum();
        match series {
            Some(series) if total >= steps.saturating_mul(MANY) => {
                let mut table = vec![0.0; steps];
                feature.fill(&Source { step: self.first, ..self.source(series) }, 0, &mut table);
                table
            }
            _ => Vec::new(),
        }
    }

    /// The number of the first step of a series. One that is not on the axis of the origin ends with the others.
    fn step(&self, series: &Series) -> i64 {
        let from = |origin| self.panel.frequency().steps_between(origin, series.start());
        let apart = (self.longest - series.values().len()) as i64;
        self.origin.and_then(from).unwrap_or(apart).saturating_add(1)
    }

    fn source(&self, series: &'a Series) -> Source<'a> {
        Source {
            values: series.values(),
            start: series.start(),
            frequency: self.panel.frequency(),
            step: self.step(series),
        }
    }

    /// Fills a column for each feature, the rows of one series after those of another.
    pub(super) fn fill(
        &self,
        pool: &Pool,
        columns: &mut [&mut [f32]],
    ) -> Result<(), ForecastError> {
        let total: usize = self.rows.iter().map(Range::len).sum();
        if columns.len() != self.features.len() || columns.iter().any(|c| c.len() != total) {
            return Err(ForecastError::Setting {
                name: "columns",
                value: format!("{} of {:?} rows", columns.len(), columns.first().map(|c| c.len())),
                reason: "must be as many as features, with a row for each value of the panel",
            });
        }
        let turns = self.cut(columns);
        pool.pieces(turns.len(), |number| {
            // A turn is taken once, so its lock is free and whole.
            let mut turn = turns[number].lock().unwrap_or_else(PoisonError::into_inner);
            self.take(&mut turn);
        });
        Ok(())
    }

    fn cut<'c>(&self, columns: &'c mut [&mut [f32]]) -> Vec<Mutex<Turn<'c>>> {
        let mut rest: Vec<&'c mut [f32]> = columns.iter_mut().map(|column| &mut **column).collect();
        let mut turns = Vec::new();
        let mut turn = |series, piece, rows: usize| {
            let columns = rest.iter_mut().map(|column| {
                let (part, after) = std::mem::take(column).split_at_mut(rows);
                *column = after;
                part
            });
            turns.push(Mutex::new(Turn { series, piece, columns: columns.collect() }));
        };
        let can_be_cut = self.features.iter().all(Feature::can_be_cut);
        let (mut first, mut gathered) = (0, 0);
        for (number, rows) in self.rows.iter().enumerate() {
            if can_be_cut && rows.len() > ROWS {
                turn(first..number, None, gathered);
                for start in rows.clone().step_by(ROWS) {
                    let piece = start..rows.end.min(start + ROWS);
                    turn(number..number + 1, Some(piece.clone()), piece.len());
                }
                (first, gathered) = (number + 1, 0);
                continue;
            }
            gathered += rows.len();
            if gathered >= ROWS || number + 1 == self.rows.len() {
                turn(first..number + 1, None, gathered);
                (first, gathered) = (number + 1, 0);
            }
        }
        turns
    }

    /// Fills a turn column by column: memory is written fastest in one stream, and what is read stays
    /// in cache.
    fn take(&self, turn: &mut Turn) {
        let mut at = 0;
        while let (Some(feature), Some((column, others))) =
            (self.features.get(at), turn.columns[at..].split_first_mut())
        {
            // Mean and deviation of a window come from the same sums.
            let std = match (feature, self.features.get(at + 1)) {
                (Feature::RollingMean(a), Some(Feature::RollingStd(b))) if a == b => {
                    others.first_mut()
                }
                _ => None,
            };
            let taken = 1 + usize::from(std.is_some());
            let (mut column, mut stds) = (&mut **column, std.map(|std| &mut **std));
            for number in turn.series.clone() {
                let rows = turn.piece.clone().unwrap_or_else(|| self.rows[number].clone());
                let source = self.source(&self.panel.series()[number]);
                // Turns are cut so that there is room for all of their rows.
                let dst = column.split_off_mut(..rows.len()).unwrap_or_default();
                let std = stds.as_mut().and_then(|stds| stds.split_off_mut(..rows.len()));
                let start = source.step.saturating_add(rows.start as i64);
                let start = start.wrapping_sub(self.first) as usize;
                match (self.tables[at].get(start..start.saturating_add(rows.len())), feature) {
                    (Some(steps), _) => copy(steps, dst),
                    (None, Feature::RollingMean(window)) => {
                        rolling::moments_from(source.values, *window, rows.start, Some(dst), std);
                    }
                    _ => feature.fill(&source, rows.start, dst),
                }
            }
            at += taken;
        }
    }
}
