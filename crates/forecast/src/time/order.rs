//! Whether the month or the day comes first in dates like `01/02/2024` and `01-02-2024`.

use crate::ForecastError;
use jiff::civil::Date;
use std::str::FromStr;

/// The order of the numbers of a date like `01/02/2024`, on which people do not agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrder {
    /// Month, day, year.
    Mdy,
    /// Day, month, year.
    Dmy,
}

impl DateOrder {
    /// Both by their names.
    pub const NAMES: [(&str, DateOrder); 2] = [("mdy", DateOrder::Mdy), ("dmy", DateOrder::Dmy)];

    /// The date of two numbers and a year; none where there is no such day.
    pub(super) fn date(self, numbers: [i8; 2], year: i16) -> Option<Date> {
        let [first, second] = numbers;
        match self {
            DateOrder::Mdy => Date::new(year, first, second).ok(),
            DateOrder::Dmy => Date::new(year, second, first).ok(),
        }
    }

    pub(super) fn other(self) -> DateOrder {
        match self {
            DateOrder::Mdy => DateOrder::Dmy,
            DateOrder::Dmy => DateOrder::Mdy,
        }
    }

    /// What dates in this order are called.
    pub(super) fn kind(self) -> &'static str {
        match self {
            DateOrder::Mdy => "dates with the month first",
            DateOrder::Dmy => "dates with the day first",
        }
    }
}

impl FromStr for DateOrder {
    type Err = ForecastError;

    fn from_str(text: &str) -> Result<DateOrder, ForecastError> {
        let found = DateOrder::NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, order)| *order).ok_or_else(|| ForecastError::Setting {
            name: "date_order",
            value: text.into(),
            reason: "is not one of mdy, dmy",
        })
    }
}
