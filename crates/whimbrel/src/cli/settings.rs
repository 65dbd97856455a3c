//! The options that say which models are learned, and how; every command that learns has them.
//! Names are NeuralForecast's.

use super::{at_least_one, seed, thread_count};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use serde_json::Value;
use whimbrel::models::Network;
use whimbrel::{Baseline, Scaler, Transform};

/// A model to learn, or a rule.
#[derive(Clone, Debug)]
pub enum Choice {
    Network(Network),
    Rule(Baseline),
}

/// A setting by name.
#[derive(Clone, Debug)]
pub struct Assignment {
    pub name: String,
    pub value: Value,
}

/// Validations without a gain that are tolerated; none if any number is.
#[derive(Clone, Copy, Debug)]
pub struct Patience(pub Option<usize>);

/// Which models are learned, and how.
#[derive(Args, Debug)]
pub struct Settings {
    /// Models by name: mlp, dlinear, nlinear, rnn, lstm, gru, tcn, nbeats, nhits; or rules: naive, seasonalnaive, naive2, drift, windowaverage, ses, theta [default: nlinear; of forecast, what suits the data]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = choice)]
    pub model: Vec<Choice>,
    /// Steps to look back over [default: twice the horizon; rnn, lstm, gru and tcn three times]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub input_size: Option<usize>,
    /// What is made small; a distribution or several quantiles forecast intervals
    #[arg(long, value_name = "LOSS", value_enum, ignore_case = true, default_value_t = LossName::Mae)]
    pub loss: LossName,
    /// Quantiles that the losses quantile (one) and mqloss (any number) forecast, such as 0.1 0.5 0.9 [default: 0.5; the edges of --level and the median]
    #[arg(long, value_name = "Q", num_args = 1.., value_delimiter = ',')]
    pub quantiles: Vec<f32>,
    /// Training steps [default: 2000 for dlinear and nlinear, else 1000]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub max_steps: Option<usize>,
    /// Learning rate at the start
    #[arg(long, value_name = "X", default_value_t = 1e-3)]
    pub learning_rate: f32,
    /// How often the learning rate is halved; 0 or -1 for never
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = decays)]
    pub num_lr_decays: usize,
    /// Windows in one training step
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = at_least_one())]
    pub windows_batch_size: usize,
    /// Values at the end of each series that are kept from learning to validate with [default: 0; the horizon with --early-stop-patience-steps]
    #[arg(long, value_name = "N")]
    pub val_size: Option<usize>,
    /// Steps from one validation to the next
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = at_least_one())]
    pub val_check_steps: usize,
    /// Validations without a gain until learning stops, with the best weights; -1 for never [default: -1]
    #[arg(long, value_name = "N", value_parser = patience)]
    pub early_stop_patience_steps: Option<Patience>,
    /// How each window is scaled by its look-back [default: robust for rnn, lstm, gru and tcn, else identity]
    #[arg(long, value_name = "NAME", value_parser = scaler())]
    pub scaler_type: Option<Scaler>,
    /// How each series is scaled as a whole: identity, standard, robust, robust_iqr, minmax, minmax1, quantile_uniform, quantile_normal, boxcox, log1p, or difference:LAG
    #[arg(long, value_name = "NAME", default_value = "standard", value_parser = transform)]
    pub local_scaler_type: Transform,
    /// A setting that has no option of its own, such as hidden_size=64 or n_pool_kernel_size=[4,2,1]; for each another --set
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<Assignment>,
    /// Column known up to now, by whose mean over the horizon each window counts; models look at it no other way
    #[arg(long, value_name = "NAME", conflicts_with = "wide")]
    pub sample_weight: Option<String>,
    /// Steps after which series repeat themselves, for rules and scaled scores [default: what is usual at the frequency; where times are whole numbers, found from the values]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub season_length: Option<usize>,
    /// Decides the first weights and the order of the windows
    #[arg(long, visible_alias = "random-seed", value_name = "N", default_value_t = 1, value_parser = seed)]
    pub seed: u64,
    /// Threads; the result does not depend on it [default: the cores this process may use]
    #[arg(long, value_name = "N", value_parser = thread_count())]
    pub threads: Option<usize>,
}

/// What is made small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LossName {
    /// The mean absolute error
    Mae,
    /// The mean squared error
    Mse,
    /// Its root
    Rmse,
    /// Relative to the values
    Mape,
    /// Relative to values and forecasts
    Smape,
    /// Relative to a naive forecast
    Mase,
    /// Squared where small, absolute where large
    Huber,
    /// One quantile
    Quantile,
    /// Several quantiles, which never cross
    Mqloss,
    /// The likelihood of a normal distribution
    Normal,
    /// The likelihood of Student's t distribution
    #[value(name = "studentt")]
    StudentT,
    /// The likelihood of counts
    Poisson,
    /// The likelihood of counts that scatter more
    #[value(name = "negativebinomial")]
    NegativeBinomial,
}

fn decays(text: &str) -> Result<usize, String> {
    let number = if text == "-1" { Some(0) } else { text.parse().ok() };
    number.ok_or_else(|| "must be a whole number, or -1 for none".into())
}

fn patience(text: &str) -> Result<Patience, String> {
    match text {
        "-1" => Ok(Patience(None)),
        text => at_least_one()(text).map(|steps| Patience(Some(steps))),
    }
}

/// The model or rule of a name.
fn choice(name: &str) -> Result<Choice, String> {
    let network = Network::named(name).map(Choice::Network);
    network.or_else(|| Baseline::named(name).map(Choice::Rule)).ok_or_else(|| {
        let rules = Baseline::ALL.map(Baseline::name).join(", ");
        let known = format!("{}, {rules}", Network::NAMES.join(", ")).to_lowercase();
        format!("there is no such model; the models are {known}")
    })
}

/// A name and a value, which is JSON with quotes of either kind, or a word.
fn assignment(text: &str) -> Result<Assignment, String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, such as hidden_size=64")?;
    let (name, value) = (name.trim(), value.trim());
    let json = serde_json::from_str(&value.replace('\'', "\""));
    Ok(Assignment { name: name.into(), value: json.unwrap_or_else(|_| Value::from(value)) })
}

fn scaler() -> impl TypedValueParser<Value = Scaler> {
    const NAMES: [(&str, Scaler); 8] = [
        ("identity", Scaler::Identity),
        ("standard", Scaler::Standard),
        ("robust", Scaler::Robust),
        ("robust_iqr", Scaler::RobustIqr),
        ("minmax", Scaler::Minmax),
        ("minmax1", Scaler::Minmax1),
        ("invariant", Scaler::Invariant),
        ("revin", Scaler::Revin),
    ];
    // NeuralForecast writes one of them with a dash.
    let values = NAMES.map(|(name, scaler)| match scaler {
        Scaler::RobustIqr => PossibleValue::new(name).alias("robust-iqr"),
        _ => PossibleValue::new(name),
    });
    PossibleValuesParser::new(values).try_map(|name| {
        let name = name.replace('-', "_");
        NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, scaler)| scaler).ok_or(name)
    })
}

/// The transform of a name.
fn transform(name: &str) -> Result<Transform, String> {
    if let Some(lag) = name.strip_prefix("difference:") {
        let lag = lag.parse().ok().filter(|&lag| lag > 0);
        let refused = || "the lag is a whole number of at least 1, as in difference:12".into();
        return lag.map(Transform::Difference).ok_or_else(refused);
    }
    let known = [
        ("identity", Transform::Identity),
        ("standard", Transform::Standard),
        ("robust", Transform::Robust),
        ("robust_iqr", Transform::RobustIqr),
        ("minmax", Transform::Minmax),
        ("minmax1", Transform::Minmax1),
        ("quantile_uniform", Transform::QuantileUniform),
        ("quantile_normal", Transform::QuantileNormal),
        ("boxcox", Transform::Boxcox),
        ("log1p", Transform::Log1p),
    ];
    let plain = name.replace('-', "_");
    let found = known.iter().find(|(known, _)| *known == plain);
    found.map(|(_, transform)| *transform).ok_or_else(|| {
        let names = known.map(|(name, _)| name).join(", ");
        format!("there is no such scaler; there are {names}, difference:LAG")
    })
}
