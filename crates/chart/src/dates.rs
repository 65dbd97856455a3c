//! Dates beside an axis of seconds: at the start of years, months, days, hours or their like.
//!
//! Seconds are counted from the start of 1970 on a calendar without zones.

use crate::scale::Tick;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// Days from the first of March of year 0 to the start of 1970.
const MARCH_0000: i64 = 719_468;
/// Years that are written; further ones are not dates.
const YEARS: std::ops::RangeInclusive<i64> = -9999..=9999;

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// From one date that is written to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Months(i64),
    Days(i64),
    Seconds(i64),
}

/// Steps by their length.
const STEPS: [Step; 24] = [
    Step::Seconds(1),
    Step::Seconds(5),
    Step::Seconds(15),
    Step::Seconds(30),
    Step::Seconds(MINUTE),
    Step::Seconds(5 * MINUTE),
    Step::Seconds(15 * MINUTE),
    Step::Seconds(30 * MINUTE),
    Step::Seconds(HOUR),
    Step::Seconds(3 * HOUR),
    Step::Seconds(6 * HOUR),
    Step::Seconds(12 * HOUR),
    Step::Days(1),
    Step::Days(2),
    Step::Days(7),
    Step::Months(1),
    Step::Months(3),
    Step::Months(6),
    Step::Months(12),
    Step::Months(24),
    Step::Months(60),
    Step::Months(120),
    Step::Months(600),
    Step::Months(2400),
];

/// The dates to write beside an axis, at most about `count` of them; none beyond the calendar.
pub fn ticks(low: f64, high: f64, count: usize) -> Vec<Tick> {
    let (first, last) = (low.ceil() as i64, high.floor() as i64);
    let known = [first, last].iter().all(|&at| YEARS.contains(&civil(at.div_euclid(DAY)).0));
    if !known {
        return Vec::new();
    }
    let few = |step: &&Step| (last - first) / step.seconds() <= count.max(1) as i64;
    let step = *STEPS.iter().find(few).unwrap_or(&STEPS[STEPS.len() - 1]);
    let mut at = step.first_after(first);
    let mut ticks = Vec::new();
    while at <= last {
        ticks.push(Tick { value: at as f64, label: step.label(at) });
        at = step.first_after(at + 1);
    }
    ticks
}

impl Step {
    /// Its length, of months about.
    fn seconds(self) -> i64 {
        match self {
            Step::Months(months) => months * 2_629_746,
            Step::Days(days) => days * DAY,
            Step::Seconds(seconds) => seconds,
        }
    }

    /// The first date of the step that is not before `at`. Weeks begin on Mondays.
    fn first_after(self, at: i64) -> i64 {
        let up = |at: i64, step: i64, offset: i64| at + (offset - at).rem_euclid(step);
        match self {
            Step::Seconds(step) => up(at, step, 0),
            // The first Monday of 1970 was the fifth of January.
            Step::Days(step) => up(at, step * DAY, 4 * DAY),
            Step::Months(step) => {
                let start = |month: i64| days(month.div_euclid(12), month.rem_euclid(12) + 1) * DAY;
                let (year, month, _) = civil(at.div_euclid(DAY));
                let month = up(year * 12 + month - 1, step, 0);
                // The month `at` is in has begun before, unless this is its first moment.
                if start(month) >= at { start(month) } else { start(month + step) }
            }
        }
    }

    fn label(self, at: i64) -> String {
        let (year, month, day) = civil(at.div_euclid(DAY));
        let name = MONTHS[(month - 1) as usize];
        let second = at.rem_euclid(DAY);
        let (hour, minute) = (second / HOUR, second % HOUR / MINUTE);
        match self {
            Step::Months(step) if step % 12 == 0 => format!("{year}"),
            Step::Months(_) => format!("{name} {year}"),
            Step::Days(_) => format!("{day} {name} {year}"),
            Step::Seconds(step) if step < MINUTE => {
                format!("{hour:02}:{minute:02}:{:02}", second % MINUTE)
            }
            Step::Seconds(_) => format!("{day} {name} {hour:02}:{minute:02}"),
        }
    }
}

/// Days from the start of 1970 to the first of a month. Years are taken to begin in March, so that the day
/// that comes and goes is their last; 400 of them have 146,097 days.
fn days(year: i64, month: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month = (month + 9) % 12;
    let day_of_year = (153 * month + 2) / 5;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - MARCH_0000
}

/// Year, month and day of a day counted from the start of 1970.
fn civil(day: i64) -> (i64, i64, i64) {
    let day = day.saturating_add(MARCH_0000);
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year + era * 400 + later, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(year: i64, month: i64, day: i64) -> f64 {
        ((days(year, month) + day - 1) * DAY) as f64
    }

    fn labels(low: f64, high: f64, count: usize) -> Vec<String> {
        ticks(low, high, count).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn dates_stand_at_round_places() {
        let day = DAY as f64;
        assert_eq!(
            labels(at(1949, 1, 31), at(1960, 12, 31), 8),
            ["1950", "1952", "1954", "1956", "1958", "1960"]
        );
        assert_eq!(
            labels(at(2023, 11, 30), at(2024, 10, 1), 5),
            ["Jan 2024", "Apr 2024", "Jul 2024", "Oct 2024"]
        );
        assert_eq!(
            labels(at(2024, 2, 20), at(2024, 3, 12), 5),
            ["26 Feb 2024", "4 Mar 2024", "11 Mar 2024"]
        );
        assert_eq!(
            labels(at(2024, 2, 28), at(2024, 3, 1) + 0.5 * day, 8),
            [
                "28 Feb 00:00",
                "28 Feb 12:00",
                "29 Feb 00:00",
                "29 Feb 12:00",
                "1 Mar 00:00",
                "1 Mar 12:00"
            ]
        );
        assert_eq!(labels(-2.0, 12.0, 4), ["00:00:00", "00:00:05", "00:00:10"]);
    }

    #[test]
    fn days_and_dates_undo_each_other() {
        for day in (-4_000_000..3_000_000).step_by(97) {
            let (year, month, of_month) = civil(day);
            assert_eq!(days(year, month) + of_month - 1, day);
        }
        assert_eq!((civil(0), civil(19_782)), ((1970, 1, 1), (2024, 2, 29)));
    }

    #[test]
    fn any_range_has_few_dates_or_none() {
        for (low, high) in [(0.0, 0.0), (-1e18, 1e18), (1e300, 1e300), (5.0, 5.5), (-6e10, 6e10)] {
            for count in [0, 1, 8] {
                assert!(ticks(low, high, count).len() <= 64, "{low} {high} {count}");
            }
        }
    }
}
