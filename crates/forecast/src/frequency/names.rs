//! Names of steps: those of pandas and polars, old and new.
//!
//! Where pandas names a weekday or a month (`W-THU`, `QS-FEB`), it is read and the data decide: an axis
//! goes on from the first time of each series.

use super::{DAY, Frequency, HOUR, MINUTE, MonthDay, WEEK};
use crate::ForecastError;
use std::fmt;
use std::str::FromStr;

const FIRST: MonthDay = MonthDay::First;
const LAST: MonthDay = MonthDay::Last;
const ANY: MonthDay = MonthDay::Any;

/// Units by their names.
const UNITS: [(&str, Frequency); 34] = [
    ("s", Frequency::Seconds(1)),
    ("S", Frequency::Seconds(1)),
    ("sec", Frequency::Seconds(1)),
    ("min", Frequency::Seconds(MINUTE)),
    ("m", Frequency::Seconds(MINUTE)),
    ("T", Frequency::Seconds(MINUTE)),
    ("h", Frequency::Seconds(HOUR)),
    ("H", Frequency::Seconds(HOUR)),
    ("D", Frequency::Seconds(DAY)),
    ("d", Frequency::Seconds(DAY)),
    ("W", Frequency::Seconds(WEEK)),
    ("w", Frequency::Seconds(WEEK)),
    ("B", Frequency::WorkingDays(1)),
    ("MS", Frequency::Months { count: 1, day: FIRST }),
    ("ME", Frequency::Months { count: 1, day: LAST }),
    ("M", Frequency::Months { count: 1, day: LAST }),
    ("mo", Frequency::Months { count: 1, day: ANY }),
    ("QS", Frequency::Months { count: 3, day: FIRST }),
    ("QE", Frequency::Months { count: 3, day: LAST }),
    ("Q", Frequency::Months { count: 3, day: LAST }),
    ("q", Frequency::Months { count: 3, day: ANY }),
    ("YS", Frequency::Months { count: 12, day: FIRST }),
    ("YE", Frequency::Months { count: 12, day: LAST }),
    ("Y", Frequency::Months { count: 12, day: LAST }),
    ("AS", Frequency::Months { count: 12, day: FIRST }),
    ("A", Frequency::Months { count: 12, day: LAST }),
    ("y", Frequency::Months { count: 12, day: ANY }),
    ("i", Frequency::Integer(1)),
    // Spelled out, as people do.
    ("hour", Frequency::Seconds(HOUR)),
    ("day", Frequency::Seconds(DAY)),
    ("week", Frequency::Seconds(WEEK)),
    ("month", Frequency::Months { count: 1, day: ANY }),
    ("quarter", Frequency::Months { count: 3, day: ANY }),
    ("year", Frequency::Months { count: 12, day: ANY }),
];

const WEEKDAYS: [&str; 7] = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"];
const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];

/// The step of a name without a count.
fn unit(name: &str) -> Option<Frequency> {
    let (name, anchor) = name.split_once('-').map_or((name, None), |(n, a)| (n, Some(a)));
    let (_, unit) = UNITS.iter().find(|(known, _)| *known == name)?;
    let anchors: &[&str] = match *unit {
        Frequency::Seconds(WEEK) => &WEEKDAYS,
        Frequency::Months { count: 3 | 12, .. } => &MONTHS,
        _ => &[],
    };
    let known = |anchor: &str| anchors.iter().any(|known| known.eq_ignore_ascii_case(anchor));
    anchor.is_none_or(known).then_some(*unit)
}

impl FromStr for Frequency {
    type Err = ForecastError;

    /// Reads `D`, `15min`, `MS`, `2h`, `W-THU`, `1mo`, or a whole number for integer times.
    fn from_str(text: &str) -> Result<Frequency, ForecastError> {
        let unknown = || ForecastError::FrequencyName { text: text.into() };
        let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (count, name) = text.split_at(at);
        let count = if count.is_empty() { 1 } else { count.parse().map_err(|_| unknown())? };
        let found = match name {
            "" if !text.is_empty() => Some(Frequency::Integer(1)),
            name => unit(name),
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
            Frequency::WorkingDays(step) => (step, &[(1, "B")]),
            Frequency::Months { count, day: FIRST } => (count, &[(12, "YS"), (3, "QS"), (1, "MS")]),
            Frequency::Months { count, day: LAST } => (count, &[(12, "YE"), (3, "QE"), (1, "ME")]),
            Frequency::Months { count, day: ANY } => return write!(f, "{count}mo"),
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
    use crate::Time;
    use proptest::prelude::*;

    #[test]
    fn names_are_read_and_written_back() {
        for (unit, _) in UNITS {
            for text in [unit.to_string(), format!("3{unit}")] {
                let frequency: Frequency = text.parse().unwrap();
                assert_eq!(frequency, frequency.to_string().parse().unwrap(), "{text}");
            }
        }
        assert_eq!("12".parse::<Frequency>().unwrap(), Frequency::Integer(12));
    }

    #[test]
    fn names_of_pandas_and_polars_mean_the_same() {
        for (new, others) in [
            ("h", &["H", "1h", "60min", "60T", "60m", "3600s", "hour"][..]),
            ("15min", &["15T", "15m", "900S"]),
            ("D", &["d", "1d", "24h", "day"]),
            ("W", &["1w", "7D", "7d", "W-SUN", "W-THU", "w-mon"]),
            ("ME", &["M", "1M"]),
            ("QE", &["Q", "QE-DEC", "Q-MAR", "3ME"]),
            ("QS", &["QS-JAN", "QS-feb", "3MS"]),
            ("YE", &["Y", "A", "YE-DEC", "A-JUN", "4QE"]),
            ("YS", &["AS", "YS-JAN", "AS-APR", "12MS"]),
            ("1mo", &["mo", "month"]),
            ("1q", &["3mo", "q"]),
            ("1y", &["12mo", "4q"]),
            ("1", &["1i", "i"]),
        ] {
            let frequency: Frequency = new.parse().unwrap();
            for other in others {
                assert_eq!(other.parse::<Frequency>().unwrap(), frequency, "{other}");
            }
        }
    }

    #[test]
    fn what_is_no_step_is_refused() {
        for bad in [
            "",
            "0",
            "0D",
            "-1",
            "fortnight",
            "1.5h",
            "9223372036854775807W",
            "99999999999999999999",
            "W-",
            "W-JAN",
            "QS-MON",
            "h-MON",
            "MS-JAN",
            "D-",
            "ms",
            "BH",
        ] {
            assert!(bad.parse::<Frequency>().is_err(), "{bad}");
        }
    }

    proptest! {
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
