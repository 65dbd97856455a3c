//! Dates written as one whole number: days `20240131`.

use super::Time;
use crate::Frequency;
use jiff::civil::Date;
use std::ops::RangeInclusive;

/// Years of dates that are written as one number.
const YEARS: RangeInclusive<i16> = 1800..=2200;

/// The moments of numbers that all spell days, such as 20240131.
pub(crate) fn days(numbers: &[i64]) -> Option<Vec<i64>> {
    all(numbers, |number| date(number / 10_000, number / 100 % 100, number % 100))
}

/// The same, unless the step is one of whole numbers.
pub(crate) fn dates(numbers: &[i64], frequency: Option<Frequency>) -> Option<Vec<i64>> {
    if matches!(frequency, Some(Frequency::Integer(_))) { None } else { days(numbers) }
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
}
