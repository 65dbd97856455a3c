//! The commands under `whimbrel net`.

use super::{batch_size, seed, thread_count};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use whimbrel::nn::file::BatchSize;

const EXAMPLES: &str = "\
Examples:
  whimbrel net info examples/xor.toml
  whimbrel net train examples/xor.toml
  whimbrel net eval examples/xor.toml
  whimbrel net predict examples/xor.toml --data examples/xor.csv
  whimbrel net plan examples/digits.toml --out arena.svg
  whimbrel net profile examples/digits.toml --trace trace.json
  whimbrel net export examples/xor.toml --out xor.onnx

A network file has the tables [data], [[network.layers]] and [training]; see examples/xor.toml.

Exit code: 0 done, 1 the run failed, 2 bad input or usage.
Environment: WHIMBREL_THREADS, WHIMBREL_ISA (portable, avx2, avx512).";

/// Trains a neural network that a text file describes, and uses it.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Net {
    /// What to do.
    #[command(subcommand)]
    pub command: NetCommand,
}

/// What to do with a network.
#[derive(Debug, Subcommand)]
pub enum NetCommand {
    /// Learn from the data the file names
    Train(Train),
    /// Say how good the predictions are
    Eval(Eval),
    /// Predict for the rows of a file
    Predict(Predict),
    /// Draw the losses of a training
    Plot(Plot),
    /// Show the layers, their sizes and the training
    Info(Info),
    /// Show the memory a training will need, and when it uses which part
    Plan(Plan),
    /// Show where the time of a training step or of a prediction goes
    Profile(Profile),
    /// Write a network that has learned for PyTorch or ONNX
    Export(Export),
    /// Print the JSON schema of network files, for editors
    Schema,
}

const TRAIN_EXAMPLES: &str = "\
Examples:
  whimbrel net train examples/xor.toml
  whimbrel net train examples/xor.toml --resume --threads 2
  whimbrel net train examples/digits.toml --batch auto
  whimbrel net train examples/digits.toml --verbose

Checkpoints, log.jsonl (a line of JSON for each epoch) and weights.safetensors are kept in the folder
the file names under [training.checkpoints], by default its own name ending in .run. A run that was
killed goes on with --resume and ends with the same weights and the same log.";

/// Learns from the data a network file names.
#[derive(Args, Debug)]
#[command(after_help = TRAIN_EXAMPLES)]
pub struct Train {
    /// Network file (TOML)
    pub file: PathBuf,
    /// Go on with an earlier run
    #[arg(long)]
    pub resume: bool,
    /// Decides the first weights and the order of the rows [default: as the file says]
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    /// Rows in a batch, or auto: the fastest here, found by measuring [default: as the file says]
    #[arg(long, value_name = "N|auto")]
    pub batch: Option<BatchSize>,
    /// Threads; the result does not depend on it [default: the cores this process may use]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub threads: Option<usize>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Say nothing but errors, and print nothing unless --json is given
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Also show settings, epochs, checkpoints, and where time and memory went
    #[arg(long, short)]
    pub verbose: bool,
}

/// How much a command says while it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Nothing but errors.
    Quiet,
    /// Progress on a terminal, the result in the end.
    Normal,
    /// All there is to say.
    Verbose,
}

impl Train {
    /// How much to say.
    pub fn level(&self) -> Level {
        match (self.quiet, self.verbose) {
            (true, _) => Level::Quiet,
            (false, false) => Level::Normal,
            (false, true) => Level::Verbose,
        }
    }
}

const EVAL_EXAMPLES: &str = "\
Examples:
  whimbrel net eval examples/xor.toml
  whimbrel net eval examples/xor.toml --data examples/xor.csv --json";

/// Says how good the predictions for all rows of a file are.
#[derive(Args, Debug)]
#[command(after_help = EVAL_EXAMPLES)]
pub struct Eval {
    /// Network file (TOML)
    pub file: PathBuf,
    /// File with inputs and target, - for standard input [default: the one of the network file]
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// File with the targets of the arrays of --data [default: without --data, that of the network file]
    #[arg(long, value_name = "FILE")]
    pub targets: Option<PathBuf>,
    /// Weights [default: those of the last training]
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Threads; the result does not depend on it [default: the cores this process may use]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub threads: Option<usize>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

const PREDICT_EXAMPLES: &str = "\
Examples:
  whimbrel net predict examples/xor.toml --data examples/xor.csv
  whimbrel net predict examples/xor.toml --data examples/xor.csv --json

Prints CSV with a row for each row of the data: the column \"class\" if the loss is cross_entropy, else
the column \"prediction\", or prediction_1, prediction_2 and so on. With --json a line of JSON for each.";

/// Predicts for the rows of a file.
#[derive(Args, Debug)]
#[command(after_help = PREDICT_EXAMPLES)]
pub struct Predict {
    /// Network file (TOML)
    pub file: PathBuf,
    /// File with the inputs; - for standard input
    #[arg(long, value_name = "FILE")]
    pub data: PathBuf,
    /// Weights [default: those of the last training]
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Threads; the result does not depend on it [default: the cores this process may use]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub threads: Option<usize>,
    /// Print JSON, a line for each row
    #[arg(long)]
    pub json: bool,
}

const PLOT_EXAMPLES: &str = "\
Examples:
  whimbrel net plot examples/xor.toml
  whimbrel net plot examples/xor.toml --out losses.png

Works while the training is under way, too.";

/// Draws the losses of a training, epoch by epoch, from its log.jsonl.
#[derive(Args, Debug)]
#[command(after_help = PLOT_EXAMPLES)]
pub struct Plot {
    /// Network file (TOML)
    pub file: PathBuf,
    /// Picture to write, .svg or .png [default: loss.svg in the folder of the training]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Shows the layers of a network, their sizes, and how it is trained.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  whimbrel net info examples/xor.toml")]
pub struct Info {
    /// Network file (TOML)
    pub file: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const PLAN_EXAMPLES: &str = "\
Examples:
  whimbrel net plan examples/digits.toml
  whimbrel net plan examples/digits.toml --batch 512 --out arena.svg

Nothing is trained and nothing but the picture is written. With batch_size = \"auto\" steps are measured as
net train does, or the batch of the run to be resumed is taken. The table counts the buffers of a training step
by what they are for; buffers that are not alive at the same time share memory, so that the arena is
smaller than their sum. The picture shows each buffer as a rectangle: from left to right the
instructions that use it, from bottom to top its place in the arena.";

/// Shows the memory a training will need before it runs.
#[derive(Args, Debug)]
#[command(after_help = PLAN_EXAMPLES)]
pub struct Plan {
    /// Network file (TOML)
    pub file: PathBuf,
    /// Rows in a step, or auto: what net train finds by measuring [default: as the file says]
    #[arg(long, value_name = "N|auto", value_parser = rows_or_auto)]
    pub batch: Option<BatchSize>,
    /// Write a picture of the arena over time (SVG)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Threads of the training [default: the cores this process may use]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub threads: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const PROFILE_EXAMPLES: &str = "\
Examples:
  whimbrel net profile examples/digits.toml
  whimbrel net profile examples/digits.toml --infer --batch 1
  whimbrel net profile examples/digits.toml --trace trace.json

Times of an instruction are those of all its pieces together, on all threads. \"of limit\" is the time one
core needs at best, by its arithmetic and memory traffic measured in the same run, as a share of the
time taken. https://ui.perfetto.dev opens the trace. Weights are not kept.";

/// Shows where the time of a training step or of a prediction goes.
#[derive(Args, Debug)]
#[command(after_help = PROFILE_EXAMPLES)]
pub struct Profile {
    /// Network file (TOML)
    pub file: PathBuf,
    /// Rows in a step, or auto: what net train finds by measuring [default: as the file says]
    #[arg(long, value_name = "N|auto", value_parser = rows_or_auto)]
    pub batch: Option<BatchSize>,
    /// Steps to record
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = step_count)]
    pub steps: usize,
    /// Record predictions instead of training steps
    #[arg(long)]
    pub infer: bool,
    /// Write a trace for Perfetto (JSON)
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Threads [default: the cores this process may use]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub threads: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A number of rows that can be planned, or auto.
fn rows_or_auto(text: &str) -> Result<BatchSize, String> {
    match text {
        "auto" => Ok(BatchSize::Auto),
        _ => batch_size()(text).map(BatchSize::Rows).map_err(|error| error + ", or auto"),
    }
}

/// At least one step, and not so many that the recording does not fit into memory.
fn step_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(steps @ 1..=100_000) => Ok(steps),
        _ => Err("give a number from 1 to 100000".into()),
    }
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  whimbrel net export examples/xor.toml --out xor.safetensors
  whimbrel net export examples/digits.toml --out digits.onnx

The ending of the file decides. A .safetensors file has the names and shapes of PyTorch, for
torch.nn.Module.load_state_dict; its metadata hold the layers. A .onnx file takes \"x\" [batch, inputs] and
gives \"prediction\" [batch, ..], for any batch.";

/// Writes a network that has learned for PyTorch or ONNX.
#[derive(Args, Debug)]
#[command(after_help = EXPORT_EXAMPLES)]
pub struct Export {
    /// Network file (TOML)
    pub file: PathBuf,
    /// The file to write, ending in .safetensors or .onnx
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Weights [default: those of the last training]
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}
