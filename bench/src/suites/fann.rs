//! FANN's tiny networks beside libfann, one thread unless said.
//!
//! Cases: `xor/ALGORITHM`, a new 2-4-1 network for 2,000 epochs a call; `mlp-I-H-O/ALGORITHM`, an epoch over
//! 512 rows; `run/NET`, one sample after another; `many-xor`, a thousand networks for a hundred more epochs of
//! RPROP each, ours at once on all cores; `c-api/xor-train`, XOR as a C program trains it; `final/ALGORITHM`, the error
//! after 300 epochs of parity; `cascade/PROBLEM`, growing until no output is off; and `memory/NET`. Both sides fill rows and weights alike, and
//! their errors epoch by epoch, or outputs, are compared.

#[cfg(target_os = "linux")]
mod c_api;
mod finals;
mod growth;
mod memory;

use crate::context::{Case, Context, Report, Rival};
use crate::error::{Error, Result};
use crate::fill::{self, Digest};
use crate::row::{Row, Unit};
use whimbrel_fann::{Activation, Algorithm, Network, Pool, Random, TrainData};

const SUITE: &str = "fann";
const ALGORITHMS: [(&str, Algorithm); 4] = [
    ("incremental", Algorithm::Incremental),
    ("batch", Algorithm::Batch),
    ("rprop", Algorithm::Rprop),
    ("quickprop", Algorithm::Quickprop),
];
/// The peer, `peers/fann.py`, has the same sizes.
const XOR_EPOCHS: u32 = 2_000;
const XOR_RUNS: usize = 1_000;
const ROWS: usize = 512;
const MANY: usize = 1_000;
const MANY_EPOCHS: u32 = 100;

/// Largest relative distance of errors and outputs.
const ALLOWED: f64 = 1e-4;

/// A network with its data, as both sides have them.
struct Setting {
    sizes: Vec<usize>,
    function: Activation,
    /// The largest weight.
    scale: f32,
    data: TrainData<f32>,
    /// FANN's own, 0.7, makes errors of large networks follow their rounding, libfann's too.
    learning_rate: f32,
    /// Epochs whose errors are compared.
    answer_epochs: usize,
}

impl Setting {
    fn xor() -> Result<Setting> {
        let rows: [(&[f32], &[f32]); 4] = [
            (&[-1.0, -1.0], &[-1.0]),
            (&[-1.0, 1.0], &[1.0]),
            (&[1.0, -1.0], &[1.0]),
            (&[1.0, 1.0], &[-1.0]),
        ];
        Ok(Setting {
            sizes: vec![2, 4, 1],
            function: Activation::SigmoidSymmetric,
            scale: 1.0,
            data: TrainData::from_rows(&rows).map_err(failed)?,
            learning_rate: 0.7,
            answer_epochs: 10,
        })
    }

    fn mlp(sizes: [usize; 3]) -> Result<Setting> {
        let inputs = fill::values(201, ROWS * sizes[0]);
        let outputs = fill::values(202, ROWS * sizes[2]).into_iter().map(f32::abs).collect();
        Ok(Setting {
            sizes: sizes.to_vec(),
            function: Activation::Sigmoid,
            scale: 0.1,
            data: TrainData::from_parts(ROWS, (sizes[0], sizes[2]), inputs, outputs)
                .map_err(failed)?,
            learning_rate: 0.05,
            answer_epochs: 3,
        })
    }

    fn network(&self, algorithm: Algorithm) -> Result<Network<f32>> {
        let mut network = Network::standard_with(&self.sizes, Random::seeded(1)).map_err(failed)?;
        network.set_activation_function_hidden(self.function);
        network.set_activation_function_output(self.function);
        network.training.training_algorithm = algorithm;
        network.training.learning_rate = self.learning_rate;
        let weights = fill::values(203, network.total_connections());
        for (weight, value) in network.weights_mut().iter_mut().zip(weights) {
            *weight = value * self.scale;
        }
        Ok(network)
    }

    /// The errors of the first epochs.
    fn errors(&self, algorithm: Algorithm) -> Result<Digest> {
        let mut network = self.network(algorithm)?;
        let epochs = 0..self.answer_epochs;
        let errors = epochs.map(|_| network.train_epoch(&self.data).map_err(failed));
        Ok(Digest::of(&errors.collect::<Result<Vec<f32>>>()?))
    }
}

/// Runs the suite.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, algorithm) in ALGORITHMS {
        xor(context, &format!("xor/{name}"), algorithm, &mut rows)?;
    }
    for sizes in [[64, 128, 10], [784, 128, 10], [784, 512, 10]] {
        for (name, algorithm) in ALGORITHMS {
            let [i, h, o] = sizes;
            mlp(context, &format!("mlp-{i}-{h}-{o}/{name}"), sizes, algorithm, &mut rows)?;
        }
    }
    one_by_one(context, "run/xor", Setting::xor, XOR_RUNS, &mut rows)?;
    one_by_one(context, "run/64-128-10", || Setting::mlp([64, 128, 10]), 1, &mut rows)?;
    one_by_one(context, "run/784-128-10", || Setting::mlp([784, 128, 10]), 1, &mut rows)?;
    many(context, &mut rows)?;
    #[cfg(target_os = "linux")]
    rows.extend(c_api::run(context)?);
    rows.extend(finals::run(context)?);
    rows.extend(growth::run(context)?);
    rows.extend(memory::run(context)?);
    Ok(rows)
}

fn xor(context: &mut Context, case: &str, algorithm: Algorithm, rows: &mut Vec<Row>) -> Result<()> {
    if !context.wants(case) {
        return Ok(());
    }
    let setting = Setting::xor()?;
    let answer = setting.errors(algorithm)?;
    let samples = f64::from(XOR_EPOCHS) * setting.data.len() as f64;
    let call = || {
        let mut network = setting.network(algorithm)?;
        for _ in 0..XOR_EPOCHS {
            network.train_epoch(&setting.data).map_err(failed)?;
        }
        Ok(())
    };
    rows.push(measure(
        context,
        case,
        Report::rate(Unit::SamplesPerSecond, samples),
        1,
        answer,
        call,
    )?);
    Ok(())
}

fn mlp(
    context: &mut Context,
    case: &str,
    sizes: [usize; 3],
    algorithm: Algorithm,
    rows: &mut Vec<Row>,
) -> Result<()> {
    if !context.wants(case) {
        return Ok(());
    }
    let setting = Setting::mlp(sizes)?;
    let answer = setting.errors(algorithm)?;
    let mut network = setting.network(algorithm)?;
    let report = Report::rate(Unit::SamplesPerSecond, ROWS as f64);
    let call = || network.train_epoch(&setting.data).map(drop).map_err(failed);
    rows.push(measure(context, case, report, 1, answer, call)?);
    Ok(())
}

/// Runs of one sample after another.
fn one_by_one(
    context: &mut Context,
    case: &str,
    setting: impl FnOnce() -> Result<Setting>,
    rounds: usize,
    rows: &mut Vec<Row>,
) -> Result<()> {
    if !context.wants(case) {
        return Ok(());
    }
    let setting = setting()?;
    let mut network = setting.network(Algorithm::Incremental)?;
    let inputs = setting.data.inputs();
    let first = if setting.sizes[0] == 2 { 2..4 } else { 0..setting.sizes[0] };
    let answer = Digest::of(network.run(&inputs[first]).map_err(failed)?);
    let runs = rounds * setting.data.len();
    let call = || {
        for _ in 0..rounds {
            for input in inputs.chunks_exact(setting.sizes[0]) {
                std::hint::black_box(network.run(input).map_err(failed)?);
            }
        }
        Ok(())
    };
    let report = Report::rate(Unit::SamplesPerSecond, runs as f64);
    rows.push(measure(context, case, report, 1, answer, call)?);
    Ok(())
}

/// A thousand networks at once.
fn many(context: &mut Context, rows: &mut Vec<Row>) -> Result<()> {
    let case = "many-xor";
    if !context.wants(case) {
        return Ok(());
    }
    let setting = Setting::xor()?;
    let network = setting.network(Algorithm::Rprop)?;
    let answer = setting.errors(Algorithm::Rprop)?;
    let pool = Pool::with_default_size();
    let mut all = vec![network; MANY];
    let call = || {
        // No error is below 0: all epochs are run.
        let trained = Network::train_many(&mut all, &setting.data, MANY_EPOCHS, -1.0, &pool);
        trained.map(drop).map_err(failed)
    };
    let samples = MANY as f64 * f64::from(MANY_EPOCHS) * setting.data.len() as f64;
    let report = Report::rate(Unit::SamplesPerSecond, samples);
    rows.push(measure(context, case, report, pool.size(), answer, call)?);
    Ok(())
}

fn measure(
    context: &mut Context,
    case: &str,
    report: Report,
    threads: usize,
    answer: Digest,
    mut call: impl FnMut() -> Result<()>,
) -> Result<Row> {
    let peer = Some(Rival { case, threads: &[1], answer: Some((answer, ALLOWED)) });
    let case = Case { suite: SUITE, name: case, report, work: None, threads, peer };
    let mut outcome = Ok(());
    let row = context.measure(&case, || {
        if let Err(error) = call() {
            outcome = Err(error);
        }
    });
    outcome?;
    row
}

fn failed(error: whimbrel_fann::Error) -> Error {
    Error::Suite { suite: SUITE, what: error.to_string() }
}
