//! Bandwidth of one pattern at one level, by all threads together.

use std::hint::black_box;
use std::time::Instant;

use super::caches::{Caches, Level};
use super::crew::at_once;
use super::pages::{Mapping, Pages};
use crate::rounds::Schedule;
use whimbrel_kernels::probe::BLOCK;
pub use whimbrel_kernels::probe::Pattern;

/// Slices a round is cut into.
const SLICES: usize = 8;

/// Bytes of one array worked on between two looks at the clock.
const GLANCE: usize = 512 << 10;

/// What is measured: a pattern, where its data lives, on what pages, by how many threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The access pattern.
    pub pattern: Pattern,
    /// Where the data lives.
    pub level: Level,
    /// The pages it lies on.
    pub pages: Pages,
    /// Threads, each with arrays of its own.
    pub threads: usize,
}

impl Setting {
    /// Every setting this machine can be asked for, for each of the thread counts.
    pub fn all(threads: &[usize]) -> Vec<Setting> {
        let mut settings = Vec::new();
        for level in Level::ALL {
            let far = [Pattern::ReadRuns, Pattern::CopyStream].into_iter();
            let far = far.filter(|_| level == Level::Memory);
            for pattern in Pattern::CACHED.into_iter().chain(far) {
                for &threads in threads {
                    for pages in Pages::ALL.into_iter().filter(|pages| pages.available()) {
                        settings.push(Setting { pattern, level, pages, threads });
                    }
                }
            }
        }
        settings
    }

    /// The case name: `bandwidth/l2/copy/t1/huge`.
    pub fn name(&self) -> String {
        let (level, pattern, pages) = (self.level.name(), self.pattern.name(), self.pages.name());
        format!("bandwidth/{level}/{pattern}/t{}/{pages}", self.threads)
    }

    /// Bytes a second, a value a round; empty when the system gives no memory.
    ///
    /// A round's value is its best slice, all threads taken together: whoever else uses the
    /// machine shortens some slices but rarely all.
    pub fn measure(&self, caches: &Caches, schedule: Schedule) -> Vec<f64> {
        let bytes = caches.footprint(self.level, self.threads) / self.pattern.arrays();
        let len = (bytes / 4 / BLOCK).max(1) * BLOCK;
        let map = |_| Arrays::new(self.pattern, len, self.pages);
        let Some(mut arrays) = (0..self.threads).map(map).collect::<Option<Vec<_>>>() else {
            return Vec::new();
        };
        let jobs = arrays.iter_mut().map(|arrays| || self.slices(schedule, arrays)).collect();
        let threads = at_once(jobs);
        let together = |slice: usize| threads.iter().map(|rates| rates[slice]).sum::<f64>();
        let best =
            |round: usize| (round * SLICES..(round + 1) * SLICES).map(together).fold(0.0, f64::max);
        (0..schedule.rounds).map(best).collect()
    }

    /// One thread's rate in each slice of each round. Slices end at fixed moments, so those of
    /// different threads cover the same time.
    fn slices(&self, schedule: Schedule, arrays: &mut Arrays) -> Vec<f64> {
        let (a, b) = (arrays.a.as_mut_slice(), arrays.b.as_mut_slice());
        let c = arrays.c.as_mut_slice();
        // Between two looks at the clock: a part of a large array, many passes over a small one.
        let part = b.len().min(GLANCE / 4 / BLOCK * BLOCK);
        let passes = (GLANCE / (part * 4)).max(1);
        let bytes = (part * 4 * self.pattern.arrays() * passes) as f64;
        let mut at = 0;
        let mut glance = || {
            let (to_a, to_c) = (at + part.min(a.len()), at + part.min(c.len()));
            let a = a.get_mut(at..to_a).unwrap_or_default();
            let c = c.get(at..to_c).unwrap_or_default();
            let read = &b[at..at + part];
            black_box(self.pattern.run(passes, a, read, c));
            at = if at + 2 * part <= b.len() { at + part } else { 0 };
            bytes
        };
        glance();
        let slice_seconds = schedule.block_seconds / SLICES as f64;
        let start = Instant::now();
        let mut began = 0.0;
        (1..=schedule.rounds * SLICES)
            .map(|slice| {
                let mut moved = 0.0;
                loop {
                    moved += glance();
                    let now = start.elapsed().as_secs_f64();
                    if now >= slice as f64 * slice_seconds {
                        let rate = moved / (now - began);
                        began = now;
                        return rate;
                    }
                }
            })
            .collect()
    }
}

/// The arrays of one thread; those the pattern does not use are empty.
struct Arrays {
    a: Mapping,
    b: Mapping,
    c: Mapping,
}

impl Arrays {
    fn new(pattern: Pattern, len: usize, pages: Pages) -> Option<Arrays> {
        let map = |arrays| Mapping::new(if pattern.arrays() >= arrays { len } else { 0 }, pages);
        Some(Arrays { a: map(2)?, b: map(1)?, c: map(3)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_of_the_near_levels_gives_a_rate_a_round() {
        // The third level's arrays are large enough to be worked on in parts.
        let caches = Caches { l1: 4 << 10, l2: 2 << 20, l3: 32 << 20 };
        let schedule = Schedule { rounds: 3, most: 3, block_seconds: 1e-5 };
        for setting in Setting::all(&[1, 2]).iter().filter(|s| s.level != Level::Memory) {
            let rates = setting.measure(&caches, schedule);
            assert_eq!(rates.len(), 3, "{}", setting.name());
            assert!(rates.iter().all(|rate| *rate > 0.0), "{}", setting.name());
        }
    }

    #[test]
    fn settings_have_distinct_names() {
        let mut names: Vec<_> = Setting::all(&[1, 2]).iter().map(Setting::name).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
