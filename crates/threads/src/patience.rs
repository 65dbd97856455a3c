//! How long a member spins before it sleeps.
//!
//! The budget adapts: a wait that the full budget covers earns it, a longer one halves it. So a team at work answers within
//! a cache miss, while one whose cores others use too, where spinning only keeps the awaited member from running, soon
//! stops. What counts is how long the wait was, not whether spinning caught it: two members that both sleep make each
//! other's waits too long for a small budget, and would go on like that. Now and then a full budget is tried again.

use std::time::{Duration, Instant};

use crate::sync::{AtomicU32, Ordering};

/// Looks at the value between two readings of the clock.
const LOOKS: u32 = 32;

/// Of this many long waits, one gets the full budget.
const PROBE: u32 = 32;

/// Spin budgets in nanoseconds, and the number of times to offer the core to others before sleeping.
#[derive(Debug)]
pub(crate) struct Patience {
    budget_ns: AtomicU32,
    misses: AtomicU32,
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
            Patience::between(2_000, 200_000, 4)
        }
    }

    fn between(floor_ns: u32, ceiling_ns: u32, yields: u32) -> Patience {
        Patience {
            budget_ns: AtomicU32::new(ceiling_ns),
            misses: AtomicU32::new(0),
            floor_ns,
            ceiling_ns,
            yields,
        }
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
        let caught = self.spin(start, &look).or_else(|| self.offer_core(&look));
        let answer = caught.unwrap_or_else(sleep);
        self.learn(start.elapsed() < Duration::from_nanos(self.ceiling_ns.into()));
        answer
    }

    fn spin<T>(&self, start: Instant, look: impl Fn() -> Option<T>) -> Option<T> {
        let budget = self.budget();
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

    fn budget(&self) -> Duration {
        let probes = self.misses.load(Ordering::Relaxed) % PROBE == PROBE - 1;
        let budget_ns =
            if probes { self.ceiling_ns } else { self.budget_ns.load(Ordering::Relaxed) };
        Duration::from_nanos(budget_ns.into())
    }

    /// Members share the budget without synchronising: what one learns may get lost, which only delays learning it.
    fn learn(&self, short: bool) {
        let old = self.budget_ns.load(Ordering::Relaxed);
        let new = if short { self.ceiling_ns } else { (old / 2).max(self.floor_ns) };
        if new != old {
            self.budget_ns.store(new, Ordering::Relaxed);
        }
        if !short {
            self.misses.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn missed_waits_shrink_the_budget_and_a_caught_one_restores_it() {
        let patience = Patience::new(2, 2);
        (0..10).for_each(|_| patience.learn(false));
        assert_eq!(patience.budget(), Duration::from_nanos(patience.floor_ns.into()));
        patience.learn(true);
        assert_eq!(patience.budget(), Duration::from_nanos(patience.ceiling_ns.into()));
    }

    #[test]
    fn full_budget_is_tried_again_now_and_then() {
        let patience = Patience::new(2, 2);
        (0..PROBE).for_each(|_| patience.learn(false));
        let full = Duration::from_nanos(patience.ceiling_ns.into());
        let probes = (0..10 * PROBE).filter(|_| {
            patience.learn(false);
            patience.budget() == full
        });
        assert_eq!(probes.count(), 10);
    }

    #[test]
    fn crowded_teams_have_no_budget_at_all() {
        let patience = Patience::new(3, 2);
        for _ in 0..2 * PROBE {
            assert_eq!(patience.wait(|| None, || 7), 7);
            assert_eq!(patience.budget(), Duration::ZERO);
        }
        patience.learn(true);
        assert_eq!(patience.budget(), Duration::ZERO);
    }
}
