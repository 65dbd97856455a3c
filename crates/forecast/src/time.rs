//! Points of time: whole numbers, or dates with a time of day on a naive calendar without zones.
//!
//! A zone matters only while a time is read: `2024-07-01T02:00+02:00` is midnight of that day, in UTC. So a
//! change to daylight saving time is no gap and no repetition in times that carry their zone; times that
//! carry none are taken as they are.

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, date};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::RangeInclusive;

/// Years of dates that are written as one number.
const YEARS: RangeInclusive<i16> = 1800..=2200;

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
        time.to_text(true)
    }
}

impl TryFrom<String> for Time {
    type Error = String;

    fn try_from(text: String) -> Result<Time, String> {
        Time::parse(&text).ok_or_else(|| format!("\"{text}\" is not a time"))
    }
}

impl Time {
    /// Reads a whole number, or a date: `2024-01-31`, `2024/1/31`, `31.01.2024`, `2024-01` and `2024Q1`
    /// for their first day; after a whole date a time of day, `13:00` or `13:00:00`, with or without a
    /// zone, `Z` or `+02:00`.
    ///
    /// Dates like `01/02/2024` are refused, since people do not agree which is the month, and so are
    /// fractions of a second.
    pub fn parse(text: &str) -> Option<Time> {
        Time::parse_zoned(text).map(|(time, _)| time)
    }

    /// Reads a time, and says whether it had a zone.
    pub(crate) fn parse_zoned(text: &str) -> Option<(Time, bool)> {
        let text = text.trim();
        if let Ok(count) = text.parse() {
            return Some((Time::Integer(count), false));
        }
        if let Some(micros) = whimbrel_data::time::parse(text.as_bytes()) {
            return Time::from_micros(micros).map(|time| (time, false));
        }
        let (day, clock) = text.split_at(text.find([' ', 'T']).unwrap_or(text.len()));
        let (clock, ahead_seconds) = split_zone(clock)?;
        let spelled = format!("{}{clock}", dashed(day, clock.is_empty())?);
        let local = Time::from_micros(whimbrel_data::time::parse(spelled.as_bytes())?)?;
        let Time::Calendar(at) = local else { return None };
        let ahead = SignedDuration::from_secs(ahead_seconds.unwrap_or(0));
        Some((Time::Calendar(at.checked_sub(ahead).ok()?), ahead_seconds.is_some()))
    }

    /// The date that a number spells, such as 20240131; none where it is no day of the years people have
    /// data of.
    pub(crate) fn from_digits(number: i64) -> Option<Time> {
        let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
        let year = i16::try_from(year).ok().filter(|year| YEARS.contains(year))?;
        let date = Date::new(year, month as i8, day as i8).ok()?;
        Some(Time::Calendar(date.at(0, 0, 0, 0)))
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

/// A day as `2024-01-31`; one without a day of the month only where no time of day follows.
fn dashed(day: &str, alone: bool) -> Option<String> {
    let separator = day.chars().find(|c| matches!(c, '-' | '/' | '.'));
    let parts: Vec<&str> = match (separator, day.split_once(['Q', 'q'])) {
        (_, Some((year, quarter))) => {
            let year = year.strip_suffix('-').unwrap_or(year);
            let first = ["1", "4", "7", "10"];
            let quarter: usize = quarter.parse().ok()?;
            vec![year, first.get(quarter.checked_sub(1)?)?]
        }
        (Some(separator), None) => day.split(separator).collect(),
        (None, None) => return None,
    };
    let digits = |text: &str, most| {
        (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
    };
    let (year, month, day) = match parts[..] {
        [year, month, day] if year.len() == 4 => (year, month, day),
        [day, month, year] if separator == Some('.') => (year, month, day),
        [year, month] if separator != Some('.') && alone => (year, month, "1"),
        _ => return None,
    };
    let whole = year.len() == 4 && digits(year, 4) && digits(month, 2) && digits(day, 2);
    whole.then(|| format!("{year}-{month:0>2}-{day:0>2}"))
}

/// The time of day without its zone, and how many seconds that is ahead of UTC.
fn split_zone(clock: &str) -> Option<(&str, Option<i64>)> {
    if let Some(clock) = clock.strip_suffix(['Z', 'z']) {
        return (!clock.is_empty()).then_some((clock, Some(0)));
    }
    let Some(at) = clock.find(['+', '-']) else { return Some((clock, None)) };
    let (clock, zone) = clock.split_at(at);
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let digits: String = zone[1..].chars().filter(|&c| c != ':').collect();
    let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok());
    let (hours, minutes): (i64, i64) = match digits.len() {
        2 => (number(&digits)??, 0),
        4 => (number(digits.get(..2)?)??, number(digits.get(2..)?)??),
        _ => return None,
    };
    let clock = clock.trim_end();
    let sensible = hours < 24 && minutes < 60 && !clock.is_empty();
    sensible.then_some((clock, Some(sign * (hours * 60 + minutes) * 60)))
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
    fn usual_spellings_are_read() {
        for (day, spellings) in [
            ("2024-01-05", &["2024/01/05", "2024-1-5", "2024/1/5", "05.01.2024", "5.1.2024"][..]),
            ("2024-04-01", &["2024-04", "2024/4", "2024Q2", "2024-Q2", "2024q2"]),
            ("2024-01-05 13:00:00", &["2024/1/5 13:00", "05.01.2024 13:00:00"]),
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
    fn a_number_of_eight_digits_may_spell_a_date() {
        let date = |number| Time::from_digits(number).map(|time| time.to_string());
        assert_eq!(date(20240229).as_deref(), Some("2024-02-29"));
        for number in [20230229, 20241301, 20240100, 17991231, 22010101, 2024, -20240101, i64::MAX]
        {
            assert_eq!(date(number), None, "{number}");
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
            let (time, zoned) = Time::parse_zoned(text).unwrap();
            assert_eq!((time.to_string().as_str(), zoned), (utc, true), "{text}");
        }
        assert_eq!(Time::parse_zoned("2024-01-01 00:00").map(|(_, zoned)| zoned), Some(false));
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
            "1.5",
            "99999999999999999999",
            "2024-01-0é",
            "yesterday",
        ] {
            assert_eq!(Time::parse(text), None, "{text}");
        }
    }
}
