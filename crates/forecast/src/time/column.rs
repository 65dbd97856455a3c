//! A column of times as text: all of one kind, brought to one calendar.
//!
//! What a field means may depend on the others: which number of `01/02/2024` is the month, and what
//! becomes of the zones.

use super::clock::Zone;
use super::order::DateOrder;
use super::spelling::{Date, Spelled, spelled};
use super::{DAY_MICROS, Time};
use whimbrel_data::Text;

/// The times of a column.
pub(crate) struct Moments {
    /// Whole numbers, or microseconds since 1970.
    pub(crate) ticks: Vec<i64>,
    pub(crate) calendar: bool,
    /// The zone that the times, which are in UTC then, were written in: that of all of them, or else UTC.
    pub(crate) zone: Option<Zone>,
    /// Whether they were written with zones, as dates may be too.
    pub(crate) zoned: bool,
}

/// What is wrong with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is empty.
    Empty,
    /// It is no time.
    NoTime,
    /// It is of another kind than those before.
    Mixed { found: &'static str, before: &'static str },
    /// Nothing says which of its numbers is the month.
    Ambiguous,
}

/// Reads times in any spelling. Those with a zone become UTC, unless they are `days`: all midnight where they are.
pub(crate) fn moments(
    fields: &Text,
    mut order: Option<DateOrder>,
    days: bool,
) -> Result<Moments, (usize, Fault)> {
    let (mut ticks, mut zones, mut first) = (Vec::with_capacity(fields.len()), Vec::new(), None);
    for (row, text) in fields.iter().enumerate() {
        let text = text.trim();
        let (tick, zone, kind) = match text.parse() {
            Ok(count) => (count, None, "whole numbers"),
            Err(_) => {
                let nothing = if text.is_empty() { Fault::Empty } else { Fault::NoTime };
                let Spelled { date, clock, zone } = spelled(text).ok_or((row, nothing))?;
                let day = match date {
                    Date::Known(day) => day,
                    Date::Slashed(numbers, year) => {
                        let order = match order {
                            Some(order) => order,
                            None => *order.insert(decide(fields)?),
                        };
                        in_order(order, numbers, year).map_err(|fault| (row, fault))?
                    }
                };
                (day + clock, zone, "dates")
            }
        };
        let (before, zoned) = *first.get_or_insert((kind, zone.is_some()));
        let names = ["times without a zone", "times with one"];
        let fault = match zone.is_some() {
            _ if before != kind => Some(Fault::Mixed { found: kind, before }),
            has if has != zoned => {
                let (found, before) = (names[usize::from(has)], names[usize::from(zoned)]);
                Some(Fault::Mixed { found, before })
            }
            _ => None,
        };
        if let Some(fault) = fault {
            return Err((row, fault));
        }
        ticks.push(tick);
        zones.extend(zone);
    }
    let same = zones.first().copied().filter(|zone| zones.iter().all(|other| other == zone));
    let days = days && ticks.iter().all(|tick| tick % DAY_MICROS == 0);
    let zone = if zones.is_empty() || days { None } else { same.or(Some(Zone::UTC)) };
    if zone.is_some() {
        ticks.iter_mut().zip(&zones).for_each(|(tick, zone)| *tick -= zone.ahead_micros());
    }
    let (calendar, zoned) = (first.is_none_or(|(kind, _)| kind == "dates"), !zones.is_empty());
    Ok(Moments { ticks, calendar, zone, zoned })
}

/// The first moment of a date with slashes.
fn in_order(order: DateOrder, numbers: [i8; 2], year: i16) -> Result<i64, Fault> {
    match order.date(numbers, year) {
        Some(date) => Ok(Time::Calendar(date.at(0, 0, 0, 0)).ticks()),
        None => Err(match order.other().date(numbers, year) {
            Some(_) => Fault::Mixed { found: order.other().kind(), before: order.kind() },
            None => Fault::NoTime,
        }),
    }
}

/// The order of all dates with slashes: that of the first with a number that is no month.
fn decide(fields: &Text) -> Result<DateOrder, (usize, Fault)> {
    let mut ambiguous = None;
    for (text, rows) in fields.runs().filter(|(text, _)| text.contains(['/', '-'])) {
        if let Some(Spelled { date: Date::Slashed([first, second], _), .. }) = spelled(text.trim())
        {
            match (first > 12, second > 12) {
                (true, _) => return Ok(DateOrder::Dmy),
                (false, true) => return Ok(DateOrder::Mdy),
                _ if first != second => ambiguous = ambiguous.or(Some(rows.start)),
                _ => {}
            }
        }
    }
    ambiguous.map_or(Ok(DateOrder::Mdy), |row| Err((row, Fault::Ambiguous)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fields: &[&str], order: Option<DateOrder>) -> Result<Vec<String>, (usize, Fault)> {
        let read = moments(&fields.iter().copied().collect(), order, true)?;
        let time = |&tick| Time::from_micros(tick).map_or_else(String::new, |t| t.to_string());
        Ok(read.ticks.iter().map(time).collect())
    }

    #[test]
    fn one_row_decides_which_number_is_the_month() {
        let day = read(&["01/02/2024", "31/01/2024 13:00"], None).unwrap();
        assert_eq!(day, ["2024-02-01", "2024-01-31 13:00:00"]);
        let hyphens = read(&["01-02-2024", "31-01-2024 1:00 PM"], None).unwrap();
        assert_eq!(hyphens, day);
        let month = read(&["01/02/2024", "1/31/2024"], None).unwrap();
        assert_eq!(month, ["2024-01-02", "2024-01-31"]);
        assert_eq!(read(&["01/01/2024", "2/2/2024"], None).unwrap(), ["2024-01-01", "2024-02-02"]);
    }

    #[test]
    fn dates_that_may_be_two_are_refused_unless_the_order_is_said() {
        let fields = ["01/01/2024", "01/02/2024", "01/03/2024"];
        assert_eq!(read(&fields, None), Err((1, Fault::Ambiguous)));
        assert_eq!(read(&fields, Some(DateOrder::Dmy)).unwrap()[1], "2024-02-01");
        assert_eq!(read(&fields, Some(DateOrder::Mdy)).unwrap()[1], "2024-01-02");
    }

    #[test]
    fn dates_in_two_orders_are_refused() {
        let (found, before) = ("dates with the month first", "dates with the day first");
        let mixed = Err((1, Fault::Mixed { found, before }));
        assert_eq!(read(&["31/01/2024", "01/31/2024"], None), mixed);
        assert_eq!(read(&["01/02/2024", "01/31/2024"], Some(DateOrder::Dmy)), mixed);
        assert_eq!(read(&["30/30/2024"], None), Err((0, Fault::NoTime)));
        assert_eq!(read(&["31/02/2024"], None), Err((0, Fault::NoTime)));
    }

    #[test]
    fn zones_are_dropped_from_dates_and_bring_other_times_to_utc() {
        let dates = ["2024-03-30T00:00+01:00", "2024-03-31T00:00+01:00", "2024-04-01T00:00+02:00"];
        assert_eq!(read(&dates, None).unwrap(), ["2024-03-30", "2024-03-31", "2024-04-01"]);
        let same = ["2024-01-01T05:00+05:30", "2024-01-01T06:00+05:30"];
        assert_eq!(read(&same, None).unwrap(), ["2023-12-31 23:30:00", "2024-01-01 00:30:00"]);
        let several = ["2024-03-31T01:00+01:00", "2024-03-31T03:00+02:00"];
        assert_eq!(read(&several, None).unwrap(), ["2024-03-31", "2024-03-31 01:00:00"]);
    }
}
