//! The commands under `whimbrel fann`. Options are named after the functions of FANN that set them.

use super::{at_least_one, seed, thread_count};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use whimbrel::fann::{Activation, Algorithm, ErrorFunction, StopFunction};

const EXAMPLES: &str = "\
Examples:
  whimbrel fann train examples/xor.data --layers 2,3,1 --out xor.net
  whimbrel fann test xor.net examples/xor.data
  whimbrel fann run xor.net examples/xor.data
  whimbrel fann cascade examples/xor.data --out grown.net
  whimbrel fann info xor.net
  whimbrel fann convert xor.net --out fixed.net --fixed

Networks (.net) and training data (.data) are FANN's files: programs that use libfann read what is written
here, and the other way round.

Exit code: 0 done, 1 the run failed, 2 bad input or usage.
Environment: WHIMBREL_THREADS, WHIMBREL_ISA (portable, avx2, avx512).";

/// Trains and runs the tiny networks of FANN, in FANN's files.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Fann {
    /// What to do.
    #[command(subcommand)]
    pub command: FannCommand,
}

/// What to do with a network of FANN.
#[derive(Debug, Subcommand)]
pub enum FannCommand {
    /// Train a network on the rows of a .data file
    Train(TrainFann),
    /// Let a network grow, neuron by neuron, until the error is small
    Cascade(CascadeFann),
    /// Print the outputs of a network for the rows of a file
    Run(RunFann),
    /// Say how large the error of a network is
    Test(TestFann),
    /// Show the layers and settings of a network
    Info(InfoFann),
    /// Write a network in another format
    Convert(ConvertFann),
}

const TRAIN_EXAMPLES: &str = "\
Examples:
  whimbrel fann train examples/xor.data --layers 2,3,1 --out xor.net
  whimbrel fann train digits.data --layers 64,128,10 --algorithm quickprop --max-epochs 200 --out digits.net
  whimbrel fann train more.data --from xor.net --algorithm incremental --learning-rate 0.1 --out better.net

The network is written every ten seconds and at the end. An epoch is once over all rows.";

/// Trains a network.
#[derive(Args, Debug)]
#[command(after_help = TRAIN_EXAMPLES)]
pub struct TrainFann {
    /// Training data (.data)
    pub data: PathBuf,
    /// Neurons of each layer from the inputs to the outputs, such as 2,3,1
    #[arg(long, value_name = "N,N,..", value_delimiter = ',', value_parser = at_least_one(), required_unless_present = "from", conflicts_with = "from")]
    pub layers: Vec<usize>,
    /// Go on with this network and its settings
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Connect each layer to all that follow, not only to the next
    #[arg(long, conflicts_with = "from")]
    pub shortcut: bool,
    /// Which part of all connections there is
    #[arg(long, value_name = "X", value_parser = finite, default_value_t = 1.0, conflicts_with_all = ["from", "shortcut"])]
    pub connection_rate: f32,
    /// Epochs after which to stop
    #[arg(long, value_name = "N", default_value_t = 500_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_epochs: u32,
    /// Draw the first weights by the method of Nguyen and Widrow
    #[arg(long)]
    pub init_weights: bool,
    #[command(flatten)]
    pub settings: FannSettings,
    #[command(flatten)]
    pub result: FannResult,
}

const CASCADE_EXAMPLES: &str = "\
Examples:
  whimbrel fann cascade examples/xor.data --out grown.net
  whimbrel fann cascade spirals.data --max-neurons 60 --stop-function bit --desired-error 0 --out spirals.net

Starts with inputs and outputs alone. Candidates with different functions and steepnesses are trained, the
best becomes a neuron, the outputs are trained again, and so on.";

/// Lets a network grow.
#[derive(Args, Debug)]
#[command(after_help = CASCADE_EXAMPLES)]
pub struct CascadeFann {
    /// Training data (.data)
    pub data: PathBuf,
    /// Let this network grow on; it must be one with shortcuts
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Neurons to add at the most
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub max_neurons: u32,
    /// Candidates of each function and steepness [default: 2, or as the network says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub num_candidate_groups: Option<u32>,
    #[command(flatten)]
    pub settings: FannSettings,
    #[command(flatten)]
    pub result: FannResult,
}

/// How a network is trained. What is not given stays as the network has it, or is FANN's default.
#[derive(Args, Debug)]
pub struct FannSettings {
    /// Function of the hidden neurons: linear, sigmoid, sigmoid_symmetric, gaussian, elliot, sin and so on [default of a new network: sigmoid_symmetric]
    #[arg(long, value_name = "NAME", value_parser = activation)]
    pub activation_function_hidden: Option<Activation>,
    /// Function of the outputs [default of a new network: by the outputs to learn, sigmoid from 0 to 1, sigmoid_symmetric from -1 to 1, else linear]
    #[arg(long, value_name = "NAME", value_parser = activation)]
    pub activation_function_output: Option<Activation>,
    /// Steepness of the hidden neurons
    #[arg(long, value_name = "X", value_parser = finite)]
    pub activation_steepness_hidden: Option<f32>,
    /// Steepness of the outputs
    #[arg(long, value_name = "X", value_parser = finite)]
    pub activation_steepness_output: Option<f32>,
    /// How weights follow the error: incremental, batch, rprop, quickprop, sarprop
    #[arg(long, visible_alias = "training-algorithm", value_name = "NAME", value_parser = algorithm)]
    pub algorithm: Option<Algorithm>,
    /// How far weights follow, for incremental, batch and quickprop
    #[arg(long, value_name = "X", value_parser = finite)]
    pub learning_rate: Option<f32>,
    /// Which part of its last change a weight changes again by, for incremental
    #[arg(long, value_name = "X", value_parser = finite)]
    pub learning_momentum: Option<f32>,
    /// What errors are worth: linear or tanh
    #[arg(long, value_name = "NAME", value_parser = error_function)]
    pub train_error_function: Option<ErrorFunction>,
    /// What --desired-error is: mse, the mean square error, or bit, a number of outputs off by more than the limit
    #[arg(long, visible_alias = "train-stop-function", value_name = "NAME", value_parser = stop_function)]
    pub stop_function: Option<StopFunction>,
    /// The error from which an output counts as off
    #[arg(long, value_name = "X", value_parser = finite)]
    pub bit_fail_limit: Option<f32>,
    /// Stop when the error is this small
    #[arg(long, value_name = "X", value_parser = finite, default_value_t = 0.001)]
    pub desired_error: f32,
    /// Decides the first weights, the noise of sarprop and the candidates
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed)]
    pub seed: u64,
    /// Threads; the result does not depend on it [default: the cores this process may use]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub threads: Option<usize>,
}

/// Where the result of a training goes.
#[derive(Args, Debug)]
pub struct FannResult {
    /// The network to write (.net)
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Draw the error over the training, .svg or .png
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Replace files that are there
    #[arg(long)]
    pub force: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors, and the result with --json
    #[arg(long, short)]
    pub quiet: bool,
}

/// Prints outputs.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  whimbrel fann run xor.net examples/xor.data
  echo '-1 1' | whimbrel fann run xor.net

A file ending in .data has FANN's format; its outputs are not looked at. Any other has the inputs of a row in
each line, with blanks or commas between them. Prints a line of outputs for each.")]
pub struct RunFann {
    /// Network (.net)
    pub net: PathBuf,
    /// Inputs [default: standard input]
    pub data: Option<PathBuf>,
    /// Print JSON, a line for each row
    #[arg(long)]
    pub json: bool,
}

/// Says how large the error is.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  whimbrel fann test xor.net examples/xor.data")]
pub struct TestFann {
    /// Network (.net)
    pub net: PathBuf,
    /// Rows with inputs and the right outputs (.data)
    pub data: PathBuf,
    /// The error from which an output counts as off [default: as the network says]
    #[arg(long, value_name = "X", value_parser = finite)]
    pub bit_fail_limit: Option<f32>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Shows the layers and settings of a network.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  whimbrel fann info xor.net")]
pub struct InfoFann {
    /// Network (.net)
    pub net: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const CONVERT_EXAMPLES: &str = "\
Examples:
  whimbrel fann convert xor.net --out xor.onnx
  whimbrel fann convert xor.net --out xor.safetensors
  whimbrel fann convert xor.net --out fixed.net --fixed
  whimbrel fann convert examples/xor.toml --out xor.net

A .safetensors file has the names and shapes of PyTorch, as whimbrel net export writes them, and an .onnx file
the whole network. These take fully connected networks without shortcuts whose functions are linear, sigmoid,
sigmoid_symmetric or elliot_symmetric; steepnesses become part of the weights. A network file (.toml) that has
been trained becomes a .net if its layers are linear with sigmoid, tanh, softsign or nothing after them.";

/// Writes a network in another format; the endings say which.
#[derive(Args, Debug)]
#[command(after_help = CONVERT_EXAMPLES)]
pub struct ConvertFann {
    /// Network (.net), or network file (.toml) that has been trained
    pub from: PathBuf,
    /// The file to write: .net, .safetensors or .onnx
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Whole numbers instead of fractions, for machines without floating point (.net)
    #[arg(long)]
    pub fixed: bool,
    /// Replace a file that is there
    #[arg(long)]
    pub force: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

fn finite(text: &str) -> Result<f32, String> {
    let number: f32 = text.parse().map_err(|_| "this is no number".to_owned())?;
    number.is_finite().then_some(number).ok_or_else(|| "give a number that is finite".into())
}

fn activation(text: &str) -> Result<Activation, String> {
    named(text, &Activation::ALL, "FANN_", Activation::name)
}

fn algorithm(text: &str) -> Result<Algorithm, String> {
    named(text, Algorithm::ALL, "FANN_TRAIN_", Algorithm::name)
}

fn error_function(text: &str) -> Result<ErrorFunction, String> {
    named(text, ErrorFunction::ALL, "FANN_ERRORFUNC_", ErrorFunction::name)
}

fn stop_function(text: &str) -> Result<StopFunction, String> {
    named(text, StopFunction::ALL, "FANN_STOPFUNC_", StopFunction::name)
}

/// The value FANN has this name for, with or without what all such names begin with, in any letters.
fn named<T: Copy>(
    text: &str,
    all: &[T],
    prefix: &str,
    name: fn(T) -> &'static str,
) -> Result<T, String> {
    let short = |value: &T| name(*value).trim_start_matches(prefix).to_lowercase();
    let asked = text.to_lowercase();
    let asked = asked.trim_start_matches(&prefix.to_lowercase());
    all.iter().copied().find(|value| short(value) == asked).ok_or_else(|| {
        format!("use one of {}", all.iter().map(short).collect::<Vec<_>>().join(", "))
    })
}
