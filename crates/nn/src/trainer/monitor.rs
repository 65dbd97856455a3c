//! Monitor: what a run spends its time on, how many rows pass, and how much memory it takes.
//!
//! It reads the clock when the activity changes and not at every step, and looks at the memory ten times
//! a second at most, and at the end: a training does not notice it.

use super::resident::Resident;
use super::usage::{Spent, Usage};
use serde::Serialize;
use std::time::{Duration, Instant};

/// What a run is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// Reading the data.
    Read,
    /// Making instructions of the network.
    Compile,
    /// Learning, and what the caller does between two steps.
    Learn,
    /// Validating after an epoch.
    Validate,
    /// Writing what it takes to go on after a kill.
    Checkpoint,
}

/// The least time between two looks at the memory.
const PAUSE: Duration = Duration::from_millis(100);

/// Watches a run.
///
/// ```
/// use whimbrel_nn::trainer::{Activity, Monitor};
/// let mut monitor = Monitor::default();
/// monitor.begin(Activity::Read);
/// monitor.count(1000);
/// monitor.pause();
/// println!("{}", monitor.usage());
/// # assert_eq!(monitor.rows(Activity::Read), 1000);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Monitor {
    spent: [Option<Spent>; Activity::ALL.len()],
    under_way: Option<(Activity, Instant)>,
    memory: Memory,
}

/// What was seen of the memory.
#[derive(Clone, Debug, Default)]
struct Memory {
    last: Resident,
    looked: Option<Instant>,
    /// Activities since then.
    since: [bool; Activity::ALL.len()],
}

impl Activity {
    /// All activities, in the order in which a run comes to them.
    pub const ALL: [Activity; 5] = [
        Activity::Read,
        Activity::Compile,
        Activity::Learn,
        Activity::Validate,
        Activity::Checkpoint,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Activity::Read => "read",
            Activity::Compile => "compile",
            Activity::Learn => "learn",
            Activity::Validate => "validate",
            Activity::Checkpoint => "checkpoint",
        }
    }
}

impl Monitor {
    /// Something begins, and what was under way ends.
    pub fn begin(&mut self, activity: Activity) {
        if self.under_way.is_none_or(|(now, _)| now != activity) {
            self.change(Some(activity), Instant::now(), Resident::now);
        }
    }

    /// What was under way ends, and nothing begins.
    pub fn pause(&mut self) {
        self.change(None, Instant::now(), Resident::now);
    }

    /// Rows have passed through what is under way.
    pub fn count(&mut self, rows: usize) {
        if let Some((activity, _)) = self.under_way {
            self.of(activity).rows += rows as u64;
        }
    }

    /// Adds what another monitor saw before this one.
    pub fn absorb(&mut self, earlier: &Monitor) {
        for other in earlier.usage().activities {
            let own = self.of(other.activity);
            own.seconds += other.seconds;
            own.rows += other.rows;
            own.peak_bytes = own.peak_bytes.max(other.peak_bytes);
        }
    }

    /// All that was seen; of what is under way the rows, and the time up to its last pause.
    pub fn usage(&self) -> Usage {
        Usage { activities: self.spent.iter().flatten().copied().collect() }
    }

    /// Rows that have passed through an activity.
    pub fn rows(&self, activity: Activity) -> u64 {
        self.spent[activity as usize].map_or(0, |spent| spent.rows)
    }

    fn change(&mut self, next: Option<Activity>, now: Instant, look: impl FnOnce() -> Resident) {
        if let Some((activity, begun)) = self.under_way {
            self.of(activity).seconds += now.duration_since(begun).as_secs_f64();
            self.memory.since[activity as usize] = true;
            let new = self.of(activity).peak_bytes.is_none();
            let long_ago = self.memory.looked.is_none_or(|then| now.duration_since(then) >= PAUSE);
            if new || long_ago || next.is_none() {
                self.look(now, look());
            }
        }
        self.under_way = next.map(|activity| (activity, now));
    }

    /// The highest the process ever was is that of the activities since the last look if it has risen
    /// since; otherwise all that is known of them is where they began and ended.
    fn look(&mut self, now: Instant, resident: Resident) {
        let last = self.memory.last;
        let peak = match resident.peak > last.peak {
            true => resident.peak,
            false => resident.bytes.max(last.bytes),
        };
        let since = std::mem::take(&mut self.memory.since);
        for activity in Activity::ALL.into_iter().filter(|&activity| since[activity as usize]) {
            let spent = self.of(activity);
            spent.peak_bytes = spent.peak_bytes.max(peak);
        }
        (self.memory.last, self.memory.looked) = (resident, Some(now));
    }

    fn of(&mut self, activity: Activity) -> &mut Spent {
        self.spent[activity as usize].get_or_insert(Spent::nothing(activity))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resident(megabytes: u64, peak: u64) -> Resident {
        Resident { bytes: Some(megabytes << 20), peak: Some(peak << 20) }
    }

    /// Seconds, rows and megabytes of each activity.
    fn seen(monitor: &Monitor) -> Vec<(Activity, f64, u64, u64)> {
        let line = |spent: &Spent| {
            let megabytes = spent.peak_bytes.unwrap_or(0) >> 20;
            (spent.activity, spent.seconds, spent.rows, megabytes)
        };
        monitor.usage().activities.iter().map(line).collect()
    }

    #[test]
    fn time_rows_and_memory_belong_to_what_was_under_way() {
        let (mut monitor, start) = (Monitor::default(), Instant::now());
        let mut change = |next, seconds: u64, rows, memory| {
            monitor.count(rows);
            monitor.change(next, start + Duration::from_secs(seconds), || memory);
        };
        change(Some(Activity::Compile), 0, 0, resident(0, 0));
        change(Some(Activity::Learn), 2, 0, resident(40, 90));
        change(Some(Activity::Validate), 5, 100, resident(50, 90));
        change(Some(Activity::Learn), 6, 20, resident(45, 90));
        change(None, 10, 100, resident(60, 95));
        assert_eq!(
            seen(&monitor),
            [
                (Activity::Compile, 2.0, 0, 90),
                (Activity::Learn, 7.0, 200, 95),
                (Activity::Validate, 1.0, 20, 50),
            ]
        );
    }

    #[test]
    fn memory_is_looked_at_once_for_each_activity_and_then_seldom() {
        let (mut monitor, start, mut looks) = (Monitor::default(), Instant::now(), 0);
        for millisecond in 0..1000 {
            let next = [Activity::Learn, Activity::Validate][millisecond % 2];
            let now = start + Duration::from_millis(millisecond as u64);
            monitor.change(Some(next), now, || {
                looks += 1;
                resident(1, 1)
            });
        }
        assert_eq!(looks, 11);
    }

    #[test]
    fn what_came_before_is_added() {
        let (mut before, mut monitor) = (Monitor::default(), Monitor::default());
        let start = Instant::now();
        before.change(Some(Activity::Read), start, Resident::default);
        before.count(7);
        before.change(None, start + Duration::from_secs(3), || resident(8, 8));
        monitor.begin(Activity::Learn);
        monitor.absorb(&before);
        assert_eq!(seen(&monitor), [(Activity::Read, 3.0, 7, 8)]);
    }
}
