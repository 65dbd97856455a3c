//! The step of a time axis: found from the data or named by the user, and followed into the future.
//!
//! Months are their own kind, since they differ in length; all else is a number of seconds.

use crate::{ForecastError, Time};
use jiff::SignedDuration;
use jiff::civil::{Date, DateTime};
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

/// From one time of a series to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frequency {
    /// A difference of whole numbers.
    Integer(i64),
    /// So many months, always on the same day of the month.
    Months {
        /// How many, at least 1.
        count: i64,
        /// On which day.
        day: MonthDay,
    },
    /// So many seconds, at least 1; a day has 86,400 and a week seven days.
    Seconds(i64),
}

/// A day of every month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MonthDay {
    /// The first.
    First,
    /// The last, whichever that is.
    Last,
    /// The second to the thirtieth, or the last where a month has fewer.
    Day(i8),
}

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const WEEK: i64 = 7 * DAY;

/// Units by their names.
const UNITS: [(&str, Frequency); 17] = [
    ("s", Frequency::Seconds(1)),
    ("min", Frequency::Seconds(MINUTE)),
    ("T", Frequency::Seconds(MINUTE)),
    ("h", Frequency::Seconds(HOUR)),
    ("H", Frequency::Seconds(HOUR)),
    ("D", Frequency::Seconds(DAY)),
    ("d", Frequency::Seconds(DAY)),
    ("W", Frequency::Seconds(WEEK)),
    ("MS", Frequency::Months { count: 1, day: MonthDay::First }),
    ("ME", Frequency::Months { count: 1, day: MonthDay::Last }),
    ("M", Frequency::Months { count: 1, day: MonthDay::Last }),
    ("QS", Frequency::Months { count: 3, day: MonthDay::First }),
    ("QE", Frequency::Months { count: 3, day: MonthDay::Last }),
    ("Q", Frequency::Months { count: 3, day: MonthDay::Last }),
    ("YS", Frequency::Months { count: 12, day: MonthDay::First }),
    ("YE", Frequency::Months { count: 12, day: MonthDay::Last }),
    ("Y", Frequency::Months { count: 12, day: MonthDay::Last }),
];

impl Frequency {
    /// The time `steps` after `from`; none beyond the calendar or on another kind of time axis.
    pub fn after(self, from: Time, steps: i64) -> Option<Time> {
        match (self, from) {
            (Frequency::Integer(step), Time::Integer(n)) => {
                n.checked_add(step.checked_mul(steps)?).map(Time::Integer)
            }
            (Frequency::Seconds(step), Time::Calendar(at)) => {
                let ahead = SignedDuration::from_secs(step.checked_mul(steps)?);
                at.checked_add(ahead).ok().map(Time::Calendar)
            }
            (Frequency::Months { count, day }, Time::Calendar(at)) => {
                let month = month_number(at.date()).checked_add(count.checked_mul(steps)?)?;
                let year = i16::try_from(month.div_euclid(12)).ok()?;
                let first = Date::new(year, (month.rem_euclid(12) + 1) as i8, 1).ok()?;
                let date = Date::new(year, first.month(), day.of(first)).ok()?;
                Some(Time::Calendar(DateTime::from_parts(date, at.time())))
            }
            _ => None,
        }
    }

    /// The step most common between neighbours, the smallest of those if several are; none if no
    /// series has two times. Each series is in order and without duplicates.
    pub(crate) fn detect<'a>(
        series: impl Iterator<Item = &'a [Time]> + Clone,
    ) -> Option<Frequency> {
        let first = series.clone().flatten().next().copied();
        let month_day = MonthDay::detect(series.clone().flatten().copied());
        let mut counts: HashMap<i64, u64> = HashMap::new();
        let neighbours = series.flat_map(|times| times.windows(2));
        for pair in neighbours {
            let step = match (pair[0], pair[1]) {
                (Time::Integer(a), Time::Integer(b)) => b.checked_sub(a),
                (Time::Calendar(a), Time::Calendar(b)) if month_day.is_some() => {
                    Some(month_number(b.date()) - month_number(a.date()))
                }
                (Time::Calendar(a), Time::Calendar(b)) => Some(b.duration_since(a).as_secs()),
                _ => None,
            };
            *counts.entry(step.filter(|&s| s > 0)?).or_default() += 1;
        }
        let unit = match (first?, month_day) {
            (Time::Integer(_), _) => Frequency::Integer(1),
            (Time::Calendar(_), Some(day)) => Frequency::Months { count: 1, day },
            (Time::Calendar(_), None) => Frequency::Seconds(1),
        };
        let most = counts.into_iter().max_by_key(|&(step, count)| (count, -step));
        most.and_then(|(step, _)| unit.times(step))
    }

    /// The step taken `n` times; none where that overflows.
    fn times(self, n: i64) -> Option<Frequency> {
        Some(match self {
            Frequency::Integer(step) => Frequency::Integer(step.checked_mul(n)?),
            Frequency::Seconds(step) => Frequency::Seconds(step.checked_mul(n)?),
            Frequency::Months { count, day } => {
                Frequency::Months { count: count.checked_mul(n)?, day }
            }
        })
    }

    /// Whether it steps along such a time axis.
    pub(crate) fn fits(self, time: Time) -> bool {
        matches!(self, Frequency::Integer(_)) == matches!(time, Time::Integer(_))
    }

    /// Whether times at this step need a time of day.
    pub(crate) fn has_clock(self) -> bool {
        matches!(self, Frequency::Seconds(step) if step % DAY != 0)
    }

    /// Steps in the usual season: the months of a year, the weeks of a year, the days of a week, the
    /// hours of a day and the like; 1 where there is none.
    pub fn season_length(self) -> usize {
        let parts = |whole: i64, step: i64| if whole % step == 0 { whole / step } else { 1 };
        let season = match self {
            Frequency::Integer(_) => 1,
            Frequency::Months { count, .. } => parts(12, count),
            Frequency::Seconds(WEEK) => 52,
            Frequency::Seconds(step) if step % DAY == 0 => parts(WEEK, step),
            Frequency::Seconds(step) if step < MINUTE => parts(HOUR, step),
            Frequency::Seconds(step) => parts(DAY, step),
        };
        season as usize
    }
}

impl MonthDay {
    /// The day all times share, at one time of day; none if they do not.
    fn detect(times: impl Iterator<Item = Time> + Clone) -> Option<MonthDay> {
        let dates = times.map(|time| match time {
            Time::Calendar(at) => Some(at),
            Time::Integer(_) => None,
        });
        let latest = dates.clone().flatten().map(|at| at.day()).max()?;
        let clock = dates.clone().flatten().next()?.time();
        let shared = |day: MonthDay| {
            let mut dates = dates.clone();
            dates.all(|at| at.is_some_and(|at| at.time() == clock && at.day() == day.of(at.date())))
        };
        let one = if latest == 1 { MonthDay::First } else { MonthDay::Day(latest) };
        [MonthDay::Last, one].into_iter().find(|&day| shared(day))
    }

    /// Its number in the month of `date`.
    fn of(self, date: Date) -> i8 {
        match self {
            MonthDay::First => 1,
            MonthDay::Last => date.days_in_month(),
            MonthDay::Day(day) => day.min(date.days_in_month()),
        }
    }
}

/// Months since year 0.
fn month_number(date: Date) -> i64 {
    i64::from(date.year()) * 12 + i64::from(date.month()) - 1
}

impl FromStr for Frequency {
    type Err = ForecastError;

    /// Reads `D`, `15min`, `MS`, `2h`, or a whole number for integer times.
    fn from_str(text: &str) -> Result<Frequency, ForecastError> {
        let unknown = || ForecastError::FrequencyName { text: text.into() };
        let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (count, unit) = text.split_at(at);
        let count = if count.is_empty() { 1 } else { count.parse().map_err(|_| unknown())? };
        let found = match unit {
            "" if !text.is_empty() => Some(Frequency::Integer(1)),
            _ => UNITS.iter().find(|(name, _)| *name == unit).map(|(_, unit)| *unit),
        };
        found.filter(|_| count > 0).and_then(|unit| unit.times(count)).ok_or_else(unknown)
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (size, units): (i64, &[(i64, &str)]) = match *self {
            Frequency::Integer(step) => return write!(f, "{step}"),
            Frequency::Seconds(step) => {
                (step, &[(WEEK, "W"), (DAY, "D"), (HOUR, "h"), (MINUTE, "min"), (1, "s")])
            }
            Frequency::Months { count, day: MonthDay::First } => {
                (count, &[(12, "YS"), (3, "QS"), (1, "MS")])
            }
            Frequency::Months { count, day: MonthDay::Last } => {
                (count, &[(12, "YE"), (3, "QE"), (1, "ME")])
            }
            Frequency::Months { count, day: MonthDay::Day(day) } => {
                return write!(f, "{count} months, day {day}");
            }
        };
        let unit = units.iter().find(|(unit, _)| size % unit == 0).unwrap_or(&(1, ""));
        match size / unit.0 {
            1 => f.write_str(unit.1),
            n => write!(f, "{n}{}", unit.1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn times(text: &[&str]) -> Vec<Time> {
        text.iter().map(|t| Time::parse(t).unwrap()).collect()
    }

    fn detected(text: &[&str]) -> Option<String> {
        Frequency::detect([&times(text)[..]].into_iter()).map(|f| f.to_string())
    }

    #[test]
    fn the_step_is_found_from_the_differences() {
        for (text, expected) in [
            (&["1949-01-31", "1949-02-28", "1949-03-31"][..], "ME"),
            (&["2024-01-01", "2024-02-01", "2024-03-01"], "MS"),
            (&["2024-01-15", "2024-02-15"], "1 months, day 15"),
            (&["2024-01-30", "2024-02-29", "2024-03-30"], "1 months, day 30"),
            (&["2023-03-31", "2023-06-30", "2023-09-30"], "QE"),
            (&["2023-01-01", "2024-01-01"], "YS"),
            (&["2024-01-01", "2024-01-08"], "W"),
            (&["2024-02-28", "2024-02-29", "2024-03-01"], "D"),
            (&["2024-01-01 23:00", "2024-01-02 00:00"], "h"),
            (&["2024-01-01 00:00", "2024-01-01 00:15"], "15min"),
            (&["2024-01-01 00:00:01", "2024-01-01 00:00:03"], "2s"),
            (&["7", "9", "11"], "2"),
            (&["1", "2", "3", "7", "11"], "1"),
        ] {
            assert_eq!(detected(text).as_deref(), Some(expected), "{text:?}");
        }
        assert_eq!(detected(&["2024-01-01"]), None);
        assert_eq!(detected(&[]), None);
        assert_eq!(detected(&["-9223372036854775808", "9223372036854775807"]), None);
    }

    #[test]
    fn month_ends_stay_month_ends() {
        let frequency: Frequency = "ME".parse().unwrap();
        let start = Time::parse("2023-11-30").unwrap();
        let ahead: Vec<_> =
            (1..=4).map(|k| frequency.after(start, k).unwrap().to_string()).collect();
        assert_eq!(ahead, ["2023-12-31", "2024-01-31", "2024-02-29", "2024-03-31"]);
    }

    #[test]
    fn names_are_read_and_written_back() {
        for (unit, _) in UNITS {
            for text in [unit.to_string(), format!("3{unit}")] {
                let frequency: Frequency = text.parse().unwrap();
                assert_eq!(frequency, frequency.to_string().parse().unwrap(), "{text}");
            }
        }
        assert_eq!("12".parse::<Frequency>().unwrap(), Frequency::Integer(12));
        for bad in [
            "",
            "0",
            "0D",
            "-1",
            "fortnight",
            "1.5h",
            "9223372036854775807W",
            "99999999999999999999",
        ] {
            assert!(bad.parse::<Frequency>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_calendar_ends_without_a_panic() {
        let last = Time::parse("9999-12-31").unwrap();
        for name in ["s", "D", "MS", "YE"] {
            let frequency: Frequency = name.parse().unwrap();
            for steps in [86_400, i64::MAX] {
                assert_eq!(frequency.after(last, steps), None, "{name}");
            }
        }
        assert_eq!(Frequency::Integer(1).after(Time::Integer(i64::MAX), 1), None);
        assert_eq!(Frequency::Integer(1).after(last, 1), None);
    }

    #[test]
    fn seasons_are_the_usual_ones() {
        let season = |name: &str| name.parse::<Frequency>().unwrap().season_length();
        for (name, expected) in [
            ("MS", 12),
            ("QE", 4),
            ("Y", 1),
            ("5MS", 1),
            ("W", 52),
            ("2W", 1),
            ("D", 7),
            ("h", 24),
            ("15min", 96),
            ("s", 3600),
            ("1", 1),
        ] {
            assert_eq!(season(name), expected, "{name}");
        }
    }

    proptest! {
        #[test]
        fn an_axis_made_at_a_step_is_detected_and_followed(
            start in -50_000i64..50_000,
            unit in 0..UNITS.len(),
            count in 1i64..40,
        ) {
            let frequency = UNITS[unit].1.times(count).unwrap();
            let epoch = Time::parse("1970-01-31 00:00:00").unwrap();
            let start = Frequency::Seconds(DAY).after(epoch, start / 10).unwrap();
            let start = frequency.after(start, 1).unwrap();
            let axis: Vec<_> = (0..20).map(|k| frequency.after(start, k).unwrap()).collect();
            let found = Frequency::detect([&axis[..]].into_iter()).unwrap();
            for k in 0..40 {
                prop_assert_eq!(found.after(start, k), frequency.after(start, k));
            }
            prop_assert!(axis.is_sorted());
        }

        #[test]
        fn any_text_is_a_frequency_or_refused(text in ".{0,12}") {
            if let Ok(frequency) = text.parse::<Frequency>() {
                prop_assert!(frequency.season_length() >= 1);
            }
            if let Some(time) = Time::parse(&text) {
                prop_assert_eq!(Time::parse(&time.to_string()), Some(time));
            }
        }
    }
}
