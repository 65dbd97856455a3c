//! A time as its file writes it, for messages.

use super::{Clock, Time};
use std::fmt;

/// A time, and whether it is written with the time of day and a zone. Boxed, since errors have up to three.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenTime(Box<(Time, Clock)>);

impl WrittenTime {
    /// A time of day is shown also among dates, where it may be what is wrong.
    pub(crate) fn new(time: Time, clock: Clock) -> WrittenTime {
        let shown = clock.shown || time.has_clock();
        WrittenTime(Box::new((time, Clock { shown, ..clock })))
    }

    /// The time, in UTC where it has a zone.
    pub fn time(&self) -> Time {
        self.0.0
    }

    /// Whether it is a time of day without a zone, which there are two of where clocks are set back.
    pub fn is_local(&self) -> bool {
        let (time, clock) = *self.0;
        matches!(time, Time::Calendar(_)) && clock.shown && clock.zone.is_none()
    }
}

impl fmt::Display for WrittenTime {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (time, clock) = *self.0;
        f.write_str(&time.to_text(clock))
    }
}
