//! Model: a network, what it looks at, and how it learns.

use crate::column::Part;
use crate::conformal::widest_first;
use crate::distribution::Distribution;
use crate::graphs::is_relative;
use crate::models::Network;
use crate::{Baseline, ENSEMBLE, ForecastError, Scaler, Transform};
use serde::{Deserialize, Deserializer, Serialize};
use whimbrel_nn::losses::{Loss, Mae};
use whimbrel_nn::schedules::{Mode, Plateau, Schedule};

/// Parameters a model may have: with Adam's memory they take three times four bytes each.
const MOST_PARAMETERS: usize = 1 << 27;

/// Units, channels and the like that a network may have in one place.
const MOST_UNITS: u64 = 1 << 20;
/// Layers or blocks that it may have.
const MOST_LAYERS: u64 = 1 << 10;

/// A network and its training; fields have NeuralForecast's names and meaning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// What makes the forecast.
    pub network: Network,
    /// Its column in a frame, if not the name of the network.
    #[serde(default)]
    pub alias: Option<String>,
    /// Steps to forecast.
    pub horizon: usize,
    /// Steps to look back over.
    pub input_size: usize,
    /// Columns known ahead that it looks at.
    #[serde(default)]
    pub futr_exog_list: Vec<String>,
    /// Columns known up to now that it looks at.
    #[serde(default)]
    pub hist_exog_list: Vec<String>,
    /// Numbers of each series that it looks at.
    #[serde(default)]
    pub stat_exog_list: Vec<String>,
    /// What is made small. The likelihood of a distribution makes forecasts of its mean, its median and
    /// the intervals of `level`; several quantiles make forecasts of each, which never cross.
    pub loss: Loss,
    /// How much each step ahead counts in the loss, `horizon` numbers; none if all count alike.
    #[serde(default)]
    pub horizon_weight: Option<Vec<f32>>,
    /// A historic column of the panel, by whose mean over the horizon each window counts in the loss it
    /// learns by; none if all count alike. Validation does not look at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_weight: Option<String>,
    /// Intervals to forecast if the loss is the likelihood of a distribution, in per cent.
    #[serde(default = "usual_levels")]
    pub level: Vec<f32>,
    /// Training steps, unless it stops early.
    pub max_steps: usize,
    /// Adam's learning rate at the start.
    pub learning_rate: f32,
    /// How often it is halved, at equal distances.
    pub num_lr_decays: usize,
    /// What the learning rate does instead, if anything; [`Plateau`](whimbrel_nn::schedules::Plateau) looks
    /// at the validations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lr_scheduler: Option<Schedule>,
    /// Series whose windows one training step learns from, 32 in NeuralForecast; none for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_size: Option<usize>,
    /// Windows in one training step.
    pub windows_batch_size: usize,
    /// The shares of the look-back and of the horizon that must be known in windows to learn from; at least
    /// one value of each is. Where it is written down, one number stands for both.
    #[serde(default, deserialize_with = "of_both")]
    pub training_data_availability_threshold: [f32; 2],
    /// Values at the end of each series that are kept from learning to validate with.
    pub val_size: usize,
    /// Steps from one validation to the next.
    pub val_check_steps: usize,
    /// Validations without a gain that are tolerated; training ends with the best weights.
    pub early_stop_patience_steps: Option<usize>,
    /// Whether early stopping looks at the mean of the weights since the validation before, and keeps it,
    /// rather than those of the last step.
    #[serde(default)]
    pub average_weights: bool,
    /// How each series is transformed as a whole.
    pub local_scaler_type: Transform,
    /// How each window is scaled, by its look-back.
    pub scaler_type: Scaler,
    /// Decides the first weights and the order of the windows.
    pub random_seed: u64,
    /// Threads that share the work; 0 for the cores the process may use. Results do not depend on it.
    #[serde(skip)]
    pub threads: usize,
}

impl Model {
    /// Forecasts `horizon` steps, with the defaults of NeuralForecast for this network. Where those ask
    /// for the look-back, it is twice the horizon; of recurrent and convolutional ones three times.
    pub fn new(network: impl Into<Network>, horizon: usize) -> Model {
        let network = network.into();
        let sequential = matches!(
            network,
            Network::Rnn(_) | Network::Lstm(_) | Network::Gru(_) | Network::Tcn(_)
        );
        let linear = matches!(network, Network::DLinear(_) | Network::NLinear(_));
        let blocks = matches!(network, Network::NBeats(_) | Network::NHits(_));
        Model {
            alias: None,
            horizon,
            input_size: horizon.saturating_mul(if sequential { 3 } else { 2 }),
            futr_exog_list: Vec::new(),
            hist_exog_list: Vec::new(),
            stat_exog_list: Vec::new(),
            loss: Mae.into(),
            horizon_weight: None,
            sample_weight: None,
            level: usual_levels(),
            max_steps: if linear { 5000 } else { 1000 },
            learning_rate: if linear { 1e-4 } else { 1e-3 },
            num_lr_decays: if blocks { 3 } else { 0 },
            lr_scheduler: None,
            batch_size: None,
            windows_batch_size: if sequential { 128 } else { 1024 },
            training_data_availability_threshold: [0.0; 2],
            val_size: 0,
            val_check_steps: 100,
            early_stop_patience_steps: None,
            average_weights: true,
            local_scaler_type: Transform::Identity,
            scaler_type: if sequential { Scaler::Robust } else { Scaler::Identity },
            random_seed: 1,
            threads: 0,
            network,
        }
    }

    /// Values that must be known in the look-back and in the horizon of windows to learn from.
    pub(crate) fn least_known(&self) -> [usize; 2] {
        let [past, ahead] = self.training_data_availability_threshold;
        [(self.input_size, past), (self.horizon, ahead)]
            .map(|(size, share)| ((size as f64 * f64::from(share)) as usize).max(1))
    }

    /// Its column in a frame.
    pub fn name(&self) -> &str {
        self.alias.as_deref().unwrap_or(self.network.name())
    }

    /// Numbers the loss needs for each step.
    pub(crate) fn outputs(&self) -> usize {
        match (&self.loss, Distribution::of(&self.loss)) {
            (Loss::MultiQuantile(loss), _) => loss.quantiles.len(),
            (_, Some(distribution)) => distribution.parameters(),
            _ => 1,
        }
    }

    /// What its columns in a frame hold.
    pub(crate) fn parts(&self) -> Vec<Part> {
        match (&self.loss, Distribution::of(&self.loss)) {
            (Loss::MultiQuantile(loss), _) => {
                let mut quantiles = loss.quantiles.clone();
                quantiles.sort_unstable_by(f32::total_cmp);
                quantiles.into_iter().map(Part::of_quantile).collect()
            }
            (_, Some(_)) => {
                let mut levels = self.level.clone();
                levels.sort_unstable_by(|a, b| b.total_cmp(a));
                levels.dedup();
                let low = levels.iter().copied().map(Part::Low);
                let high = levels.iter().rev().copied().map(Part::High);
                [Part::Point, Part::Median].into_iter().chain(low).chain(high).collect()
            }
            _ => vec![Part::Point],
        }
    }

    /// The names of its columns in a frame.
    pub fn columns(&self) -> Vec<String> {
        self.parts().into_iter().map(|part| part.of(self.name())).collect()
    }

    /// Says what is wrong with the settings, if anything is.
    pub(crate) fn check(&self) -> Result<(), ForecastError> {
        let setting = |name, value: String, reason| ForecastError::Setting { name, value, reason };
        for (name, value) in [
            ("horizon", self.horizon),
            ("input size", self.input_size),
            ("max steps", self.max_steps),
            ("batch size", self.batch_size.unwrap_or(1)),
            ("windows batch size", self.windows_batch_size),
            ("val check steps", self.val_check_steps),
        ] {
            if value == 0 {
                return Err(setting(name, "0".into(), "must be at least 1"));
            }
            if value > 1 << 30 {
                return Err(setting(name, value.to_string(), "is too large"));
            }
        }
        let rate = self.learning_rate;
        if !(rate.is_finite() && rate > 0.0) {
            return Err(setting("learning rate", rate.to_string(), "must be a positive number"));
        }
        let known = self.training_data_availability_threshold;
        if let Some(share) = known.iter().find(|share| !(0.0..=1.0).contains(*share)) {
            let name = "training data availability threshold";
            return Err(setting(name, share.to_string(), "must be from 0 to 1"));
        }
        let plateau = self.lr_scheduler.as_ref().and_then(|rate| rate.plateau());
        if let Some((_, Plateau { mode: Mode::Max, .. })) = plateau {
            let reason = "a training observes its loss, of which less is better; remove mode";
            return Err(setting("mode of the schedule", "max".into(), reason));
        }
        if plateau.is_some() && self.val_size == 0 {
            let reason = "this schedule needs values to validate with; set it to the horizon";
            return Err(setting("val size", "0".into(), reason));
        }
        if self.val_size > 0 && self.val_size < self.horizon {
            let reason = "must be 0 or at least the horizon";
            return Err(setting("val size", self.val_size.to_string(), reason));
        }
        if self.early_stop_patience_steps.is_some() && self.val_size == 0 {
            let reason = "early stopping needs values to validate with; set it to the horizon";
            return Err(setting("val size", "0".into(), reason));
        }
        if self.local_scaler_type == Transform::Difference(0) {
            let reason = "a difference needs a lag of at least 1";
            return Err(setting("local scaler type", "difference of 0".into(), reason));
        }
        self.check_alias()?;
        self.check_network()?;
        self.check_loss()?;
        if self.horizon.saturating_mul(self.input_size) > MOST_PARAMETERS {
            let reason = "times the input size gives too many weights; lower one of them";
            return Err(setting("horizon", self.horizon.to_string(), reason));
        }
        let window = self.input_size + self.horizon;
        if self.windows_batch_size.saturating_mul(window) > MOST_PARAMETERS {
            let reason = "windows of this length take too much memory; lower it";
            return Err(setting("windows batch size", self.windows_batch_size.to_string(), reason));
        }
        Ok(())
    }

    /// Refuses names that mean other columns.
    fn check_alias(&self) -> Result<(), ForecastError> {
        let Some(alias) = &self.alias else { return Ok(()) };
        let taken = ["", "y", "unique_id", "ds", "cutoff", ENSEMBLE];
        let is_rule = Baseline::named(alias).is_some_and(|rule| rule.name() == alias);
        if taken.contains(&alias.as_str()) || is_rule || Part::split(alias).1 != Part::Point {
            let (name, value) = ("alias", format!("\"{alias}\""));
            let reason = "is the name of another column; choose one that none has";
            return Err(ForecastError::Setting { name, value, reason });
        }
        Ok(())
    }

    /// Refuses networks whose sizes no machine has room for, before anything is multiplied with them.
    fn check_network(&self) -> Result<(), ForecastError> {
        let settings = serde_json::to_value(&self.network).unwrap_or_default();
        let fields = settings.as_object().into_iter().flatten();
        for (field, value) in fields {
            // Each layer and block is written into the graph.
            let most = match field.contains("layers") || field.contains("blocks") {
                true => MOST_LAYERS,
                false => MOST_UNITS,
            };
            if largest(value) > most {
                let (name, value) = ("network", format!("{field} {value}"));
                return Err(ForecastError::Setting { name, value, reason: "is too large" });
            }
        }
        Ok(())
    }

    fn check_loss(&self) -> Result<(), ForecastError> {
        let setting = |name, value: String, reason| ForecastError::Setting { name, value, reason };
        if matches!(
            self.loss,
            Loss::CrossEntropy(_) | Loss::BinaryCrossEntropy(_) | Loss::KlDivergence(_)
        ) {
            let reason = "tells classes apart; a forecast needs a loss of numbers, such as mae";
            return Err(setting("loss", self.loss.kind().into(), reason));
        }
        if let Loss::MultiQuantile(loss) = &self.loss
            && loss.quantiles.is_empty()
        {
            return Err(setting("quantiles", "none".into(), "name at least one"));
        }
        if is_relative(&self.loss) && self.local_scaler_type.scaler().is_none() {
            let reason = "changes what errors are relative to; use one that shifts and scales";
            let transform = self.local_scaler_type.to_string();
            return Err(setting("local scaler type", transform, reason));
        }
        let columns = self.columns();
        if let Some(at) = (1..columns.len()).find(|&at| columns[..at].contains(&columns[at])) {
            let reason = "quantiles and levels that differ by less than a hundredth of a per cent share a column; \
                          leave one out";
            return Err(setting("column", columns[at].clone(), reason));
        }
        if let Some(distribution) = Distribution::of(&self.loss) {
            if matches!(self.scaler_type, Scaler::Invariant | Scaler::Revin) {
                let reason = "cannot be undone for the parameters of a distribution; use standard";
                return Err(setting("scaler type", format!("{:?}", self.scaler_type), reason));
            }
            if distribution.of_counts() && self.local_scaler_type.scaler().is_none() {
                let reason = "makes no counts of counts; use one that shifts and scales";
                let transform = format!("{:?}", self.local_scaler_type);
                return Err(setting("local scaler type", transform, reason));
            }
        }
        widest_first(&self.level)?;
        if let Some(weights) = &self.horizon_weight {
            let usable = |weight: &f32| weight.is_finite() && *weight >= 0.0;
            let reason = if weights.len() != self.horizon {
                "must have one number for each step of the horizon"
            } else if !weights.iter().all(usable) || weights.iter().all(|&weight| weight == 0.0) {
                "must be numbers of at least 0, some of them above"
            } else {
                return Ok(());
            };
            return Err(setting("horizon weight", format!("{weights:?}"), reason));
        }
        Ok(())
    }
}

/// A share of each side, or one for both.
fn of_both<'de, D: Deserializer<'de>>(from: D) -> Result<[f32; 2], D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a number, or two in brackets")]
    enum Shares {
        Both(f32),
        Each([f32; 2]),
    }
    Ok(match Shares::deserialize(from)? {
        Shares::Both(share) => [share; 2],
        Shares::Each(shares) => shares,
    })
}

/// The largest number in a setting.
fn largest(value: &serde_json::Value) -> u64 {
    match value {
        serde_json::Value::Array(items) => items.iter().map(largest).max().unwrap_or(0),
        value => value.as_u64().unwrap_or(0),
    }
}

/// 80 and 90 per cent.
fn usual_levels() -> Vec<f32> {
    vec![80.0, 90.0]
}

/// The quantiles that the median and the edges of intervals are, from levels in per cent; for
/// [`MultiQuantile`](whimbrel_nn::losses::MultiQuantile).
pub fn level_to_quantiles(level: &[f32]) -> Vec<f32> {
    let edges = level.iter().flat_map(|level| [50.0 - level / 2.0, 50.0 + level / 2.0]);
    let mut quantiles: Vec<f32> = edges.chain([50.0]).map(|percent| percent / 100.0).collect();
    quantiles.sort_unstable_by(f32::total_cmp);
    quantiles.dedup();
    quantiles
}
