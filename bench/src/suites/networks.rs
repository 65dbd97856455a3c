//! Networks from the text files of `examples/`, trained by the trainer as `whimbrel net train` does.
//!
//! Cases: `epoch/NAME` in samples a second, an epoch with its new order and its validation, nothing
//! written; `accuracy/NAME`, the share of right classes of the validation after the whole training,
//! the mean over five seeds, its spread over the seeds. The peer reads the same file, learns from
//! the same rows and validates with the same, `peers/network_file.py`.

mod training;

use crate::context::{Case, Context, Report, Rival};
use crate::error::{Error, Result};
use crate::rounds::Samples;
use crate::row::{Row, Unit, tidy};
use training::{Epochs, Network};
use whimbrel_nn::trainer::TrainError;

const SUITE: &str = "networks";
const NAMES: [&str; 3] = ["digits", "vowels_lstm", "vowels_attention"];
const PEER_THREADS: [usize; 2] = [1, 2];
/// Seeds of the accuracy; `peers/networks.py` has the same.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=5;

/// Runs the suite.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for name in NAMES {
        let case = format!("epoch/{name}");
        if context.wants(&case) {
            rows.push(epoch(context, name, &case)?);
        }
        let case = format!("accuracy/{name}");
        if context.wants(&case) {
            rows.push(accuracy(context, name, &case)?);
        }
    }
    Ok(rows)
}

/// The rate of learning, beside the peer's.
fn epoch(context: &mut Context, name: &str, case: &str) -> Result<Row> {
    let network = Network::read(name)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut counts = vec![1, cores];
    counts.dedup();
    let trainers: Vec<_> = counts.iter().map(|&threads| network.endless(threads)).collect();
    let runs = trainers.iter().map(|trainer| network.start(trainer));
    let mut runs = runs.collect::<Result<Vec<Epochs>>>()?;
    let fastest = fastest(&mut runs).map_err(failed)?;
    eprintln!("{SUITE} {case}: ours t{}", counts[fastest]);
    let mut run = runs.swap_remove(fastest);
    let case = Case {
        suite: SUITE,
        name: case,
        report: Report::rate(Unit::SamplesPerSecond, run.rows() as f64),
        work: None,
        threads: cores,
        peer: Some(Rival { case, threads: &PEER_THREADS, answer: None }),
    };
    let mut outcome = Ok(());
    let row = context.measure(&case, || {
        if let Err(error) = run.epoch() {
            outcome = Err(error);
        }
    });
    outcome.map_err(failed)?;
    row
}

/// How good the predictions become, beside the peer's.
fn accuracy(context: &mut Context, name: &str, case: &str) -> Result<Row> {
    eprintln!("{SUITE} {case}");
    let network = Network::read(name)?;
    let ours = SEEDS.map(|seed| network.accuracy(seed)).collect::<Result<Vec<f64>>>()?;
    eprintln!("  ours, seed by seed: {ours:.2?}");
    let mut row = Row::new(SUITE, case, "accuracy", Unit::Percent);
    row.ours = Some(tidy(mean(&ours)));
    row.spread = Samples::new(ours).spread().map(tidy);
    if let Some((figures, peer)) = context.peer_figures(SUITE, case)? {
        eprintln!("  {peer}: {:.2?}", figures.picks);
        row.peer = Some(tidy(mean(&figures.picks)));
        row.peer_name = Some(peer);
        row.ratio = row.ours.zip(row.peer).map(|(ours, peer)| tidy(ours / peer));
    }
    Ok(row)
}

/// The position of the run whose best epoch is fastest: disturbance only adds.
fn fastest(runs: &mut [Epochs]) -> std::result::Result<usize, TrainError> {
    let mut best = vec![f64::INFINITY; runs.len()];
    for _ in 0..5 {
        for (run, best) in runs.iter_mut().zip(&mut best) {
            let start = std::time::Instant::now();
            run.epoch()?;
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    Ok((0..best.len()).min_by(|&a, &b| best[a].total_cmp(&best[b])).unwrap_or(0))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn failed(error: TrainError) -> Error {
    Error::Suite { suite: SUITE, what: error.to_string() }
}
