//! Calendar features: what the date and the time of day say, under pandas' names.

use crate::Time;
use serde::{Deserialize, Serialize};

/// A number that a date and time of day have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Calendar {
    /// The year.
    Year,
    /// The quarter, 1 to 4.
    Quarter,
    /// The month, 1 to 12.
    Month,
    /// The week of the year by ISO 8601, 1 to 53.
    Week,
    /// The day of the month, 1 to 31.
    Day,
    /// The day of the week, Monday being 0.
    DayOfWeek,
    /// The day of the year, 1 to 366.
    DayOfYear,
    /// The hour, 0 to 23.
    Hour,
    /// The minute, 0 to 59.
    Minute,
    /// The second, 0 to 59.
    Second,
    /// How many days the month has.
    DaysInMonth,
    /// 1 on the first day of a month.
    IsMonthStart,
    /// 1 on the last day of a month.
    IsMonthEnd,
}

impl Calendar {
    /// All of them.
    pub const ALL: [Calendar; 13] = [
        Calendar::Year,
        Calendar::Quarter,
        Calendar::Month,
        Calendar::Week,
        Calendar::Day,
        Calendar::DayOfWeek,
        Calendar::DayOfYear,
        Calendar::Hour,
        Calendar::Minute,
        Calendar::Second,
        Calendar::DaysInMonth,
        Calendar::IsMonthStart,
        Calendar::IsMonthEnd,
    ];

    /// Its name in pandas.
    pub fn name(self) -> &'static str {
        match self {
            Calendar::Year => "year",
            Calendar::Quarter => "quarter",
            Calendar::Month => "month",
            Calendar::Week => "week",
            Calendar::Day => "day",
            Calendar::DayOfWeek => "dayofweek",
            Calendar::DayOfYear => "dayofyear",
            Calendar::Hour => "hour",
            Calendar::Minute => "minute",
            Calendar::Second => "second",
            Calendar::DaysInMonth => "days_in_month",
            Calendar::IsMonthStart => "is_month_start",
            Calendar::IsMonthEnd => "is_month_end",
        }
    }

    /// Its value at a time; none where times are whole numbers.
    pub fn of(self, time: Time) -> Option<f32> {
        let Time::Calendar(at) = time else { return None };
        let date = at.date();
        let flag = |is: bool| f32::from(u8::from(is));
        Some(match self {
            Calendar::Year => date.year().into(),
            Calendar::Quarter => ((date.month() + 2) / 3).into(),
            Calendar::Month => date.month().into(),
            Calendar::Week => date.iso_week_date().week().into(),
            Calendar::Day => date.day().into(),
            Calendar::DayOfWeek => date.weekday().to_monday_zero_offset().into(),
            Calendar::DayOfYear => date.day_of_year().into(),
            Calendar::Hour => at.hour().into(),
            Calendar::Minute => at.minute().into(),
            Calendar::Second => at.second().into(),
            Calendar::DaysInMonth => date.days_in_month().into(),
            Calendar::IsMonthStart => flag(date.day() == 1),
            Calendar::IsMonthEnd => flag(date.day() == date.days_in_month()),
        })
    }
}
