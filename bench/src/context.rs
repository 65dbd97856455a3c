//! What a suite is given: options, this machine's limits, the peers; and the one way to measure.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::fill::Digest;
use crate::machine::{Limits, Work, fma};
use crate::peer::Peer;
use crate::rounds::{Blocks, Interleaved, Samples, Schedule, blocks_of, interleave};
use crate::row::{Better, Row, Unit, tidy};
use crate::table;

/// Seconds the arithmetic peak is probed before each round.
const PROBE_SECONDS: f64 = 0.002;

/// How the seconds of a call become the value of a row.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// The row's metric.
    pub metric: &'static str,
    /// The row's unit.
    pub unit: Unit,
    /// How much one call does: operations, bytes, windows of a rate; parts that a time is told of.
    pub amount: f64,
}

impl Report {
    /// The time of a call.
    pub fn time(unit: Unit) -> Report {
        Report { metric: "time", unit, amount: 1.0 }
    }

    /// The time of one of the `parts` equal parts of a call.
    pub fn time_of_part(unit: Unit, parts: usize) -> Report {
        Report { amount: parts as f64, ..Report::time(unit) }
    }

    /// A rate: `amount` of the unit's base (operations, bytes, windows) done by each call.
    pub fn rate(unit: Unit, amount: f64) -> Report {
        Report { metric: "rate", unit, amount }
    }

    /// The row's value for a call of `seconds`.
    pub fn value(&self, seconds: f64) -> f64 {
        match self.unit.better() {
            Better::Higher => self.amount / seconds / self.unit.base(),
            Better::Lower => seconds / self.amount / self.unit.base(),
        }
    }
}

/// One thing to measure.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// The suite; also names the peer's file.
    pub suite: &'static str,
    /// The row's case.
    pub name: &'a str,
    /// What the row says.
    pub report: Report,
    /// What a call cannot avoid doing, for `of_limit`.
    pub work: Option<Work>,
    /// Threads a call of ours uses.
    pub threads: usize,
    /// The peer's side; `None` where there is none.
    pub peer: Option<Rival<'a>>,
}

/// The peer's side of a case.
#[derive(Clone, Debug)]
pub struct Rival<'a> {
    /// The case as the peer names it.
    pub case: &'a str,
    /// The thread counts it may try; the fastest is used.
    pub threads: &'a [usize],
    /// Our answer and the largest relative distance allowed; `None` where not comparable.
    pub answer: Option<(Digest, f64)>,
}

/// The state of one run of the program.
pub struct Context {
    quick: bool,
    long: bool,
    filter: Option<String>,
    environment: Option<PathBuf>,
    hinted: bool,
    limits: Option<Limits>,
    peers: BTreeMap<(String, usize), Peer>,
    differences: usize,
}

impl Context {
    /// A context; `environment` is the project root whose peers are to be used, if any.
    pub fn new(quick: bool, filter: Option<String>, environment: Option<PathBuf>) -> Context {
        Context {
            quick,
            long: false,
            filter,
            environment,
            hinted: false,
            limits: None,
            peers: BTreeMap::new(),
            differences: 0,
        }
    }

    /// Whether the run is meant to be short.
    pub fn quick(&self) -> bool {
        self.quick
    }

    /// The context of a run that may take hours.
    pub fn for_long(self, long: bool) -> Context {
        Context { long, ..self }
    }

    /// Whether the run may take hours.
    pub fn long(&self) -> bool {
        self.long
    }

    /// How many answers of peers differed from ours. Each was reported when it was found, and its row
    /// has no peer.
    pub fn differences(&self) -> usize {
        self.differences
    }

    /// How much to measure.
    pub fn schedule(&self) -> Schedule {
        Schedule::new(self.quick)
    }

    /// Whether `--filter` lets this case through. Ask before preparing anything expensive.
    pub fn wants(&self, case: &str) -> bool {
        self.filter.as_ref().is_none_or(|text| case.contains(text.as_str()))
    }

    /// This machine's limits, measured at the first call.
    pub fn limits(&mut self) -> &Limits {
        let quick = self.quick;
        self.limits.get_or_insert_with(|| {
            eprintln!("measuring the machine's limits");
            Limits::measure(quick)
        })
    }

    /// Measures `ours` against the peer in interleaved rounds.
    pub fn measure(&mut self, case: &Case<'_>, ours: impl FnMut()) -> Result<Row> {
        let mut least = self.least(case);
        self.measure_within(case, ours, &mut least)
    }

    /// [`measure`](Context::measure) with a limit of the suite's own: `least`, asked before each
    /// round, gives the seconds below which a call cannot go, or NaN. `case.work` is not used.
    pub fn measure_within(
        &mut self,
        case: &Case<'_>,
        mut ours: impl FnMut(),
        least: &mut dyn FnMut() -> f64,
    ) -> Result<Row> {
        eprintln!("{} {}", case.suite, case.name);
        let schedule = self.schedule();
        let mut ours = blocks_of(schedule.block_seconds, &mut ours);
        self.rounds(case, schedule, &mut ours, least)
    }

    /// [`measure`](Context::measure) of what times itself, because a call has parts that do not
    /// count: `ours` is given the seconds a block should take and returns those a call took.
    pub fn measure_blocks(
        &mut self,
        case: &Case<'_>,
        block_seconds: f64,
        ours: Blocks<'_>,
    ) -> Result<Row> {
        eprintln!("{} {}", case.suite, case.name);
        let schedule = Schedule { block_seconds, ..self.schedule() };
        let mut least = self.least(case);
        self.rounds(case, schedule, ours, &mut least)
    }

    /// [`measure_blocks`](Context::measure_blocks) without a peer, of what may take so long that it is
    /// measured once.
    pub fn measure_long(&mut self, case: &Case<'_>, once: bool, ours: Blocks<'_>) -> Result<Row> {
        eprintln!("{} {}", case.suite, case.name);
        let schedule = self.schedule();
        let schedule = if once { schedule.exactly(1) } else { schedule };
        let mut least = self.least(case);
        Ok(row(case, interleave(schedule, ours, None, &mut least)?, None))
    }

    /// The rounds of a case beside its peer.
    fn rounds(
        &mut self,
        case: &Case<'_>,
        schedule: Schedule,
        ours: Blocks<'_>,
        least: &mut dyn FnMut() -> f64,
    ) -> Result<Row> {
        match self.fastest(case)? {
            Some((peer, name)) => {
                let mut remote = |seconds: f64| peer.measure(seconds);
                let rounds = interleave(schedule, ours, Some(&mut remote), least)?;
                Ok(row(case, rounds, Some(name)))
            }
            None => Ok(row(case, interleave(schedule, ours, None, least)?, None)),
        }
    }

    /// Measures `ours` against `other`, another way to do the same in this process, in interleaved
    /// rounds; `name` becomes the row's `peer_name`. `case.peer` is not used.
    pub fn race(
        &mut self,
        case: &Case<'_>,
        mut ours: impl FnMut(),
        name: &str,
        mut other: impl FnMut(),
    ) -> Result<Row> {
        eprintln!("{} {}", case.suite, case.name);
        let schedule = self.schedule();
        let mut least = self.least(case);
        let mut ours = blocks_of(schedule.block_seconds, &mut ours);
        let mut rival = blocks_of(schedule.block_seconds, &mut other);
        let rounds = interleave(schedule, &mut ours, Some(&mut rival), &mut least)?;
        Ok(row(case, rounds, Some(name.to_owned())))
    }

    /// [`race`](Context::race) of two sides that time themselves; see
    /// [`measure_blocks`](Context::measure_blocks).
    pub fn race_blocks(
        &mut self,
        case: &Case<'_>,
        block_seconds: f64,
        ours: Blocks<'_>,
        name: &str,
        other: Blocks<'_>,
    ) -> Result<Row> {
        eprintln!("{} {}", case.suite, case.name);
        let schedule = Schedule { block_seconds, ..self.schedule() };
        let mut least = self.least(case);
        let rounds = interleave(schedule, ours, Some(other), &mut least)?;
        Ok(row(case, rounds, Some(name.to_owned())))
    }

    /// What the peer says of a case that is a figure and no time, with its name; `None` without
    /// peers.
    pub fn peer_figure(
        &mut self,
        suite: &'static str,
        case: &str,
    ) -> Result<Option<(f64, String)>> {
        let answer = self.peer_figures(suite, case)?;
        Ok(answer.map(|(figures, name)| (figures.sum, name)))
    }

    /// [`peer_figure`](Context::peer_figure) for a case of several figures.
    pub fn peer_figures(
        &mut self,
        suite: &'static str,
        case: &str,
    ) -> Result<Option<(Digest, String)>> {
        let rival = Rival { case, threads: &[1], answer: None };
        let report = Report::time(Unit::Seconds);
        let case = Case { suite, name: case, report, work: None, threads: 1, peer: Some(rival) };
        let Some((peer, name)) = self.fastest(&case)? else { return Ok(None) };
        Ok(Some((peer.answer()?, name)))
    }

    /// The least seconds of `case.work` by the arithmetic peak of the moment; NaN without work.
    fn least(&mut self, case: &Case<'_>) -> impl FnMut() -> f64 + use<> {
        let known = case.work.map(|work| (work, self.limits().clone()));
        let threads = case.threads;
        move || match &known {
            Some((work, limits)) => {
                let peak = fma::peak(threads, PROBE_SECONDS);
                limits.seconds(work, threads, peak).unwrap_or(f64::NAN)
            }
            None => f64::NAN,
        }
    }

    /// The peer process that is fastest at this case and its name, its answer compared with ours.
    fn fastest(&mut self, case: &Case<'_>) -> Result<Option<(&mut Peer, String)>> {
        let Some(rival) = &case.peer else { return Ok(None) };
        let Some(root) = self.environment.clone() else {
            if !self.hinted {
                eprintln!("no peer environment, so no peer columns: run bench/setup to make one");
                self.hinted = true;
            }
            return Ok(None);
        };
        let mut best: Option<(f64, String, usize)> = None;
        for &threads in rival.threads {
            let key = (case.suite.to_owned(), threads);
            if !self.peers.contains_key(&key) {
                self.peers.insert(key.clone(), Peer::start(&root, case.suite, threads)?);
            }
            let Some(peer) = self.peers.get_mut(&key) else { continue };
            let prepared = peer.prepare(rival.case, self.quick)?;
            if let Some((ours, allowed)) = &rival.answer {
                let distance = ours.distance(&peer.answer()?);
                if distance > *allowed {
                    // The rows before it took minutes, and those after it are as good.
                    let error = Error::Answer {
                        suite: case.suite.to_owned(),
                        case: case.name.to_owned(),
                        peer_name: prepared.peer_name,
                        distance,
                        allowed: *allowed,
                    };
                    eprintln!("error: {error}");
                    self.differences += 1;
                    continue;
                }
            }
            if best.as_ref().is_none_or(|(seconds, _, _)| prepared.seconds < *seconds) {
                best = Some((prepared.seconds, prepared.peer_name, threads));
            }
        }
        let Some((_, name, threads)) = best else { return Ok(None) };
        Ok(self.peers.get_mut(&(case.suite.to_owned(), threads)).map(|peer| (peer, name)))
    }
}

/// The row of measured rounds; what stands between them is the least seconds a call could take.
fn row(case: &Case<'_>, rounds: Interleaved, peer_name: Option<String>) -> Row {
    let mut row = Row::new(case.suite, case.name, case.report.metric, case.report.unit);
    let ratio = rounds.ratios().median();
    let shares = rounds.between.iter().zip(&rounds.ours).map(|(least, took)| 100.0 * least / took);
    let of_limit = Samples::new(shares.filter(|share| share.is_finite()).collect()).median();
    let values = |seconds: Vec<f64>| {
        Samples::new(seconds.into_iter().map(|s| case.report.value(s)).collect())
    };
    let (ours, peer) = (values(rounds.ours), values(rounds.peer));
    row.ours = ours.median().map(tidy);
    row.spread = ours.spread().map(tidy);
    row.peer = peer.median().map(tidy);
    row.peer_name = peer_name;
    row.ratio = ratio.map(tidy);
    row.of_limit = of_limit.map(tidy);
    // Now: a run that is stopped, or fails later, has shown what it measured.
    eprintln!("    {}", table::line(&row));
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_rates_are_reported_in_their_unit() {
        assert_eq!(Report::time(Unit::Microseconds).value(2e-6), 2.0);
        assert_eq!(Report::time_of_part(Unit::Microseconds, 4).value(8e-6), 2.0);
        assert_eq!(Report::rate(Unit::Gflops, 4e9).value(2.0), 2.0);
        assert_eq!(Report::rate(Unit::WindowsPerSecond, 32.0).value(0.5), 64.0);
    }

    #[test]
    fn without_peers_the_row_has_our_figures_and_the_limit() {
        let mut context = Context::new(true, None, None);
        context.limits = Some(Limits::arithmetic_only(1e9));
        let work = Work { flops: 1e3, ..Work::default() };
        let peer = Rival { case: "any", threads: &[1], answer: None };
        let case = Case {
            suite: "test",
            name: "case",
            report: Report::time(Unit::Nanoseconds),
            work: Some(work),
            threads: 1,
            peer: Some(peer),
        };
        let row = context.measure(&case, || {
            std::hint::black_box((0..1000).fold(0.0_f32, |sum, i| sum + i as f32));
        });
        let row = row.unwrap();
        assert!(row.ours.is_some() && row.of_limit.is_some() && row.spread.is_some());
        assert_eq!((row.peer, row.peer_name, row.ratio), (None, None, None));
    }

    #[test]
    fn a_race_has_the_other_way_in_the_peer_columns_and_the_limit_given() {
        let mut context = Context::new(true, None, None);
        let report = Report::time(Unit::Nanoseconds);
        let case = Case { suite: "test", name: "case", report, work: None, threads: 1, peer: None };
        let spin = |turns: u32| {
            std::hint::black_box((0..turns).map(std::hint::black_box).sum::<u32>());
        };
        let row = context.race(&case, || spin(10), "plain", || spin(60_000)).unwrap();
        assert_eq!(row.peer_name.as_deref(), Some("plain"));
        assert!(row.peer.unwrap() > row.ours.unwrap() && row.ratio.unwrap() > 1.0);
        assert_eq!(row.of_limit, None);
        let row = context.measure_within(&case, || spin(10), &mut || 0.0).unwrap();
        assert_eq!((row.peer, row.of_limit), (None, Some(0.0)));
    }

    #[test]
    fn the_filter_lets_cases_through_that_contain_it() {
        let context = Context::new(true, Some("t1/".to_owned()), None);
        assert!(context.wants("f32/t1/64x64x64"));
        assert!(!context.wants("f32/t2/64x64x64"));
    }
}
