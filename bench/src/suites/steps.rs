//! Training steps and inference of whole forecasting models.
//!
//! Cases: `train/MODEL/bBATCH` in windows a second and `infer/MODEL/bBATCH` in microseconds a call.
//! A training step gathers its batch from 10,000 windows, then forward, mean absolute error,
//! backward, Adam; an inference call binds its windows, runs, and reads the forecasts. Both sides
//! fill windows and parameters alike, and their losses or forecasts are compared, dropout off.
//! Ours runs with one thread or with all, whichever is faster; `stderr` says which. `threads/MODEL/bBATCH`
//! sets two threads beside one.

pub mod inference;
pub mod limit;
mod parameters;
mod threads;
pub mod training;

use crate::context::{Case, Context, Report, Rival};
use crate::error::{Error, Result};
use crate::fill::Digest;
use crate::machine::Work;
use crate::models::{MODELS, Model};
use crate::rounds::{calls_per_block, time_block};
use crate::row::{Row, Unit};
use inference::Inference;
use training::Training;
use whimbrel_engine::EngineError;
use whimbrel_nn::NnError;

const SUITE: &str = "steps";
const TRAIN_BATCHES: [usize; 3] = [32, 128, 1024];
const INFER_BATCHES: [usize; 2] = [1, 256];
const PEER_THREADS: [usize; 2] = [1, 2];

/// Steps whose losses are compared with the peer's.
const ANSWER_STEPS: usize = 8;

/// Largest relative distance of an answer. Adam divides a gradient by its own size, so that in
/// the first steps rounding alone moves a weight whose gradient is nearly zero.
const ALLOWED: f64 = 1e-4;

/// What a case does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Training steps.
    Train,
    /// Forecasts.
    Infer,
}

/// One case of the suite.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// What it does.
    pub mode: Mode,
    /// The model.
    pub model: &'static Model,
    /// Windows in a call.
    pub batch: usize,
}

/// Every case, in the order they run.
pub fn cases() -> Vec<Step> {
    let of = |mode: Mode, batches: &'static [usize]| {
        let steps = move |model| batches.iter().map(move |&batch| Step { mode, model, batch });
        MODELS.iter().flat_map(steps)
    };
    of(Mode::Train, &TRAIN_BATCHES).chain(of(Mode::Infer, &INFER_BATCHES)).collect()
}

/// Runs the suite.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for step in cases() {
        let name = step.name();
        if !context.wants(&name) {
            continue;
        }
        match step.measure(context, &name) {
            Ok(row) => rows.push(row),
            Err(Failure::Bench(error)) => return Err(error),
            Err(Failure::Engine(EngineError::Unsupported { op, reason, .. })) => {
                eprintln!("{SUITE} {name}: not measured, {op}: {reason}");
                rows.push(Row::new(SUITE, &name, step.report().metric, step.report().unit));
            }
            Err(error) => {
                return Err(Error::Suite { suite: SUITE, what: format!("{name}: {error}") });
            }
        }
    }
    rows.extend(threads::run(context)?);
    Ok(rows)
}

/// A failed case: the benchmark's own error, the engine's, or that of a model.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The benchmark's.
    #[error(transparent)]
    Bench(#[from] Error),
    /// The engine's.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A model's.
    #[error(transparent)]
    Model(#[from] NnError),
}

impl Step {
    /// The row's case, which is also the peer's.
    pub fn name(&self) -> String {
        let mode = match self.mode {
            Mode::Train => "train",
            Mode::Infer => "infer",
        };
        format!("{mode}/{}/b{}", self.model.name, self.batch)
    }

    fn report(&self) -> Report {
        match self.mode {
            Mode::Train => Report::rate(Unit::WindowsPerSecond, self.batch as f64),
            Mode::Infer => Report::time(Unit::Microseconds),
        }
    }

    /// What both sides compute from the same start: the losses of the first steps, or the
    /// forecasts, item by item.
    pub fn answer(&self, threads: usize) -> std::result::Result<Digest, Failure> {
        let values = match self.mode {
            Mode::Train => {
                Training::new(self.model, self.batch, threads, false)?.losses(ANSWER_STEPS)
            }
            Mode::Infer => Inference::new(self.model, self.batch, threads)?.forecasts(),
        };
        Ok(Digest::of(&values?))
    }

    fn measure(&self, context: &mut Context, name: &str) -> std::result::Result<Row, Failure> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut counts = vec![1, cores];
        counts.dedup();
        let answer = self.answer(cores)?;
        let mut calls = Vec::new();
        for &threads in &counts {
            calls.push(Call::new(self, threads)?);
        }
        let seconds = context.schedule().block_seconds;
        let fastest = fastest(&mut calls, seconds);
        eprintln!("{SUITE} {name}: ours t{}", counts[fastest]);
        let mut call = calls.swap_remove(fastest);
        drop(calls);
        let case = Case {
            suite: SUITE,
            name,
            report: self.report(),
            work: Some(call.work()),
            // Nothing keeps a call from using every core, so that is what the limit goes by.
            threads: cores,
            peer: Some(Rival {
                case: name,
                threads: &PEER_THREADS,
                answer: Some((answer, ALLOWED)),
            }),
        };
        let mut failed = Ok(());
        let row = context.measure(&case, || {
            if let Err(error) = call.run() {
                failed = Err(error);
            }
        });
        failed?;
        Ok(row?)
    }
}

/// What is timed.
enum Call {
    Training(Training),
    Inference(Inference),
}

impl Call {
    fn new(step: &Step, threads: usize) -> std::result::Result<Call, Failure> {
        Ok(match step.mode {
            Mode::Train => Call::Training(Training::new(step.model, step.batch, threads, true)?),
            Mode::Infer => Call::Inference(Inference::new(step.model, step.batch, threads)?),
        })
    }

    fn run(&mut self) -> std::result::Result<(), EngineError> {
        match self {
            Call::Training(training) => training.step(),
            Call::Inference(inference) => inference.predict(),
        }
    }

    fn work(&self) -> Work {
        match self {
            Call::Training(training) => training.work(),
            Call::Inference(inference) => inference.work(),
        }
    }
}

/// The position of the call that is fastest in its best block: disturbance only adds.
fn fastest(calls: &mut [Call], block_seconds: f64) -> usize {
    // A failing call fails again, and is reported, when it is measured.
    let mut best = vec![f64::INFINITY; calls.len()];
    for _ in 0..5 {
        for (call, best) in calls.iter_mut().zip(&mut best) {
            let mut run = || drop(call.run());
            let count = calls_per_block(block_seconds, &mut run);
            *best = best.min(time_block(count, &mut run));
        }
    }
    (0..best.len()).min_by(|&a, &b| best[a].total_cmp(&best[b])).unwrap_or(0)
}
