//! How long a member spins before it sleeps.
//!
//! The budget adapts: waits short enough for spinning to catch earn the full budget, longer ones halve it. So a team at
//! work answers within a cache miss, and one whose cores are taken, or that has nothing to do, soon stops burning them.

use std::time::{Duration, Instant};

use crate::sync::{AtomicU32, Ordering};

/// Looks at the value between two readings of the clock.
const LOOKS: u32 = 32;

/// Spin budgets in nanoseconds, and the number of times to offer the core to others before sleeping.
#[derive(Debug)]
pub(crate) struct Patience {
    budget_ns: AtomicU32,
    floor_ns: u32,
    ceiling_ns: u32,
    yields: u32,
}

impl Patience {
    /// For `members` threads sharing `cores` cores. With more members than cores, whoever is awaited probably needs the
    /// waiter's core, so the waiter hands it over almost at once.
    pub(crate) fn new(members: usize, cores: usize) -> Patience {
        if members > cores {
            Patience::between(0, 0, 2)
        } else {
            Patience::between(4_000, 50_000, 4)
        }
    }

    fn between(floor_ns: u32, ceiling_ns: u32, yields: u32) -> Patience {
        Patience { budget_ns: AtomicU32::new(ceiling_ns), floor_ns, ceiling_ns, yields }
    }

    /// Polls `look` until it has an answer, and falls back on `sleep` when the budget is spent.
    pub(crate) fn wait<T>(&self, look: impl Fn() -> Option<T>, sleep: impl FnOnce() -> T) -> T {
        if cfg!(loom) {
            return sleep();
        }
        for _ in 0..LOOKS {
            if let Some(answer) = look() {
                return answer;
            }
            std::hint::spin_loop();
        }
        let start = Instant::now();
        let answer = self.spin(start, &look).or_else(|| self.offer_core(&look));
        let answer = answer.unwrap_or_else(sleep);
        self.learn(start.elapsed());
        answer
    }

    fn spin<T>(&self, start: Instant, look: impl Fn() -> Option<T>) -> Option<T> {
        let budget = Duration::from_nanos(self.budget_ns.load(Ordering::Relaxed).into());
        while start.elapsed() < budget {
            for _ in 0..LOOKS {
                if let Some(answer) = look() {
                    return Some(answer);
                }
                std::hint::spin_loop();
            }
        }
        None
    }

    fn offer_core<T>(&self, look: impl Fn() -> Option<T>) -> Option<T> {
        (0..self.yields).find_map(|_| {
            std::thread::yield_now();
            look()
        })
    }

    /// A sleeper wakes late, so a wait counts as short up to twice the ceiling.
    fn learn(&self, waited: Duration) {
        let old = self.budget_ns.load(Ordering::Relaxed);
        let short = waited <= Duration::from_nanos(2 * u64::from(self.ceiling_ns));
        let new = if short { self.ceiling_ns } else { (old / 2).max(self.floor_ns) };
        if new != old {
            self.budget_ns.store(new, Ordering::Relaxed);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn long_waits_shrink_the_budget_to_its_floor_and_a_short_one_restores_it() {
        let patience = Patience::new(2, 2);
        for _ in 0..10 {
            patience.learn(Duration::from_millis(1));
        }
        assert_eq!(patience.budget_ns.load(Ordering::Relaxed), patience.floor_ns);
        patience.learn(Duration::from_micros(20));
        assert_eq!(patience.budget_ns.load(Ordering::Relaxed), patience.ceiling_ns);
    }

    #[test]
    fn crowded_teams_have_no_budget_at_all() {
        let patience = Patience::new(3, 2);
        patience.learn(Duration::ZERO);
        assert_eq!(patience.budget_ns.load(Ordering::Relaxed), 0);
        assert_eq!(patience.wait(|| None, || 7), 7);
    }
}
