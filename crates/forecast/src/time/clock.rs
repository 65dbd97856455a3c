//! How the times of an axis are written: with a time of day or without, and which zone stands after it.

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

    /// Microseconds to add to times of one zone for those of another. Times without a zone are taken to
    /// have the other's.
    pub(crate) fn shift(from: Option<Zone>, to: Option<Zone>) -> i64 {
        from.zip(to).map_or(0, |(from, to)| to.ahead_micros() - from.ahead_micros())
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
    /// The zone after the time of day, where the times have one.
    pub(crate) zone: Option<Zone>,
}

impl Clock {
    /// How times of two axes are written together.
    pub(crate) fn with(self, other: Clock) -> Clock {
        let zone = if self.zone == other.zone { self.zone } else { None };
        Clock { shown: self.shown || other.shown, zone }
    }
}
