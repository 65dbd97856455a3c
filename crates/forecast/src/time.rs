//! Points of time: whole numbers, or dates with a time of day on a naive calendar without zones.

use jiff::SignedDuration;
use jiff::civil::{DateTime, date};
use std::fmt;

/// A point on the time axis of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Time {
    /// A count.
    Integer(i64),
    /// A date and time of day, in whole seconds.
    Calendar(DateTime),
}

impl Time {
    /// Reads `2024-01-31`, `2024-01-31 13:00`, `2024-01-31T13:00:00` or a whole number.
    ///
    /// Zones and fractions of a second are refused rather than dropped.
    pub fn parse(text: &str) -> Option<Time> {
        let text = text.trim();
        match text.parse() {
            Ok(count) => Some(Time::Integer(count)),
            Err(_) => whimbrel_data::time::parse(text.as_bytes()).and_then(Time::from_micros),
        }
    }

    /// The date and time of day so many microseconds after the first moment of 1970; none for
    /// fractions of a second and beyond the calendar.
    pub(crate) fn from_micros(micros: i64) -> Option<Time> {
        const MICROS: i64 = 1_000_000;
        let since_1970 = SignedDuration::from_secs(micros.div_euclid(MICROS));
        let time = date(1970, 1, 1).at(0, 0, 0, 0).checked_add(since_1970).ok()?;
        (micros % MICROS == 0).then_some(Time::Calendar(time))
    }

    /// What times of this kind are called.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Time::Integer(_) => "whole numbers",
            Time::Calendar(_) => "dates",
        }
    }

    /// Whether it is a time of day other than midnight.
    pub(crate) fn has_clock(self) -> bool {
        matches!(self, Time::Calendar(at) if at.time() != jiff::civil::Time::midnight())
    }

    /// The time as text, with the time of day if `clock`.
    pub(crate) fn to_text(self, clock: bool) -> String {
        match self {
            Time::Integer(n) => n.to_string(),
            Time::Calendar(at) if clock => format!("{} {}", at.date(), at.time()),
            Time::Calendar(at) => at.date().to_string(),
        }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.to_text(self.has_clock()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_clocks_and_numbers_are_read_and_written_back() {
        for text in ["1949-01-31", "2024-02-29 13:05:00", "-12", "0", "9223372036854775807"] {
            assert_eq!(Time::parse(text).map(|t| t.to_string()).as_deref(), Some(text));
        }
        let at = Time::parse("2024-02-29 13:00:00");
        for same in ["2024-02-29T13:00:00", "2024-02-29 13:00", " 2024-02-29 13:00:00.000 "] {
            assert_eq!(Time::parse(same), at, "{same}");
        }
        assert_eq!(Time::parse("+7"), Some(Time::Integer(7)));
        assert_eq!(Time::parse("2024-01-01").unwrap().to_text(true), "2024-01-01 00:00:00");
    }

    #[test]
    fn what_would_be_misread_is_refused() {
        for text in [
            "",
            "-",
            "2023-02-29",
            "2024-13-01",
            "01/02/2024",
            "2024-1-1",
            "2024-01-01 25:00",
            "2024-01-01T00:00:00Z",
            "2024-01-01 00:00:00-04:00",
            "2024-01-01 00:00:00+02:00",
            "2024-01-01T00:00[UTC]",
            "2024-01-01 00:00:00.5",
            "1.5",
            "99999999999999999999",
            "2024-01-0é",
            "yesterday",
        ] {
            assert_eq!(Time::parse(text), None, "{text}");
        }
    }
}
