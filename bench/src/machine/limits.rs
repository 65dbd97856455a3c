//! The arithmetic limit of a piece of work on this machine, from figures measured in this run.

use super::bandwidth::{Pattern, Setting};
use super::caches::{Caches, Level};
use super::fma;
use super::pages::Pages;
use crate::rounds::Schedule;

/// Thread counts the limits are measured for.
pub const THREADS: [usize; 2] = [1, 2];

/// What a call cannot avoid doing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Floating-point operations, a fused multiply-add counting two.
    pub flops: f64,
    /// Bytes that must be moved, each way counted once.
    pub bytes: f64,
    /// Bytes touched between two visits to the same byte: decides the level they come from.
    /// Zero means the same as `bytes`.
    pub footprint: f64,
    /// Whether the bytes are read and none written: what copies move in both directions at once is then
    /// out of reach.
    pub reads: bool,
}

/// One measured bandwidth.
#[derive(Clone, Copy, Debug)]
struct Bandwidth {
    setting: Setting,
    bytes_per_second: f64,
}

/// Arithmetic peak and bandwidths of this machine.
#[derive(Clone, Debug)]
pub struct Limits {
    caches: Caches,
    flops: [f64; THREADS.len()],
    bandwidths: Vec<Bandwidth>,
}

impl Limits {
    /// Measures everything the limits need; takes a second or two. The best round counts: a limit
    /// must not be lowered by whoever else uses the machine.
    pub fn measure(quick: bool) -> Limits {
        let caches = Caches::detect();
        let block_seconds = if quick { 0.002 } else { 0.01 };
        let schedule = Schedule { rounds: 7, most: 7, block_seconds };
        let flops = THREADS.map(|threads| {
            (0..schedule.rounds).map(|_| fma::peak(threads, block_seconds)).fold(0.0, f64::max)
        });
        let bandwidths = Setting::all(&THREADS)
            .into_iter()
            .filter_map(|setting| {
                let rates = setting.measure(&caches, schedule);
                let bytes_per_second = rates.into_iter().reduce(f64::max)?;
                Some(Bandwidth { setting, bytes_per_second })
            })
            .collect();
        Limits { caches, flops, bandwidths }
    }

    /// Limits that were not measured, for tests: `flops` a second, no bandwidth.
    #[cfg(test)]
    pub(crate) fn arithmetic_only(flops: f64) -> Limits {
        let caches = Caches { l1: 32 << 10, l2: 1 << 20, l3: 32 << 20 };
        Limits { caches, flops: [flops; THREADS.len()], bandwidths: Vec::new() }
    }

    /// The cache sizes the levels go by.
    pub fn caches(&self) -> &Caches {
        &self.caches
    }

    /// Operations a second of `threads` threads (as measured for the nearest count known).
    pub fn flops(&self, threads: usize) -> f64 {
        self.flops[known(threads)]
    }

    /// Bytes a second of a pattern at a level on given pages; `None` where not measured.
    pub fn bandwidth(
        &self,
        pattern: Pattern,
        level: Level,
        pages: Pages,
        threads: usize,
    ) -> Option<f64> {
        let wanted = Setting { pattern, level, pages, threads: THREADS[known(threads)] };
        self.bandwidths.iter().find(|b| b.setting == wanted).map(|b| b.bytes_per_second)
    }

    /// The fastest this machine moves the data of `work`: over all patterns and pages, because a limit
    /// may be reached by any of them, or over those that only read.
    fn best_bandwidth(&self, work: &Work, threads: usize) -> Option<f64> {
        let footprint = if work.footprint > 0.0 { work.footprint } else { work.bytes };
        let level = self.caches.level_of(footprint, threads);
        let threads = THREADS[known(threads)];
        self.bandwidths
            .iter()
            .filter(|b| b.setting.level == level && b.setting.threads == threads)
            .filter(|b| !work.reads || Pattern::READING.contains(&b.setting.pattern))
            .map(|b| b.bytes_per_second)
            .reduce(f64::max)
    }

    /// The least seconds `work` can take: operations over `peak` operations a second, plus bytes
    /// over bandwidth. `None` where nothing limits it, and for more threads than bandwidths were measured for.
    pub fn seconds(&self, work: &Work, threads: usize, peak: f64) -> Option<f64> {
        if threads > THREADS[THREADS.len() - 1] {
            return None;
        }
        let arithmetic = if work.flops > 0.0 { work.flops / peak } else { 0.0 };
        let moving = match self.best_bandwidth(work, threads) {
            Some(rate) if work.bytes > 0.0 => work.bytes / rate,
            _ => 0.0,
        };
        Some(arithmetic + moving).filter(|seconds| *seconds > 0.0)
    }
}

fn known(threads: usize) -> usize {
    THREADS.iter().rposition(|known| *known <= threads).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        let of = |pattern, level, pages, bytes_per_second| Bandwidth {
            setting: Setting { pattern, level, pages, threads: 1 },
            bytes_per_second,
        };
        let (read, copy) = (Pattern::Read, Pattern::Copy);
        Limits {
            caches: Caches { l1: 1000, l2: 10_000, l3: 100_000 },
            flops: [1e9, 2e9],
            bandwidths: vec![
                of(read, Level::L1, Pages::Small, 1e9),
                of(read, Level::Memory, Pages::Small, 1e6),
                of(copy, Level::Memory, Pages::Huge, 2e6),
            ],
        }
    }

    #[test]
    fn the_limit_adds_arithmetic_and_moving_at_the_level_of_the_footprint() {
        let limits = limits();
        let work = Work { flops: 1e9, bytes: 1000.0, ..Work::default() };
        assert_eq!(limits.seconds(&work, 1, 1e9), Some(1.0 + 1e-6));
        let far = Work { footprint: 1e6, ..work };
        assert_eq!(limits.seconds(&far, 1, 1e9), Some(1.0 + 1000.0 / 2e6));
    }

    #[test]
    fn what_is_only_read_is_not_held_to_what_copies_move() {
        let work = Work { bytes: 1e6, reads: true, ..Work::default() };
        assert_eq!(limits().seconds(&work, 1, 1e9), Some(1.0));
    }

    #[test]
    fn more_threads_than_were_measured_have_no_limit() {
        let work = Work { flops: 1e9, ..Work::default() };
        assert_eq!(limits().seconds(&work, 2, 2e9), Some(0.5));
        assert_eq!(limits().seconds(&work, 3, 3e9), None);
    }

    #[test]
    fn work_of_nothing_has_no_limit() {
        assert_eq!(limits().seconds(&Work::default(), 1, 1e9), None);
    }

    #[test]
    fn unknown_thread_counts_use_the_nearest_known_below() {
        assert_eq!([1, 2, 8].map(|t| limits().flops(t)), [1e9, 2e9, 2e9]);
    }
}
