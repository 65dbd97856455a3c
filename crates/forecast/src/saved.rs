//! Saved models: one safetensors file with the weights, and beside them what the model is.
//!
//! The metadata entry `whimbrel.forecaster` is JSON: the version of the format, the settings of the model,
//! the frequency it was learned at, the features it was given and the errors of its cross-validation, if any. A file is
//! written whole or not at all. Version 1 stays readable, but of Student's t distribution, whose outputs have
//! another order there.

use crate::features::Features;
use crate::graphs;
use crate::{Conformal, Fitted, ForecastError, Frequency, Model};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use whimbrel_engine::cpu::Cpu;
use whimbrel_engine::{Options, Session, read_metadata};
use whimbrel_graph::ValueId;
use whimbrel_nn::losses::Loss;

/// The version of the format that is written.
const VERSION: u32 = 2;
/// The metadata entry.
const ENTRY: &str = "whimbrel.forecaster";

/// What a file says beside its weights.
#[derive(Serialize, Deserialize)]
struct Record {
    version: u32,
    model: Model,
    /// As it is written by [`Frequency`].
    frequency: String,
    /// Windows it learned from.
    windows: usize,
    /// The loss of the last step.
    loss: f32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conformal: Option<Conformal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    features: Option<Features>,
}

/// The part of the entry that all versions have.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// The metadata entry, read without the weights after it, which are checked when they are loaded; none
/// where the head of the file is not as it should be.
fn entry(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let size = file.metadata().ok()?.len();
    let mut length = [0; 8];
    file.read_exact(&mut length).ok()?;
    let length = Some(u64::from_le_bytes(length)).filter(|&length| length < size)?;
    let mut header = Vec::new();
    file.take(length).read_to_end(&mut header).ok()?;
    let mut header: serde_json::Value = serde_json::from_slice(&header).ok()?;
    match header.get_mut("__metadata__")?.get_mut(ENTRY)?.take() {
        serde_json::Value::String(entry) => Some(entry),
        _ => None,
    }
}

impl Fitted {
    /// Saves the model, learned from series at this frequency, in one file. A file of that name is
    /// replaced whole, or not at all.
    pub fn save(&self, path: impl AsRef<Path>, frequency: Frequency) -> Result<(), ForecastError> {
        let path = path.as_ref();
        let record = Record {
            version: VERSION,
            model: self.model().clone(),
            frequency: frequency.to_string(),
            windows: self.windows(),
            loss: self.loss(),
            conformal: self.conformal().map(Conformal::thinned),
            features: self.features().cloned(),
        };
        let refused = |problem: String| ForecastError::Saved { path: path.into(), problem };
        let record = serde_json::to_string(&record).map_err(|error| refused(error.to_string()))?;
        let keep = |name: &str| self.weights().any(|weight| weight == name);
        Ok(self.session().save(path, keep, HashMap::from([(ENTRY.into(), record)]))?)
    }

    /// Loads a saved model and the frequency of the series it learned from, to predict up to `series`
    /// series at once (any number in turn).
    ///
    /// # Errors
    /// If the file cannot be read, is no whole model, or of another version.
    pub fn load(path: impl AsRef<Path>, series: usize) -> Result<(Fitted, String), ForecastError> {
        let saved = Saved::open(path)?;
        let frequency = saved.frequency().to_owned();
        Ok((saved.load(series)?, frequency))
    }
}

/// A saved model whose weights are not loaded yet.
pub struct Saved {
    path: PathBuf,
    record: Record,
}

impl Saved {
    /// Reads what the model of a file is.
    ///
    /// # Errors
    /// If the file cannot be read, is no model, or of another version.
    pub fn open(path: impl AsRef<Path>) -> Result<Saved, ForecastError> {
        let path = path.as_ref();
        let refused = |problem: String| ForecastError::Saved { path: path.into(), problem };
        let foreign = || refused("is not a saved model of whimbrel fit".into());
        let entry = match entry(path) {
            Some(entry) => entry,
            // Says what is wrong with the file, if not that it is another's.
            None => read_metadata(path)?.remove(ENTRY).ok_or_else(foreign)?,
        };
        let entry = entry.as_str();
        let Version { version } = serde_json::from_str(entry).map_err(|_| foreign())?;
        if !(1..=VERSION).contains(&version) {
            return Err(refused(format!(
                "has version {version} of the format, this program knows 1 to {VERSION}; use the program that \
                 wrote it, or learn the model anew"
            )));
        }
        let record: Record = serde_json::from_str(entry)
            .map_err(|error| refused(format!("its settings cannot be read: {error}")))?;
        if version == 1 && matches!(record.model.loss, Loss::StudentT(_)) {
            return Err(refused(
                "is a model of Student's t distribution in version 1 of the format, whose outputs have another \
                 order; learn the model anew, or use the program that wrote it"
                    .into(),
            ));
        }
        record.model.check()?;
        Ok(Saved { path: path.into(), record })
    }

    /// The frequency of the series it learned from, as it is written by [`Frequency`].
    pub fn frequency(&self) -> &str {
        &self.record.frequency
    }

    /// Loads the weights, to predict up to `series` series at once (any number in turn). Only what predicts is
    /// compiled.
    ///
    /// # Errors
    /// If the weights are not those of the model.
    pub fn load(self, series: usize) -> Result<Fitted, ForecastError> {
        let Saved { path, record } = self;
        let graph = graphs::predicting(&record.model, series.clamp(1, graphs::SERIES_BLOCK))?;
        // Settings may declare any size; memory is taken only for weights that the file can hold.
        let size = std::fs::metadata(&path).map_or(0, |file| file.len()) as usize;
        let numbers = |value: ValueId| {
            let shape = graph.ty(value).shape;
            shape.iter().fold(1usize, |product, &length| product.saturating_mul(length))
        };
        let declared = graph.state().map(numbers).fold(0usize, usize::saturating_add);
        if declared > size / 4 {
            let problem = format!(
                "its settings declare {declared} weights, more than the file can hold; it is damaged"
            );
            return Err(ForecastError::Saved { path, problem });
        }
        let weights = graph.state().map(|value| graph.label(value)).collect();
        // Weights come from the file: first ones need not be drawn.
        let mut session = Session::uninitialised(&Cpu::new(&Options::default()), &[graph])?;
        session.load(&path, |_| true)?;
        let fitted = Fitted::new(record.model, session, 0, weights, record.windows, record.loss)?;
        Ok(fitted.with_conformal(record.conformal).with_features(record.features))
    }
}
