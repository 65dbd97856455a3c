//! Usage: what a monitor saw, as a table for people and as data.

use super::monitor::Activity;
use serde::{Serialize, Serializer};
use std::fmt;

/// What a run spent, activity by activity.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    /// Those there were, in the order in which a run comes to them.
    pub activities: Vec<Spent>,
}

/// What went into an activity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spent {
    /// The activity.
    pub activity: Activity,
    /// Its time on the clock.
    pub seconds: f64,
    /// Rows that passed through it.
    pub rows: u64,
    /// The most resident memory of the process seen meanwhile; none where the system does not say.
    pub peak_bytes: Option<u64>,
}

impl Spent {
    pub(super) fn nothing(activity: Activity) -> Spent {
        Spent { activity, seconds: 0.0, rows: 0, peak_bytes: None }
    }

    /// The throughput, where rows passed.
    pub fn rows_per_second(&self) -> Option<f64> {
        (self.rows > 0 && self.seconds > 0.0).then(|| self.rows as f64 / self.seconds)
    }
}

impl Serialize for Usage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.activities.iter().map(|spent| Line {
            phase: spent.activity,
            seconds: spent.seconds,
            rows: spent.rows,
            rows_per_second: spent.rows_per_second(),
            peak_bytes: spent.peak_bytes,
        }))
    }
}

/// An activity as files have it.
#[derive(Serialize)]
struct Line {
    phase: Activity,
    seconds: f64,
    rows: u64,
    rows_per_second: Option<f64>,
    peak_bytes: Option<u64>,
}

impl fmt::Display for Usage {
    /// A table with a line for each activity and one for all of them.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let all: f64 = self.activities.iter().map(|spent| spent.seconds).sum();
        let peak = self.activities.iter().filter_map(|spent| spent.peak_bytes).max();
        writeln!(f, "phase         seconds   share         rows       rows/s      peak MB")?;
        for spent in &self.activities {
            let share = 100.0 * spent.seconds / all.max(f64::MIN_POSITIVE);
            write!(f, "{:<10} {:>10.4} {share:>5.1} % ", spent.activity.name(), spent.seconds)?;
            match spent.rows {
                0 => write!(f, "{:>12} ", "")?,
                rows => write!(f, "{rows:>12} ")?,
            }
            match spent.rows_per_second() {
                Some(speed) => write!(f, "{speed:>12.0} ")?,
                None => write!(f, "{:>12} ", "")?,
            }
            write_megabytes(f, spent.peak_bytes)?;
        }
        write!(f, "{:<10} {all:>10.4} {:>34}", "all", "")?;
        write_megabytes(f, peak)
    }
}

/// The last cell of a line.
fn write_megabytes(f: &mut fmt::Formatter, bytes: Option<u64>) -> fmt::Result {
    match bytes {
        Some(bytes) => writeln!(f, "{:>12.1}", bytes as f64 / 1e6),
        None => writeln!(f, "{:>12}", "unknown"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_aligned_and_adds_up() {
        let spent = |activity, seconds, rows| Spent {
            seconds,
            rows,
            peak_bytes: Some(50_000_000),
            ..Spent::nothing(activity)
        };
        let usage = Usage {
            activities: vec![
                spent(Activity::Compile, 0.5, 0),
                spent(Activity::Learn, 1.5, 3000),
                Spent::nothing(Activity::Checkpoint),
            ],
        };
        let table = usage.to_string();
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{table}");
        let cells = |line: usize| lines[line].split_whitespace().collect::<Vec<_>>();
        assert_eq!(cells(2), ["learn", "1.5000", "75.0", "%", "3000", "2000", "50.0"]);
        assert_eq!(cells(3), ["checkpoint", "0.0000", "0.0", "%", "unknown"]);
        assert_eq!(cells(4), ["all", "2.0000", "50.0"]);
        let json = serde_json::to_value(&usage).unwrap();
        assert_eq!(json[1]["phase"], "learn");
        assert_eq!(json[1]["rows_per_second"], 2000.0);
        assert_eq!(json[0]["rows_per_second"], serde_json::Value::Null);
    }
}
