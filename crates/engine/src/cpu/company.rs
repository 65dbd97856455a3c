//! Company: whether a graph runs on the whole team or alone, whichever was faster lately.
//!
//! Members of a team wait for each other many times in a run. On cores that other programs use too, each wait
//! may last until the system lets the awaited member on, a thousand times what the work takes; and of small
//! graphs a team makes nothing faster. Results are the same bits either way.

use std::time::Duration;

/// Runs after which the other way is tried, at first, and at most.
const SOON: u32 = 16;
const LATE: u32 = 1024;
/// Runs that do not count after a change to the team, whose members may have slept and are not awake at once.
const WAKING: u32 = 3;
/// The same after a change to being alone, where nobody sleeps, but half of the memory is in another cache.
const SETTLING: u32 = 1;
/// What a run usually takes where neither matters and all runs count.
const LONG_SECONDS: f64 = 1e-3;
/// How many times the usual duration makes a run suspicious.
const SUSPICIOUS: f64 = 3.0;

/// What is known of one graph.
#[derive(Clone, Debug)]
pub struct Company {
    /// Usual seconds of a run on the team, and alone; none before the first.
    seconds: [Option<f64>; 2],
    alone: bool,
    /// Runs until the other way is tried, and how many those will be next time.
    left: u32,
    stay: u32,
    /// Runs to come that do not count.
    uncounted: u32,
}

impl Company {
    /// Nothing is known: a run of the team does not count, as all memory is new to it, one does, then it is made
    /// alone.
    pub fn new() -> Company {
        Company { seconds: [None; 2], alone: false, left: 1, stay: SOON, uncounted: 1 }
    }

    /// Whether the next run is better made alone.
    pub fn goes_alone(&self) -> bool {
        self.alone != (self.left == 0)
    }

    /// What a run takes in the way that is known to be the faster; none takes anything before the first.
    fn usual(&self) -> f64 {
        self.seconds.into_iter().flatten().reduce(f64::min).unwrap_or(0.0)
    }

    /// A run took so long, in the way that was advised.
    pub fn learn(&mut self, took: Duration) {
        let (way, took) = (self.goes_alone(), took.as_secs_f64());
        if self.uncounted > 0 {
            self.uncounted -= 1;
            if self.usual() < LONG_SECONDS {
                return;
            }
            self.uncounted = 0;
        }
        let usual = &mut self.seconds[usize::from(way)];
        if self.left > 0 {
            let suspicious = usual.is_some_and(|usual| took > SUSPICIOUS * usual);
            *usual = Some(usual.map_or(took, |usual| usual + (took - usual) / 4.0));
            self.left -= 1;
            if suspicious {
                (self.stay, self.left) = (SOON, self.left.min(SOON));
            }
            if self.left == 0 {
                self.change();
            }
            return;
        }
        // The other way was tried: what counts is this one run, not what it was long ago.
        *usual = Some(took);
        let better = match self.seconds {
            [Some(team), Some(alone)] => alone < team,
            _ => self.alone,
        };
        self.stay = if better == self.alone { (2 * self.stay).min(LATE) } else { SOON };
        (self.alone, self.left) = (better, self.stay);
        if better != way {
            self.change();
        }
    }

    /// The next run is made in the other way.
    fn change(&mut self) {
        self.uncounted = if self.goes_alone() { SETTLING } else { WAKING };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of a graph that takes so many microseconds on the team and alone: how many were alone.
    fn runs(company: &mut Company, count: usize, team: u64, alone: u64) -> usize {
        let run = |_: &usize| {
            let goes_alone = company.goes_alone();
            company.learn(Duration::from_micros(if goes_alone { alone } else { team }));
            goes_alone
        };
        (0..count).filter(run).count()
    }

    #[test]
    fn a_team_that_is_faster_runs_nearly_always() {
        let mut company = Company::new();
        assert!(runs(&mut company, 10_000, 60, 100) <= 30);
    }

    #[test]
    fn a_team_is_not_judged_by_its_first_run() {
        let mut company = Company::new();
        runs(&mut company, 1, 20_000, 8_000);
        assert!(runs(&mut company, 100, 4_000, 8_000) <= 10);
    }

    #[test]
    fn a_graph_too_small_to_share_runs_alone() {
        let mut company = Company::new();
        assert!(runs(&mut company, 10_000, 9, 4) >= 9_940);
    }

    #[test]
    fn a_team_that_slept_is_given_time_to_wake() {
        let mut company = Company::new();
        runs(&mut company, 1, 500, 100);
        let mut asleep = true;
        let run = |_: &usize| {
            let goes_alone = company.goes_alone();
            let team = if asleep { 400 } else { 60 };
            let took = if goes_alone { 100 } else { team };
            company.learn(Duration::from_micros(took));
            asleep = goes_alone;
            goes_alone
        };
        assert!((0..10_000).filter(run).count() <= 100);
    }

    #[test]
    fn a_machine_that_gets_busy_is_noticed_and_one_that_gets_quiet_too() {
        let mut company = Company::new();
        runs(&mut company, 5_000, 60, 100);
        assert!(runs(&mut company, 1_000, 4_000, 200) >= 900);
        assert!(runs(&mut company, 5_000, 60, 100) <= 1_100);
    }
}
