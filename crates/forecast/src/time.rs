//! Points of time: whole numbers, or dates with a time of day on a naive calendar without zones.
//!
//! Zones matter only where times are read and written. `column` says what becomes of them, `spelling` reads
//! a field, `digits` finds dates among whole numbers, `clock` says how times are written, `written` is one of a message.

mod clock;
mod column;
mod digits;
mod order;
mod spelling;
mod written;

pub(crate) use clock::{Clock, Zone};
pub(crate) use column::{Fault, Moments, moments};
pub(crate) use digits::{dates, days};
pub use order::DateOrder;
pub use written::WrittenTime;

use jiff::SignedDuration;
use jiff::civil::{DateTime, date};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Microseconds of a day.
pub(crate) const DAY_MICROS: i64 = 86_400_000_000;

/// A point on the time axis of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Time {
    /// A count.
    Integer(i64),
    /// A date and time of day, in whole seconds.
    Calendar(DateTime),
}

impl From<Time> for String {
    fn from(time: Time) -> String {
        time.to_text(Clock { shown: true, zone: None })
    }
}

impl TryFrom<String> for Time {
    type Error = String;

    fn try_from(text: String) -> Result<Time, String> {
        Time::parse(&text).ok_or_else(|| format!("\"{text}\" is not a time"))
    }
}

impl Time {
    /// Reads a whole number, or a date: `2024-01-31`, `2024/1/31`, `31.01.2024`, `31-Jan-2024`,
    /// `January 31, 2024`; `2024-01`, `Jan 2024` and `2024Q1` for their first day; after a whole date a
    /// time of day, `13:00` or `13:00:00`, with or without a zone, `Z` or `+02:00`, which brings it to UTC.
    ///
    /// Dates like `01/02/2024` are refused, since people do not agree which is the month, and so are
    /// fractions of a second.
    pub fn parse(text: &str) -> Option<Time> {
        let read = column::moments(&[text].into_iter().collect(), None, false).ok()?;
        let tick = *read.ticks.first()?;
        if read.calendar { Time::from_micros(tick) } else { Some(Time::Integer(tick)) }
    }

    /// The date and time of day so many microseconds after the first moment of 1970; none for
    /// fractions of a second and beyond the calendar.
    pub(crate) fn from_micros(micros: i64) -> Option<Time> {
        const MICROS: i64 = 1_000_000;
        let since_1970 = SignedDuration::from_secs(micros.div_euclid(MICROS));
        let time = date(1970, 1, 1).at(0, 0, 0, 0).checked_add(since_1970).ok()?;
        (micros % MICROS == 0).then_some(Time::Calendar(time))
    }

    /// The count, or the microseconds since the first moment of 1970.
    pub(crate) fn ticks(self) -> i64 {
        match self {
            Time::Integer(count) => count,
            Time::Calendar(at) => {
                let since_1970 = at.duration_since(date(1970, 1, 1).at(0, 0, 0, 0));
                since_1970.as_secs() * 1_000_000
            }
        }
    }

    /// The time so many microseconds later; itself where it is a count, or where the calendar ends.
    pub(crate) fn shifted(self, micros: i64) -> Time {
        match self {
            Time::Integer(_) => self,
            Time::Calendar(_) => Time::from_micros(self.ticks() + micros).unwrap_or(self),
        }
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

    /// The time as text, with the time of day and its zone if `clock` says so.
    pub(crate) fn to_text(self, clock: Clock) -> String {
        match (self, clock) {
            (Time::Integer(n), _) => n.to_string(),
            (Time::Calendar(at), Clock { shown: false, .. }) => at.date().to_string(),
            (Time::Calendar(_), Clock { zone: Some(zone), .. }) => {
                let local = self.shifted(zone.ahead_micros());
                format!("{}{zone}", local.to_text(Clock { zone: None, ..clock }))
            }
            (Time::Calendar(at), _) => format!("{} {}", at.date(), at.time()),
        }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.to_text(Clock { shown: self.has_clock(), zone: None }))
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
        let (day, west) = (Time::parse("2024-01-01").unwrap(), Zone { ahead_seconds: -9000 });
        let text = |zone| day.to_text(Clock { shown: true, zone });
        assert_eq!(text(None), "2024-01-01 00:00:00");
        assert_eq!(text(Some(west)), "2023-12-31 21:30:00-02:30");
    }

    #[test]
    fn usual_spellings_are_read() {
        for (day, spellings) in [
            ("2024-01-05", &["2024/01/05", "2024-1-5", "2024/1/5", "05.01.2024", "5.1.2024"][..]),
            ("2024-04-01", &["2024-04", "2024/4", "2024Q2", "2024-Q2", "2024q2"]),
            ("2024-01-05 13:00:00", &["2024/1/5 13:00", "05.01.2024 13:00:00", "2024-01-05T13"]),
            ("2024-01-05 01:00:00", &["2024-01-05 1:00", "2024/1/5 1:00:00", "2024-01-05T01Z"]),
            ("2024-01-05", &["5-Jan-2024", "05 Jan 2024", "January 5, 2024", "jan 5 2024"]),
            ("2024-09-01", &["Sep 2024", "SEP-2024", "September 2024", "1-sep-2024"]),
            ("2024-10-31 13:00:00", &["31-Oct-2024 13:00", "October 31, 2024 15:00+02:00"]),
            ("2024-01-31", &["31/01/2024", "1/31/2024", "2024-01-31 00:00:00.000000000"]),
        ] {
            for text in spellings {
                assert_eq!(
                    Time::parse(text).map(|t| t.to_string()).as_deref(),
                    Some(day),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn a_zone_brings_a_time_to_utc() {
        for (text, utc) in [
            ("2024-01-01T00:00:00Z", "2024-01-01"),
            ("2024-07-01 02:00:00+02:00", "2024-07-01"),
            ("2024-07-01 02:00 +0200", "2024-07-01"),
            ("2023-12-31 20:00:00-04", "2024-01-01"),
            ("2024-01-01 05:30+05:30", "2024-01-01"),
        ] {
            assert_eq!(Time::parse(text).map(|t| t.to_string()).as_deref(), Some(utc), "{text}");
        }
    }

    #[test]
    fn what_would_be_misread_is_refused() {
        for text in [
            "",
            "-",
            "2023-02-29",
            "2024-13-01",
            "01/02/2024",
            "2024-01-01 25:00",
            "2024-01 13:00",
            "2024.1",
            "2024Q5",
            "2024Q",
            "Q1",
            "1.2.24",
            "2024-1-1-1",
            "2024-01-01Z",
            "2024-01-01 Z",
            "2024-01-01 +02:00",
            "2024-01-01 00:00+2",
            "2024-01-01 00:00+25:00",
            "2024-01-01 00:00+é",
            "0000-01-01 00:00+99",
            "2024-01-01T00:00[UTC]",
            "2024-01-01 00:00:00.5",
            "2024-01-01 00:00:00.000000001",
            "2024-01-01 13",
            "2024-01-01T1",
            "2024-01-01T24",
            "Jan 2024 13:00",
            "Jan/2024",
            "31-Jan-24",
            "32-Jan-2024",
            "31 Janu 2024",
            "January, 2024",
            "30/30/2024",
            "31/1/24",
            "Jané 2024",
            "Jan 202é",
            "1.5",
            "99999999999999999999",
            "2024-01-0é",
            "yesterday",
        ] {
            assert_eq!(Time::parse(text), None, "{text}");
        }
    }
}
