//! How people write a date and a time of day.

use super::Time;
use super::clock::Zone;
use whimbrel_data::time;

const HOUR_MICROS: i64 = 3_600_000_000;

/// English names of the months.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A date and a time of day, as far as one field tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spelled {
    pub(super) date: Date,
    /// Microseconds since midnight, whole seconds; 0 where the date has them.
    pub(super) clock: i64,
    pub(super) zone: Option<Zone>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Date {
    /// Microseconds since 1970.
    Known(i64),
    /// Two numbers, one of them the month, and the year, with slashes or hyphens between.
    Slashed([i8; 2], i16),
}

/// Reads a date, with or without a time of day and a zone; none for fractions of a second.
pub(super) fn spelled(text: &str) -> Option<Spelled> {
    let read = usual(text).or_else(|| {
        let (day, clock) = match named(text) {
            Some(parts) => parts,
            None => text.split_at(text.find([' ', 'T']).unwrap_or(text.len())),
        };
        let date = date(day, clock.is_empty())?;
        let (clock, zone) = if clock.is_empty() { (0, None) } else { time_of_day(clock)? };
        Some(Spelled { date, clock, zone })
    })?;
    let moment = if let Date::Known(at) = read.date { at + read.clock } else { read.clock };
    (moment % 1_000_000 == 0).then_some(read)
}

/// Reads `2024-01-31T13:00:00+01:00`, what most programs write, without copying it.
fn usual(text: &str) -> Option<Spelled> {
    if let Some(at) = time::parse(text.as_bytes()) {
        return Some(Spelled { date: Date::Known(at), clock: 0, zone: None });
    }
    let (day, clock) = text.split_at_checked(10)?;
    let day = time::parse(day.as_bytes())?;
    let (clock, zone) = time_of_day(clock)?;
    Some(Spelled { date: Date::Known(day), clock, zone })
}

/// A time of day with the blank or the T before it.
fn time_of_day(text: &str) -> Option<(i64, Option<Zone>)> {
    if let Some((clock, afternoon)) = split_half(text) {
        let since_midnight = time::clock(clock.as_bytes())?;
        let hour = since_midnight / HOUR_MICROS;
        let since_noon = since_midnight - if hour == 12 { 12 * HOUR_MICROS } else { 0 };
        let half = if afternoon { 12 * HOUR_MICROS } else { 0 };
        return (1..=12).contains(&hour).then_some((since_noon + half, None));
    }
    let (clock, zone) = split_zone(text)?;
    Some((time::clock(clock.as_bytes())?, zone))
}

/// A time of day of twelve hours, and whether it is one after noon.
fn split_half(clock: &str) -> Option<(&str, bool)> {
    let (clock, half) = clock.split_at_checked(clock.len().checked_sub(2)?)?;
    let afternoon = half.eq_ignore_ascii_case("pm");
    (afternoon || half.eq_ignore_ascii_case("am")).then_some((clock.trim_end(), afternoon))
}

/// The date, and what follows it, of one that names its month: `31-Jan-2024`, `January 31, 2024`,
/// `Jan 2024`.
fn named(text: &str) -> Option<(&str, &str)> {
    let start = text.find(|c: char| c.is_ascii_alphabetic())?;
    let name = text[start..].find(|c: char| !c.is_ascii_alphabetic())?;
    month_of(&text[start..start + name])?;
    let rest = &text[start + name..];
    let end = rest.match_indices(|c: char| c.is_ascii_digit()).find_map(|(at, _)| {
        let year = rest.get(at..at + 4)?;
        year.bytes().all(|b| b.is_ascii_digit()).then_some(start + name + at + 4)
    })?;
    text.split_at_checked(end)
}

/// The number of a month with an English name, whole or its first three letters.
fn month_of(name: &str) -> Option<i8> {
    let same = |month: &&str| [*month, &month[..3]].iter().any(|m| name.eq_ignore_ascii_case(m));
    MONTHS.iter().position(same).map(|at| at as i8 + 1)
}

/// A date; one without a day of the month only where it stands alone.
fn date(text: &str, alone: bool) -> Option<Date> {
    let number = |text: &str, most: usize| -> Option<i16> {
        let digits = (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        if digits { text.parse().ok() } else { None }
    };
    let year_of = |text: &str| number(text, 4).filter(|_| text.len() == 4);
    let of = |year, month: i8, day: i8| {
        let date = jiff::civil::Date::new(year, month, day).ok()?;
        Some(Date::Known(Time::Calendar(date.at(0, 0, 0, 0)).ticks()))
    };
    let small = |text: &str| number(text, 2).map(|number| number as i8);
    if let Some((year, quarter)) = text.split_once(['Q', 'q']) {
        let quarter = number(quarter, 1).filter(|quarter| alone && (1..=4).contains(quarter))?;
        return of(year_of(year.strip_suffix('-').unwrap_or(year))?, quarter as i8 * 3 - 2, 1);
    }
    let separator = text.chars().find(|c| matches!(c, '-' | '/' | '.' | ' '))?;
    let parts: Vec<&str> = text.splitn(4, separator).collect();
    match (separator, &parts[..]) {
        (' ' | '-', &[day, name, year]) if month_of(name).is_some() => {
            of(year_of(year)?, month_of(name)?, small(day)?)
        }
        (' ', &[name, day, year]) => {
            of(year_of(year)?, month_of(name)?, small(day.strip_suffix(',').unwrap_or(day))?)
        }
        (' ' | '-', &[name, year]) if alone && month_of(name).is_some() => {
            of(year_of(year)?, month_of(name)?, 1)
        }
        ('-' | '/' | '.', &[year, month, day]) if year.len() == 4 => {
            of(year_of(year)?, small(month)?, small(day)?)
        }
        ('.', &[day, month, year]) => of(year_of(year)?, small(month)?, small(day)?),
        ('/' | '-', &[first, second, year]) => {
            Some(Date::Slashed([small(first)?, small(second)?], year_of(year)?))
        }
        ('-' | '/', &[year, month]) if alone => of(year_of(year)?, small(month)?, 1),
        _ => None,
    }
}

/// The time of day without its zone, and that.
fn split_zone(clock: &str) -> Option<(&str, Option<Zone>)> {
    let some = |clock: &str| clock.bytes().any(|b| b.is_ascii_digit());
    if let Some(clock) = clock.strip_suffix(" UTC").or_else(|| clock.strip_suffix(['Z', 'z'])) {
        return some(clock).then_some((clock, Some(Zone::UTC)));
    }
    let Some(at) = clock.find(['+', '-']) else { return Some((clock, None)) };
    let (clock, zone) = clock.split_at(at);
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let number = |text: &str| -> Option<i32> {
        let digits = text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
        if digits { text.parse().ok() } else { None }
    };
    let zone = &zone[1..];
    let (hours, minutes) = match zone.split_once(':') {
        Some((hours, minutes)) => (number(hours)?, number(minutes)?),
        None if zone.len() == 4 => (number(zone.get(..2)?)?, number(zone.get(2..)?)?),
        None => (number(zone)?, 0),
    };
    let sensible = hours < 24 && minutes < 60 && some(clock);
    let ahead_seconds = sign * (hours * 60 + minutes) * 60;
    sensible.then_some((clock.trim_end(), Some(Zone { ahead_seconds })))
}
