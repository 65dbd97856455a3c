//! Finds the step of a time axis from its times.

use super::{DAY, Frequency, MonthDay, month_number, working_day};
use crate::Time;
use std::collections::HashMap;

impl Frequency {
    /// The step most common between neighbours, the smallest of those if several are; none if no
    /// series has two times. Each series is in order and without duplicates. Days that leave out every
    /// weekend are working days.
    pub(crate) fn detect<I>(series: impl Iterator<Item = I> + Clone) -> Option<Frequency>
    where
        I: Iterator<Item = Time> + Clone,
    {
        let first = series.clone().flatten().next()?;
        let month_day = MonthDay::detect(series.clone().flatten());
        let mut counts: HashMap<i64, u64> = HashMap::new();
        for times in series.clone() {
            for (before, time) in times.clone().zip(times.skip(1)) {
                let step = match (before, time) {
                    (Time::Integer(a), Time::Integer(b)) => b.checked_sub(a),
                    (Time::Calendar(a), Time::Calendar(b)) if month_day.is_some() => {
                        Some(month_number(b.date()) - month_number(a.date()))
                    }
                    (Time::Calendar(a), Time::Calendar(b)) => Some(b.duration_since(a).as_secs()),
                    _ => None,
                };
                *counts.entry(step.filter(|&s| s > 0)?).or_default() += 1;
            }
        }
        let unit = match (first, month_day) {
            (Time::Integer(_), _) => Frequency::Integer(1),
            (Time::Calendar(_), Some(day)) => Frequency::Months { count: 1, day },
            (Time::Calendar(_), None) => Frequency::Seconds(1),
        };
        let (&step, _) = counts.iter().max_by_key(|&(step, count)| (count, -step))?;
        let found = unit.times(step)?;
        let weekends = counts.contains_key(&(3 * DAY));
        let working = found == Frequency::Seconds(DAY) && weekends && all_working(series.flatten());
        Some(if working { Frequency::WorkingDays(1) } else { found })
    }

    /// Whether these times, in order, are one step apart each, and of the kind it counts.
    pub(crate) fn leads_through(self, times: impl Iterator<Item = Time> + Clone) -> bool {
        let mut pairs = times.clone().zip(times.clone().skip(1));
        times.clone().next().is_none_or(|first| self.fits(first))
            && pairs.all(|(before, time)| self.steps_between(before, time) == Some(1))
    }

    /// The same step on the day of the month that the times share, where it names none.
    pub(crate) fn on_the_day_of(self, times: impl Iterator<Item = Time> + Clone) -> Frequency {
        match self {
            Frequency::Months { count, day: MonthDay::Any } => {
                let day = MonthDay::detect(times).unwrap_or(MonthDay::Any);
                Frequency::Months { count, day }
            }
            named => named,
        }
    }
}

fn all_working(mut times: impl Iterator<Item = Time>) -> bool {
    times.all(|time| matches!(time, Time::Calendar(at) if working_day(at.date()).is_some()))
}

impl MonthDay {
    /// The day all times share, at one time of day; none if they do not.
    fn detect(mut times: impl Iterator<Item = Time> + Clone) -> Option<MonthDay> {
        let all = times.clone();
        let Time::Calendar(first) = times.next()? else { return None };
        let (mut all_last, mut latest) = (true, 0);
        for time in all.clone() {
            let Time::Calendar(at) = time else { return None };
            all_last &= at.day() == at.days_in_month();
            latest = at.day().max(latest);
            // Before the 28th a day is shared by all months or not at all.
            let differs = at.day() != first.day() && at.day().min(first.day()) < 28;
            if at.time() != first.time() || (differs && !all_last) {
                return None;
            }
        }
        let day = match latest {
            _ if all_last => return Some(MonthDay::Last),
            1 => MonthDay::First,
            latest => MonthDay::Day(latest),
        };
        let mut dates = all;
        let shared = |time| matches!(time, Time::Calendar(at) if at.day() == day.of(at.date()));
        dates.all(shared).then_some(day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn detected(text: &[&str]) -> Option<String> {
        let times: Vec<Time> = text.iter().map(|t| Time::parse(t).unwrap()).collect();
        Frequency::detect([times.iter().copied()].into_iter()).map(|f| f.to_string())
    }

    #[test]
    fn a_step_leads_through_times_that_lie_on_it_one_after_another() {
        let leads = |step: &str, text: &[&str]| {
            let times: Vec<Time> = text.iter().map(|t| Time::parse(t).unwrap()).collect();
            step.parse::<Frequency>().unwrap().leads_through(times.into_iter())
        };
        let week = ["2024-01-04", "2024-01-05"];
        assert!(leads("B", &week) && leads("D", &week) && leads("B", &week[..1]));
        assert!(leads("B", &["2024-01-05", "2024-01-08"]));
        assert!(!leads("D", &["2024-01-05", "2024-01-08"]));
        assert!(!leads("1", &week) && !leads("D", &["1", "2"]));
        assert!(!leads("15min", &["2024-01-04 10:00", "2024-01-04 11:00"]));
    }

    #[test]
    fn the_step_is_found_from_the_differences() {
        for (text, expected) in [
            (&["1949-01-31", "1949-02-28", "1949-03-31"][..], "ME"),
            (&["2024-01-01", "2024-02-01", "2024-03-01"], "MS"),
            (&["2024-01-15", "2024-02-15"], "1 months, day 15"),
            (&["2024-01-30", "2024-02-29", "2024-03-30"], "1 months, day 30"),
            (&["2024-02-29", "2024-03-30", "2024-04-30"], "1 months, day 30"),
            (&["2023-03-31", "2023-06-30", "2023-09-30"], "QE"),
            (&["2023-01-01", "2024-01-01"], "YS"),
            (&["2024-01-01", "2024-01-08"], "W"),
            (&["2024-02-28", "2024-02-29", "2024-03-01"], "D"),
            (&["2024-02-29", "2024-03-01", "2024-03-02"], "D"),
            (&["2024-01-04", "2024-01-05", "2024-01-08", "2024-01-09"], "B"),
            (&["2024-01-04", "2024-01-05", "2024-01-08", "2024-01-09", "2024-01-13"], "D"),
            (&["2024-01-03", "2024-01-04", "2024-01-05"], "D"),
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
    fn a_step_of_months_takes_the_day_from_the_data() {
        let month: Frequency = "1mo".parse().unwrap();
        let day = |text: &[&str]| {
            let times: Vec<Time> = text.iter().map(|t| Time::parse(t).unwrap()).collect();
            month.on_the_day_of(times.iter().copied()).to_string()
        };
        assert_eq!(day(&["2024-02-29", "2024-03-31"]), "ME");
        assert_eq!(day(&["2024-01-31"]), "ME");
        assert_eq!(day(&["2024-02-01"]), "MS");
        assert_eq!(day(&["2024-02-10", "2024-02-11"]), "1mo");
    }

    proptest! {
        #[test]
        fn an_axis_made_at_a_step_is_detected_and_followed(
            start in -50_000i64..50_000,
            unit in 0usize..14,
            count in 1i64..40,
        ) {
            let units = [
                "s", "min", "h", "D", "W", "MS", "ME", "M", "QS", "QE", "Q", "YS", "YE", "Y",
            ];
            let frequency: Frequency = format!("{count}{}", units[unit]).parse().unwrap();
            let epoch = Time::parse("1970-01-31 00:00:00").unwrap();
            let start = Frequency::Seconds(DAY).after(epoch, start / 10).unwrap();
            let start = frequency.after(start, 1).unwrap();
            let axis: Vec<_> = (0..20).map(|k| frequency.after(start, k).unwrap()).collect();
            let found = Frequency::detect([axis.iter().copied()].into_iter()).unwrap();
            for k in 0..40 {
                prop_assert_eq!(found.after(start, k), frequency.after(start, k));
            }
            prop_assert!(axis.is_sorted());
        }
    }
}
