//! Dates written as one whole number: days `20240131`, months `202401`, years `2024`.

use super::Time;
use crate::{Frequency, MonthDay};
use jiff::civil::Date;
use std::ops::RangeInclusive;

/// Years of dates that are written as one number.
const YEARS: RangeInclusive<i16> = 1800..=2200;

/// The moments of numbers that all spell days, such as 20240131.
pub(crate) fn days(numbers: &[i64]) -> Option<Vec<i64>> {
    all(numbers, |number| date(number / 10_000, number / 100 % 100, number % 100))
}

/// The moments of numbers that all spell days, or all months, or, where the step is one of years, all
/// years. A number alone is a month only where the step is one of months. Where the step is one of whole
/// numbers, none is a date.
pub(crate) fn dates(numbers: &[i64], frequency: Option<Frequency>) -> Option<Vec<i64>> {
    let (count, day) = match frequency {
        Some(Frequency::Integer(_)) => return None,
        Some(Frequency::Months { count, day }) => (count, day),
        _ => (0, MonthDay::First),
    };
    let months = || {
        let several = numbers.iter().any(|number| Some(number) != numbers.first());
        let on_the_day = |number: i64| {
            let first = date(number / 100, number % 100, 1)?;
            if day == MonthDay::Last { Some(first.last_of_month()) } else { Some(first) }
        };
        if several || count > 0 { all(numbers, on_the_day) } else { None }
    };
    let years = || {
        let (month, of_month) = if day == MonthDay::Last { (12, 31) } else { (1, 1) };
        let yearly = count > 0 && count % 12 == 0;
        if yearly { all(numbers, |number| date(number, month, of_month)) } else { None }
    };
    days(numbers).or_else(months).or_else(years)
}

/// The moments of all numbers, if each spells a date.
fn all(numbers: &[i64], date: impl Fn(i64) -> Option<Date>) -> Option<Vec<i64>> {
    let moment = |&number: &i64| Some(Time::Calendar(date(number)?.at(0, 0, 0, 0)).ticks());
    let moments = numbers.iter().map(moment);
    moments.collect::<Option<Vec<i64>>>().filter(|moments| !moments.is_empty())
}

/// The date; none where it is no day of the years people have data of.
fn date(year: i64, month: i64, day: i64) -> Option<Date> {
    let year = i16::try_from(year).ok().filter(|year| YEARS.contains(year))?;
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(numbers: &[i64], frequency: &str) -> Option<Vec<String>> {
        let moments = dates(numbers, frequency.parse().ok())?;
        Some(moments.into_iter().map(|at| Time::from_micros(at).unwrap().to_string()).collect())
    }

    #[test]
    fn a_number_of_eight_digits_may_spell_a_day() {
        assert_eq!(spelled(&[20240229], "").unwrap(), ["2024-02-29"]);
        for number in [20230229, 20241301, 20240100, 17991231, 22010101, 2024, -20240101, i64::MAX]
        {
            assert_eq!(days(&[20240229, number]), None, "{number}");
        }
    }

    #[test]
    fn numbers_of_six_digits_may_spell_months() {
        assert_eq!(spelled(&[202412, 202501], "").unwrap(), ["2024-12-01", "2025-01-01"]);
        assert_eq!(spelled(&[202402, 202403], "ME").unwrap(), ["2024-02-29", "2024-03-31"]);
        assert_eq!(spelled(&[202402], "MS").unwrap(), ["2024-02-01"]);
        for numbers in [&[202412, 202413][..], &[202401, 202400], &[179912, 180001], &[202401, 7]] {
            assert_eq!(spelled(numbers, ""), None, "{numbers:?}");
        }
        assert_eq!(spelled(&[202401, 202401], ""), None);
        assert_eq!(spelled(&[202401, 202402], "1"), None);
    }

    #[test]
    fn numbers_of_four_digits_are_years_at_a_step_of_years() {
        assert_eq!(spelled(&[2023, 2024], "YS").unwrap(), ["2023-01-01", "2024-01-01"]);
        assert_eq!(spelled(&[2023, 2024], "2YE").unwrap(), ["2023-12-31", "2024-12-31"]);
        assert_eq!(spelled(&[2024], "y").unwrap(), ["2024-01-01"]);
        for frequency in ["", "MS", "D", "1"] {
            assert_eq!(spelled(&[2023, 2024], frequency), None, "{frequency}");
        }
        assert_eq!(spelled(&[1799, 1800], "YS"), None);
    }
}
