//! The command line, as `--help` shows it.

mod fann;
mod forecast;
mod input;
mod net;
mod plot;
mod settings;
pub mod workflow;

pub use fann::{
    CascadeFann, ConvertFann, Fann, FannCommand, FannResult, FannSettings, InfoFann, RunFann,
    TestFann, TrainFann,
};
pub use forecast::{Demo, Forecast, Report};
pub use input::{Input, Layout};
pub use net::{Eval, Export, Info, Level, Net, NetCommand, Plan, Plot, Predict, Profile, Train};
pub use plot::PlotForecast;
pub use settings::{Assignment, Choice, LossName, Patience, Settings};
pub use workflow::Output;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;

const EXAMPLES: &str = "\
Examples:
  whimbrel forecast sales.csv --horizon 12
  whimbrel fit sales.csv --model nhits --horizon 12 --save m.safetensors
  whimbrel predict sales.csv --load m.safetensors
  whimbrel net train examples/xor.toml

whimbrel demo shows a forecast without a file; whimbrel COMMAND --help says more of each.";

/// Forecast time series and train neural networks from the command line.
#[derive(Debug, Parser)]
#[command(name = "whimbrel", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl Arguments {
    /// Reads the arguments of this process; ends it where they are wrong, or ask for help.
    pub fn read() -> Arguments {
        let matches = taking_negative_numbers(Arguments::command()).get_matches();
        Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// The option that learning has everywhere for a setting by NeuralForecast's name, if there is one.
pub fn option_of(setting: &str) -> Option<String> {
    let name = setting.strip_suffix("_list").unwrap_or(setting).replace('_', "-");
    let name = if name == "h" { "horizon" } else { name.as_str() };
    if name == "horizon" {
        return Some(name.to_owned());
    }
    let learning = Settings::augment_args(clap::Command::new("learning"));
    let beside = Input::augment_args(learning);
    let mut options = beside.get_arguments();
    let spelt = |option: &&clap::Arg| {
        option.get_long_and_visible_aliases().is_some_and(|names| names.contains(&name))
    };
    Some(options.find(spelt)?.get_long()?.to_owned())
}

/// Numbers below 0 are values of the option before them, not options: they are refused for what they are.
fn taking_negative_numbers(command: clap::Command) -> clap::Command {
    let takes = |option: &clap::Arg| option.get_action().takes_values() && !option.is_positional();
    command
        .mut_args(|option| match takes(&option) {
            true => option.allow_negative_numbers(true),
            false => option,
        })
        .mut_subcommands(taking_negative_numbers)
}

/// What to do.
#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one in a process")]
pub enum Command {
    /// Forecast every series of a file
    Forecast(Forecast),
    /// See a forecast of data the program brings along
    Demo(Demo),
    /// Learn a model from a file and save it
    Fit(workflow::Fit),
    /// Forecast every series of a file with a saved model
    Predict(workflow::Predict),
    /// Forecast the past, and compare with what came
    Cv(workflow::CrossValidate),
    /// Compare forecasts with what came
    Evaluate(workflow::Evaluate),
    /// Draw forecasts as a picture
    Plot(PlotForecast),
    /// Train a neural network from a text file, and use it
    Net(Net),
    /// Train and run the tiny networks of FANN
    Fann(Fann),
    /// Print what a shell needs to complete commands and options
    Completions(Completions),
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  whimbrel completions bash > ~/.local/share/bash-completion/completions/whimbrel
  whimbrel completions zsh > ~/.zfunc/_whimbrel
  whimbrel completions fish > ~/.config/fish/completions/whimbrel.fish";

/// Prints a script that completes commands and options.
#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct Completions {
    /// The shell to print it for
    #[arg(value_enum)]
    pub shell: Shell,
}

fn at_least_one() -> impl Fn(&str) -> Result<usize, String> + Clone {
    up_to(1 << 30)
}

fn thread_count() -> impl Fn(&str) -> Result<usize, String> + Clone {
    up_to(1024)
}

/// A level of intervals. Options of several values take what follows them, a file among it.
fn level(text: &str) -> Result<f32, &'static str> {
    text.parse().map_err(|_| {
        "must be a number of per cent, such as 80; the file comes first, as in `FILE --level 80 90`"
    })
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("must be a whole number from 0 to {}", u64::MAX))
}

/// Rows of a batch; no file has more that could be held.
fn batch_size() -> impl Fn(&str) -> Result<usize, String> + Clone {
    up_to(u32::MAX as usize)
}

fn up_to(most: usize) -> impl Fn(&str) -> Result<usize, String> + Clone {
    move |text: &str| {
        let number = text.parse().ok().filter(|number| (1..=most).contains(number));
        number.ok_or_else(|| format!("must be a whole number from 1 to {most}"))
    }
}
