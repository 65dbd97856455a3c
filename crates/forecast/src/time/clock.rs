//! How the times of an axis are written: with a time of day or without, and in which zone.

use std::fmt;

/// How far local times are ahead of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Zone {
    pub(crate) ahead_seconds: i32,
}

impl Zone {
    pub(crate) const UTC: Zone = Zone { ahead_seconds: 0 };

    /// Microseconds that local times are ahead.
    pub(crate) fn ahead_micros(self) -> i64 {
        i64::from(self.ahead_seconds) * 1_000_000
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let minutes = self.ahead_seconds.abs() / 60;
        let sign = if self.ahead_seconds < 0 { '-' } else { '+' };
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

/// How times are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock {
    /// Whether with the time of day.
    pub(crate) shown: bool,
    /// The zone they are written in, where they have one; they are in UTC then.
    pub(crate) zone: Option<Zone>,
}

impl Clock {
    /// How times of two axes are written together.
    pub(crate) fn with(self, other: Clock) -> Clock {
        let zone = if self.zone == other.zone { self.zone } else { None };
        Clock { shown: self.shown || other.shown, zone }
    }
}
