//! The measuring itself: blocks of calls, interleaved rounds, medians and spread.
//!
//! A round is one block of ours and one of the peer, next to each other in time, so that what
//! disturbs the machine disturbs both. Only the median over rounds is ever reported; while it is in
//! doubt, there are more rounds. The clock enters here and nowhere else.

use std::time::Instant;

use crate::error::Result;

/// How much to measure.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// Rounds; at least seven wherever a ratio is reported.
    pub rounds: usize,
    /// Rounds at most, while the median is in doubt.
    pub most: usize,
    /// The time one block of calls should take, in seconds.
    pub block_seconds: f64,
}

impl Schedule {
    /// The schedule of a full or a quick run.
    pub fn new(quick: bool) -> Schedule {
        if quick {
            Schedule { rounds: 7, most: 28, block_seconds: 0.005 }
        } else {
            Schedule { rounds: 11, most: 66, block_seconds: 0.03 }
        }
    }

    /// The schedule with this many rounds, whatever they give.
    pub fn exactly(self, rounds: usize) -> Schedule {
        Schedule { rounds, most: rounds, ..self }
    }
}

/// Relative width of the interval a median lies in, with 95 % certainty, from which on it is in doubt.
const DOUBTFUL: f64 = 0.03;

/// The values of one quantity, a round each.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<f64>);

impl Samples {
    /// Samples out of values in any order.
    pub fn new(mut values: Vec<f64>) -> Samples {
        values.sort_by(f64::total_cmp);
        Samples(values)
    }

    /// The value below which the share `q` of the samples lies, linearly interpolated; `None`
    /// without samples.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let last = self.0.len().checked_sub(1)?;
        let at = q.clamp(0.0, 1.0) * last as f64;
        let (low, high) = (at.floor() as usize, at.ceil() as usize);
        Some(self.0[low] + (self.0[high] - self.0[low]) * (at - low as f64))
    }

    /// The median; `None` without samples.
    pub fn median(&self) -> Option<f64> {
        self.quantile(0.5)
    }

    /// (p90 - p10) / median; `None` with fewer than two samples or a median of zero.
    pub fn spread(&self) -> Option<f64> {
        if self.0.len() < 2 {
            return None;
        }
        let median = self.median().filter(|m| *m != 0.0)?;
        Some((self.quantile(0.9)? - self.quantile(0.1)?) / median)
    }

    /// Whether the median of many more rounds may well be another. No assumption is made about how
    /// values are distributed: of `n` values, some `sqrt(n)` around the middle hold the true median.
    fn is_in_doubt(&self) -> bool {
        let n = self.0.len() as f64;
        let low = (0.5 * (n - 1.96 * n.sqrt())).max(0.0) as usize;
        match (self.0.get(low), self.0.iter().nth_back(low), self.median()) {
            (Some(low), Some(high), Some(median)) => high - low > DOUBTFUL * median,
            _ => true,
        }
    }
}

/// Seconds a call takes, the mean over one block of `calls`.
pub fn time_block(calls: u64, call: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        call();
    }
    start.elapsed().as_secs_f64() / calls as f64
}

/// How many calls fill a block of `block_seconds`; runs the call a few times, which warms it.
pub fn calls_per_block(block_seconds: f64, call: &mut dyn FnMut()) -> u64 {
    call();
    let mut calls = 1;
    loop {
        let seconds = time_block(calls, call) * calls as f64;
        // A tenth of the block is long enough to extrapolate from.
        if seconds >= block_seconds / 10.0 {
            let scaled = calls as f64 * block_seconds / seconds;
            return (scaled.round() as u64).max(1);
        }
        calls *= 4;
    }
}

/// What one case's rounds gave, in seconds a call; entries of equal index belong to one round.
#[derive(Clone, Debug, Default)]
pub struct Interleaved {
    /// Ours.
    pub ours: Vec<f64>,
    /// The peer's; empty without a peer.
    pub peer: Vec<f64>,
    /// What `between` returned before each round.
    pub between: Vec<f64>,
}

impl Interleaved {
    /// The rounds' times divided: above 1 where we took less time.
    pub fn ratios(&self) -> Samples {
        Samples::new(self.ours.iter().zip(&self.peer).map(|(ours, peer)| peer / ours).collect())
    }

    /// Whether what is reported first, the ratio or else our time, is in doubt.
    fn is_in_doubt(&self) -> bool {
        let samples =
            if self.peer.is_empty() { Samples::new(self.ours.clone()) } else { self.ratios() };
        samples.is_in_doubt()
    }
}

/// One side of a measurement: given the seconds a block should take, measures one and returns the
/// seconds a call took.
pub type Blocks<'a> = &'a mut dyn FnMut(f64) -> Result<f64>;

/// Blocks of a plain call. Each is preceded by one untimed call, because the other side has just
/// used the caches.
pub fn blocks_of<'a>(
    block_seconds: f64,
    call: &'a mut dyn FnMut(),
) -> impl FnMut(f64) -> Result<f64> + 'a {
    let calls = calls_per_block(block_seconds, call);
    move |_| {
        call();
        Ok(time_block(calls, call))
    }
}

/// Runs the rounds: `between`, a block of ours, a block of the peer's, and again.
pub fn interleave(
    schedule: Schedule,
    ours: Blocks<'_>,
    mut peer: Option<Blocks<'_>>,
    between: &mut dyn FnMut() -> f64,
) -> Result<Interleaved> {
    let mut result = Interleaved::default();
    while result.ours.len() < schedule.rounds
        || result.ours.len() < schedule.most && result.is_in_doubt()
    {
        result.between.push(between());
        result.ours.push(ours(schedule.block_seconds)?);
        if let Some(peer) = &mut peer {
            result.peer.push(peer(schedule.block_seconds)?);
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate_and_spread_is_relative() {
        let samples = Samples::new(vec![5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!(samples.median(), Some(3.0));
        assert_eq!(samples.quantile(0.9), Some(4.6));
        assert!((samples.spread().unwrap() - (4.6 - 1.4) / 3.0).abs() < 1e-12);
        assert_eq!(Samples::new(vec![]).median(), None);
        assert_eq!(Samples::new(vec![1.0]).spread(), None);
    }

    #[test]
    fn rounds_alternate_and_the_ratio_is_taken_within_a_round() {
        let order = std::cell::RefCell::new(Vec::new());
        let mut peer = |_: f64| {
            order.borrow_mut().push("peer");
            Ok(1.0)
        };
        let schedule = Schedule { rounds: 3, most: 3, block_seconds: 0.0 };
        let mut call = || order.borrow_mut().push("ours");
        let result = interleave(
            schedule,
            &mut blocks_of(schedule.block_seconds, &mut call),
            Some(&mut peer),
            &mut || {
                order.borrow_mut().push("between");
                2.0
            },
        )
        .unwrap();
        let order = order.into_inner();
        let rounds = &order[order.iter().position(|o| *o == "between").unwrap()..];
        assert_eq!(rounds[..4], ["between", "ours", "ours", "peer"]);
        assert_eq!(rounds.len(), 12);
        assert_eq!(result.between, [2.0; 3]);
        assert_eq!(result.ratios().median().map(|r| r > 0.0), Some(true));
    }

    #[test]
    fn rounds_go_on_while_the_median_is_in_doubt() {
        let count = |most: usize, times: &[f64]| {
            let schedule = Schedule { rounds: 7, most, block_seconds: 0.0 };
            let mut times = times.iter().cycle().copied();
            let mut ours = |_: f64| Ok(times.next().unwrap());
            interleave(schedule, &mut ours, None, &mut || 0.0).unwrap().ours.len()
        };
        assert_eq!(count(100, &[1.0, 1.01, 1.02]), 7);
        // One slow round in four is soon known to be the exception, every second one never is.
        assert_eq!(count(100, &[1.0, 1.0, 2.0, 1.0]), 14);
        assert_eq!(count(100, &[1.0, 2.0]), 100);
        assert_eq!(count(7, &[1.0, 2.0]), 7);
    }

    #[test]
    fn a_slow_call_fills_its_block_alone() {
        let mut count = 0_u64;
        assert_eq!(calls_per_block(0.0, &mut || count += 1), 1);
        assert_eq!(count, 2);
    }
}
