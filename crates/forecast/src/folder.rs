//! Saved forecasters: a folder with a file for each model, and `forecasters.json`, which says what they are, in
//! which order, with which rules between them, and what errors they made in a cross-validation.
//!
//! That file is written last and names those that belong to it, so that models of an earlier save do no harm.

use crate::{Baseline, Conformal, Fitted, FittedForecast, FittedForecaster, ForecastError};
use crate::{Frequency, Rule};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::io::ErrorKind;
use std::path::Path;
use whimbrel_engine::replace;

/// The file that names the others.
const CONTENTS: &str = "forecasters.json";
/// The version of the format that is written, and the only one there is.
const VERSION: u32 = 1;

/// What a folder holds.
#[derive(Serialize, Deserialize)]
struct Contents {
    version: u32,
    /// As it is written by [`Frequency`].
    frequency: String,
    forecasters: Vec<Entry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conformal: Option<Conformal>,
}

/// The part that all versions have.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// One forecaster of a folder.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Entry {
    /// A model, in a file of this name.
    Model(String),
    /// A rule, which has learned nothing but its season.
    Rule {
        name: String,
        season_length: Option<usize>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        window_size: Option<usize>,
    },
}

impl FittedForecast {
    /// Saves everything in a folder, which is made where there is none: a file for each model, rules and the
    /// errors of a cross-validation beside them.
    pub fn save(&self, folder: impl AsRef<Path>) -> Result<(), ForecastError> {
        let folder = folder.as_ref();
        std::fs::create_dir_all(folder).map_err(|error| unusable(folder, error))?;
        // While models are replaced, nothing names them together.
        let path = folder.join(CONTENTS);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(unusable(&path, error));
            }
            _ => {}
        }
        let mut forecasters = Vec::with_capacity(self.fitted.len());
        for (number, one) in self.fitted.iter().enumerate() {
            forecasters.push(match one {
                FittedForecaster::Model(fitted) => {
                    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
                    let name: String = fitted.model().name().chars().map(plain).collect();
                    let file = format!("{number:03}-{name}.safetensors");
                    fitted.save(folder.join(&file), self.frequency)?;
                    Entry::Model(file)
                }
                FittedForecaster::Rule(Rule { baseline, season_length, window_size }) => {
                    let (season_length, window_size) = (*season_length, *window_size);
                    Entry::Rule { name: baseline.name().into(), season_length, window_size }
                }
            });
        }
        let contents = Contents {
            version: VERSION,
            frequency: self.frequency.to_string(),
            forecasters,
            conformal: self.conformal.as_ref().map(Conformal::thinned),
        };
        let text = serde_json::to_vec(&contents).map_err(|error| unusable(&path, error))?;
        replace(&path, &text).map_err(|error| unusable(&path, error))
    }

    /// Loads what a folder holds, to forecast panels at `frequency` with [`FittedForecast::predict_panel`].
    ///
    /// # Errors
    /// If the folder holds no saved forecasters, or those of another frequency.
    pub fn load(
        folder: impl AsRef<Path>,
        frequency: Frequency,
    ) -> Result<FittedForecast, ForecastError> {
        let folder = folder.as_ref();
        let path = folder.join(CONTENTS);
        let text = std::fs::read(&path).map_err(|error| unusable(&path, error))?;
        let Version { version } =
            serde_json::from_slice(&text).map_err(|error| unusable(&path, error))?;
        if version != VERSION {
            return Err(unusable(
                &path,
                format!("has version {version}, this program knows {VERSION}"),
            ));
        }
        let contents: Contents =
            serde_json::from_slice(&text).map_err(|error| unusable(&path, error))?;
        if contents.frequency != frequency.to_string() {
            let (learned, found) = (contents.frequency, frequency);
            return Err(ForecastError::OtherFrequency { learned, found });
        }
        let mut fitted = Vec::with_capacity(contents.forecasters.len());
        for entry in contents.forecasters {
            fitted.push(match entry {
                Entry::Model(file) => {
                    // A name, not a way out of the folder.
                    let name = Path::new(&file).file_name().unwrap_or_default();
                    let (one, _) = Fitted::load(folder.join(name), usize::MAX)?;
                    FittedForecaster::Model(Box::new(one))
                }
                Entry::Rule { name, season_length, window_size } => {
                    let unknown = || unusable(&path, format!("there is no rule {name}"));
                    let baseline = Baseline::named(&name).ok_or_else(unknown)?;
                    FittedForecaster::Rule(Rule { baseline, season_length, window_size })
                }
            });
        }
        Ok(FittedForecast { fitted, frequency, panel: None, conformal: contents.conformal })
    }
}

fn unusable(path: &Path, problem: impl Display) -> ForecastError {
    ForecastError::Saved { path: path.into(), problem: problem.to_string() }
}
