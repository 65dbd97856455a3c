//! Forecasters as users train them, and the panels they learn from; `peers/forecasters.py` is the
//! other half.
//!
//! Settings are NeuralForecast's by default, 24 values in, 12 out. Weights go to the peer in a file,
//! so that both sides can begin alike.

use std::path::PathBuf;

use whimbrel_forecast::{Columns, Fitted, ForecastError, Panel};

use crate::error::Error;
use crate::fill;
use crate::models::{self, HORIZON, INPUT};
use crate::peer::Peer;

/// The models by their name in cases, and in the catalogue.
pub const NAMES: [(&str, &str); 10] = [
    ("mlp-5k", "mlp-5k"),
    ("mlp", "mlp-1m"),
    ("dlinear", "dlinear"),
    ("nlinear", "nlinear"),
    ("rnn", "rnn"),
    ("lstm", "lstm"),
    ("gru", "gru"),
    ("tcn", "tcn"),
    ("nbeats", "nbeats"),
    ("nhits", "nhits"),
];

/// One of the models, as it is trained.
#[derive(Clone, Debug)]
pub struct Forecaster {
    /// Its name in cases.
    pub name: &'static str,
    /// Its entry in the catalogue.
    pub entry: &'static models::Model,
    /// Its settings.
    pub model: whimbrel_forecast::Model,
}

/// Every model.
pub fn all() -> Vec<Forecaster> {
    let forecaster = |&(name, entry): &(&'static str, &str)| {
        let entry = models::Model::named(entry)?;
        let model = whimbrel_forecast::Model::new(entry.network?(), HORIZON);
        let model = whimbrel_forecast::Model { input_size: INPUT, ..model };
        Some(Forecaster { name, entry, model })
    };
    NAMES.iter().filter_map(forecaster).collect()
}

/// Series of equal length at integer times: stream 1 times 4 plus 100.
pub fn panel(series: usize, length: usize) -> Result<Panel, ForecastError> {
    let text = csv(series, length);
    Panel::from_csv("stream", text.as_bytes(), &Columns::default(), None)
}

/// The same as a file has it.
pub fn csv(series: usize, length: usize) -> String {
    use std::fmt::Write as _;
    let mut text = String::from("unique_id,ds,y\n");
    for row in 0..series * length {
        let value = fill::value(1, row as u32) * 4.0 + 100.0;
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{:04},{},{value}", row / length, row % length);
    }
    text
}

/// Where files that both sides use are.
pub fn folder() -> PathBuf {
    Peer::environment().map_or_else(std::env::temp_dir, |root| root.join("bench/out"))
}

/// Writes the weights of a model where the peer looks for them.
pub fn hand_over(name: &str, fitted: &Fitted, panel: &Panel) -> Result<PathBuf, ForecastError> {
    let folder = folder();
    // Saving says what is wrong with the folder, if anything is.
    let _ = std::fs::create_dir_all(&folder);
    let path = folder.join(format!("{name}.safetensors"));
    fitted.save(&path, panel.frequency())?;
    Ok(path)
}

/// What went wrong as an error of a suite.
pub fn failed<E: std::fmt::Display>(suite: &'static str) -> impl Fn(E) -> Error {
    move |error| Error::Suite { suite, what: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_stands_for_a_model() {
        assert_eq!(all().len(), NAMES.len());
    }

    #[test]
    fn panels_hold_the_values_of_the_stream() {
        let panel = panel(2, 3).unwrap();
        let values: Vec<f32> = panel.series().iter().flat_map(|s| s.values().to_vec()).collect();
        let stream: Vec<f32> = fill::values(1, 6).iter().map(|x| x * 4.0 + 100.0).collect();
        assert_eq!(values, stream);
    }
}
