//! Two runs compared: what changed, and whether something got slower beyond the noise.
//!
//! The rule, for a row that stands in both runs:
//!
//! * It has up to three witnesses: our value, the ratio to the peer, the share of the limit. Each
//!   says by what factor the new run is worse. The *smallest* factor counts: a slower program
//!   worsens all of them, a slower machine worsens only the first.
//! * The noise allowed is a floor of 4 % (1 % for counts and bytes, which do not flicker) plus the
//!   two runs' spreads, added as independent errors are: `floor + sqrt(old^2 + new^2)`.
//! * The row is a regression when the factor exceeds 1 + noise.
//!
//! A spread is 2.6 standard deviations of one round, a median of seven rounds has half a standard
//! deviation, so the allowance is over five standard errors of the difference of two medians.

use crate::row::{Better, Row, Unit};

/// What happened to a row between two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The row in the older run.
    pub old: Row,
    /// The same row in the newer run.
    pub new: Row,
    /// How many times worse the new run is, by its most favourable witness; below 1 is better.
    pub worse: f64,
    /// The part of that which noise explains.
    pub noise: f64,
}

impl Change {
    /// Compares one row; `None` when our value is missing on either side or cannot be compared.
    fn between(old: &Row, new: &Row) -> Option<Change> {
        let unit = new.unit;
        let ours = match (old.ours?, new.ours?) {
            // Nothing before, nothing now: the same. Nothing before, something now: worse
            // without bound where less is better.
            (0.0, 0.0) => 1.0,
            (old, new) => match unit.better() {
                Better::Higher => old / new,
                Better::Lower => new / old,
            },
        };
        let shrunk = |old: Option<f64>, new: Option<f64>| Some(old? / new?);
        let witnesses = [shrunk(old.ratio, new.ratio), shrunk(old.of_limit, new.of_limit)];
        let worse = witnesses.into_iter().flatten().fold(ours, f64::min);
        if worse.is_nan() || old.unit != unit {
            return None;
        }
        let spreads = old.spread.unwrap_or(0.0).hypot(new.spread.unwrap_or(0.0));
        Some(Change { old: old.clone(), new: new.clone(), worse, noise: floor(unit) + spreads })
    }

    /// Whether the row got worse beyond the noise.
    pub fn is_regression(&self) -> bool {
        self.worse > 1.0 + self.noise
    }

    /// Whether the row got better beyond the noise.
    pub fn is_improvement(&self) -> bool {
        self.worse < 1.0 / (1.0 + self.noise)
    }
}

/// The change that is never called a regression, for units with and without jitter.
fn floor(unit: Unit) -> f64 {
    match unit {
        Unit::Instructions | Unit::Count | Unit::Bytes | Unit::Megabytes | Unit::OfBound => 0.01,
        _ => 0.04,
    }
}

/// The comparison of two runs.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Rows found in both runs, in the new run's order.
    pub changes: Vec<Change>,
    /// Rows of the old run that the new run lacks, as `suite case metric`.
    pub gone: Vec<String>,
}

impl Comparison {
    /// Compares the rows of two runs by suite, case and metric. Only suites the new run has are
    /// looked at.
    pub fn new(old: &[Row], new: &[Row]) -> Comparison {
        let mut comparison = Comparison::default();
        for row in new {
            let before = old.iter().find(|o| o.key() == row.key());
            comparison.changes.extend(before.and_then(|before| Change::between(before, row)));
        }
        for row in old {
            let same_suite = new.iter().any(|n| n.suite == row.suite);
            if same_suite && !new.iter().any(|n| n.key() == row.key()) {
                comparison.gone.push(format!("{} {} {}", row.suite, row.case, row.metric));
            }
        }
        comparison
    }

    /// The rows that got worse beyond the noise.
    pub fn regressions(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| change.is_regression())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(ours: f64, ratio: Option<f64>, spread: f64) -> Row {
        let mut row = Row::new("suite", "case", "time", Unit::Microseconds);
        row.ours = Some(ours);
        row.ratio = ratio;
        row.spread = Some(spread);
        row
    }

    fn change(old: &Row, new: &Row) -> Change {
        Change::between(old, new).unwrap()
    }

    #[test]
    fn a_slower_time_is_a_regression_only_beyond_the_noise() {
        let old = row(100.0, None, 0.03);
        assert!(change(&old, &row(110.0, None, 0.03)).is_regression());
        assert!(!change(&old, &row(107.0, None, 0.03)).is_regression());
        assert!(!change(&old, &row(110.0, None, 0.10)).is_regression());
        assert!(change(&old, &row(80.0, None, 0.03)).is_improvement());
    }

    #[test]
    fn a_slower_machine_is_no_regression() {
        let old = row(100.0, Some(3.0), 0.02);
        assert!(!change(&old, &row(150.0, Some(2.95), 0.02)).is_regression());
        assert!(change(&old, &row(150.0, Some(2.0), 0.02)).is_regression());
    }

    #[test]
    fn rates_fall_and_counts_rise_to_be_worse() {
        let mut old = row(100.0, None, 0.0);
        old.unit = Unit::Gflops;
        let mut new = old.clone();
        new.ours = Some(80.0);
        assert_eq!(change(&old, &new).worse, 1.25);
        (old.unit, new.unit) = (Unit::Count, Unit::Count);
        (old.ours, new.ours) = (Some(0.0), Some(0.0));
        assert!(!change(&old, &new).is_regression());
        new.ours = Some(1.0);
        assert!(change(&old, &new).is_regression());
    }

    #[test]
    fn rows_gone_are_named_and_other_suites_left_alone() {
        let mut other = row(1.0, None, 0.0);
        other.suite = "other".to_owned();
        let mut gone = row(1.0, None, 0.0);
        gone.case = "gone".to_owned();
        let stays = row(1.0, None, 0.0);
        let comparison = Comparison::new(&[gone, other, stays.clone()], &[stays]);
        assert_eq!(comparison.gone, ["suite gone time"]);
        assert_eq!(comparison.changes.len(), 1);
    }
}
