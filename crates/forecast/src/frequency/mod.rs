//! The step of a time axis: found from the data or named by the user, and followed into the future.
//!
//! Months are their own kind, since they differ in length, and so are working days; all else is a number
//! of seconds. `names` reads and writes steps, `detect` finds them.

mod detect;
mod names;

use crate::Time;
use jiff::civil::{Date, DateTime};

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
    /// So many days from Monday to Friday, at least 1.
    WorkingDays(i64),
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
    /// Whichever the data have. Panels know theirs.
    Any,
}

/// Microseconds of a second.
const MICROS: i64 = 1_000_000;
const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const WEEK: i64 = 7 * DAY;

impl Frequency {
    /// The time `steps` after `from`; none beyond the calendar, from a time that the axis does not have
    /// or on another kind of time axis.
    pub fn after(self, from: Time, steps: i64) -> Option<Time> {
        match (self, from) {
            (Frequency::Integer(step), Time::Integer(n)) => {
                n.checked_add(step.checked_mul(steps)?).map(Time::Integer)
            }
            (Frequency::Seconds(step), Time::Calendar(at)) => {
                let ahead = step.checked_mul(steps)?.checked_mul(MICROS)?;
                Time::from_micros(Time::Calendar(at).ticks().checked_add(ahead)?)
            }
            (Frequency::Months { count, day }, Time::Calendar(at)) => {
                let month = month_number(at.date()).checked_add(count.checked_mul(steps)?)?;
                let year = i16::try_from(month.div_euclid(12)).ok()?;
                let first = Date::new(year, (month.rem_euclid(12) + 1) as i8, 1).ok()?;
                let day = if day == MonthDay::Any { MonthDay::Day(at.day()) } else { day };
                let date = Date::new(year, first.month(), day.of(first)).ok()?;
                Some(Time::Calendar(DateTime::from_parts(date, at.time())))
            }
            (Frequency::WorkingDays(step), Time::Calendar(at)) => {
                let working = working_day(at.date())?;
                let ahead = working.checked_add(step.checked_mul(steps)?)?;
                let days = ahead.div_euclid(5).checked_mul(7)?.checked_add(ahead.rem_euclid(5))?;
                let days = days.checked_sub(monday_number(at.date()))?;
                Frequency::Seconds(DAY).after(from, days)
            }
            _ => None,
        }
    }

    /// How many steps lead from one time to another; none if no number of them does.
    pub(crate) fn steps_between(self, from: Time, to: Time) -> Option<i64> {
        let (distance, step) = match (self, from, to) {
            (Frequency::Integer(step), Time::Integer(a), Time::Integer(b)) => {
                (b.checked_sub(a)?, step)
            }
            (Frequency::Seconds(step), Time::Calendar(_), Time::Calendar(_)) => {
                ((to.ticks() - from.ticks()) / MICROS, step)
            }
            (Frequency::Months { count, .. }, Time::Calendar(a), Time::Calendar(b)) => {
                (month_number(b.date()) - month_number(a.date()), count)
            }
            (Frequency::WorkingDays(step), Time::Calendar(a), Time::Calendar(b)) => {
                (working_day(b.date())? - working_day(a.date())?, step)
            }
            _ => return None,
        };
        let steps = distance / step;
        (distance % step == 0 && self.after(from, steps) == Some(to)).then_some(steps)
    }

    /// A time on the axis by one that is not: of its month, or the Monday after its weekend.
    pub(crate) fn nearest(self, time: Time) -> Time {
        let days = match (self, time) {
            (Frequency::WorkingDays(_), Time::Calendar(at)) => {
                (7 - monday_number(at.date()).rem_euclid(7)) % 7
            }
            _ => return self.after(time, 0).unwrap_or(time),
        };
        Frequency::Seconds(DAY).after(time, days).unwrap_or(time)
    }

    /// The step taken `n` times; none where that overflows.
    fn times(self, n: i64) -> Option<Frequency> {
        Some(match self {
            Frequency::Integer(step) => Frequency::Integer(step.checked_mul(n)?),
            Frequency::Seconds(step) => Frequency::Seconds(step.checked_mul(n)?),
            Frequency::WorkingDays(step) => Frequency::WorkingDays(step.checked_mul(n)?),
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
            Frequency::WorkingDays(step) => parts(5, step),
            Frequency::Seconds(WEEK) => 52,
            Frequency::Seconds(step) if step % DAY == 0 => parts(WEEK, step),
            Frequency::Seconds(step) if step < MINUTE => parts(HOUR, step),
            Frequency::Seconds(step) => parts(DAY, step),
        };
        season as usize
    }
}

impl MonthDay {
    /// Its number in the month of `date`.
    fn of(self, date: Date) -> i8 {
        match self {
            MonthDay::First => 1,
            MonthDay::Last => date.days_in_month(),
            MonthDay::Day(day) => day.min(date.days_in_month()),
            MonthDay::Any => date.day(),
        }
    }
}

/// Months since year 0.
fn month_number(date: Date) -> i64 {
    i64::from(date.year()) * 12 + i64::from(date.month()) - 1
}

/// Days since Monday, the 29th of December 1969.
fn monday_number(date: Date) -> i64 {
    date.duration_since(Date::constant(1969, 12, 29)).as_secs() / DAY
}

/// Days from Monday to Friday since then; none for other days.
fn working_day(date: Date) -> Option<i64> {
    let days = monday_number(date);
    let day = days.rem_euclid(7);
    (day < 5).then(|| days.div_euclid(7) * 5 + day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn month_ends_stay_month_ends() {
        let frequency: Frequency = "ME".parse().unwrap();
        let start = Time::parse("2023-11-30").unwrap();
        let ahead: Vec<_> =
            (1..=4).map(|k| frequency.after(start, k).unwrap().to_string()).collect();
        assert_eq!(ahead, ["2023-12-31", "2024-01-31", "2024-02-29", "2024-03-31"]);
    }

    #[test]
    fn working_days_leave_out_weekends() {
        let at = |text| Time::parse(text).unwrap();
        let frequency = Frequency::WorkingDays(1);
        let friday = at("2024-01-05 09:30");
        assert_eq!(frequency.after(friday, 1), Some(at("2024-01-08 09:30")));
        assert_eq!(frequency.after(friday, -5), Some(at("2023-12-29 09:30")));
        assert_eq!(frequency.after(at("2024-01-06"), 1), None);
        assert_eq!(frequency.steps_between(friday, at("2024-01-15 09:30")), Some(6));
        assert_eq!(frequency.steps_between(friday, at("2024-01-07 09:30")), None);
        assert_eq!(frequency.steps_between(at("1969-12-26"), at("1970-01-01")), Some(4));
    }

    #[test]
    fn the_whole_calendar_is_some_number_of_seconds() {
        let (first, last) =
            (Time::parse("0001-01-01").unwrap(), Time::parse("9999-01-01").unwrap());
        let steps = Frequency::Seconds(1).steps_between(first, last);
        assert_eq!(steps, Some(315_506_361_600));
    }

    #[test]
    fn the_calendar_ends_without_a_panic() {
        let last = Time::parse("9999-12-31").unwrap();
        for name in ["s", "D", "B", "MS", "YE"] {
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
            ("B", 5),
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
        fn steps_are_counted_as_they_are_taken(
            day in -50_000i64..50_000,
            steps in -500i64..500,
            count in 1i64..40,
            unit in 0usize..7,
        ) {
            let names = ["s", "min", "h", "D", "W", "MS", "B"];
            let frequency: Frequency = format!("{count}{}", names[unit]).parse().unwrap();
            let epoch = Time::parse("1970-01-01").unwrap();
            let Some(start) = Frequency::WorkingDays(1).after(epoch, day) else { return Ok(()) };
            // The start of months is the first of them.
            let start = frequency.after(start, 1).unwrap();
            let there = frequency.after(start, steps).unwrap();
            prop_assert_eq!(frequency.steps_between(start, there), Some(steps));
        }
    }
}
