//! Network files: a network, its data and its training in a text of TOML.
//!
//! ```toml
//! [data]
//! file = "xor.csv"
//! target = "y"
//!
//! [[network.layers]]
//! type = "linear"
//! out_features = 1
//!
//! [training]
//! loss = { type = "mse" }
//! optimiser = { type = "adam", lr = 0.05 }
//! epochs = 100
//! ```
//!
//! Layers, losses, optimisers and schedules have the names and settings of this crate's structs.
//! Mistakes are errors with file, line, field and remedy. Start reading at [`NetworkFile`].

mod batch_size;
mod data;
mod error;
mod line;
mod schema;
mod size;
mod training;

pub use batch_size::BatchSize;
pub use data::{Data, Missing};
pub use error::FileError;
pub use schema::schema;
pub use training::{Keeping, Training};

use crate::init::InitRule;
use crate::layers::{Layer, Sequential};
use crate::trainer::{TrainError, Trainer};
use crate::{NnError, file::line::Lines};
use schemars::JsonSchema;
use serde::Deserialize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A network file that has been read.
#[derive(Clone, Debug)]
pub struct NetworkFile {
    path: PathBuf,
    text: String,
    layers: Vec<Spanned<Layer>>,
    init: Vec<InitRule>,
    data: Data,
    training: Training,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Content {
    network: Network,
    data: Data,
    training: Training,
}

/// The network.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Network {
    /// The layers, first to last.
    // They come as plain values first: an error within one of several known by their type would not say
    // in which.
    #[schemars(with = "Vec<Layer>")]
    layers: Vec<Spanned<toml::Value>>,
    #[serde(default)]
    init: Vec<InitRule>,
}

impl NetworkFile {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<NetworkFile, FileError> {
        let text = std::fs::read_to_string(path).map_err(|error| FileError {
            file: path.into(),
            line: None,
            problem: format!("cannot be read: {error}"),
        })?;
        NetworkFile::parse(path, text)
    }

    /// Reads a text; errors call it `path`, and the files it names are beside `path`.
    pub fn parse(path: &Path, text: String) -> Result<NetworkFile, FileError> {
        let refuse = |error: toml::de::Error, span: Option<Range<usize>>| {
            let lines = Lines(&text);
            let line = span.map(|span| lines.of_mistake(span, error.message()));
            let written = line.map(|line| lines.text(line)).unwrap_or_default();
            let problem = error::explain(error.message(), &written);
            FileError { file: path.into(), line, problem }
        };
        let content: Content = toml::from_str(&text).map_err(|error| {
            let span = error.span();
            refuse(error, span)
        })?;
        let layer = |value: Spanned<toml::Value>| {
            let span = value.span();
            let layer = Layer::deserialize(value.into_inner());
            let layer = layer.map_err(|error| refuse(error, Some(span.clone())))?;
            Ok(Spanned::new(span, layer))
        };
        let Content { network, data, training } = content;
        let layers = network.layers.into_iter().map(layer).collect::<Result<_, _>>()?;
        let init = network.init;
        let file = NetworkFile { path: path.into(), text, layers, init, data, training };
        file.check()?;
        Ok(file)
    }

    /// The network.
    pub fn network(&self) -> Sequential {
        let layers = self.layers.iter();
        Sequential { layers: layers.map(|layer| layer.get_ref().clone()).collect() }
    }

    /// What it learns from.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// The same with other columns going in, or another array.
    pub fn with_inputs(mut self, inputs: Vec<String>) -> NetworkFile {
        self.data.inputs = Some(inputs);
        self
    }

    /// The file of its data.
    pub fn data_file(&self) -> PathBuf {
        self.beside(&self.data.file)
    }

    /// The file of its targets, where it is one of its own.
    pub fn target_file(&self) -> Option<PathBuf> {
        self.data.target_file.as_ref().map(|file| self.beside(file))
    }

    /// The folder of its checkpoints, log and weights.
    pub fn folder(&self) -> PathBuf {
        match &self.training.checkpoints.folder {
            Some(folder) => self.beside(folder),
            None => self.path.with_extension("run"),
        }
    }

    /// The size of its batches.
    pub fn batch_size(&self) -> BatchSize {
        self.training.batch_size
    }

    /// The training it describes; a batch size to be measured is the usual one until it is.
    pub fn trainer(&self) -> Trainer {
        let init = self.init.clone();
        Trainer { init, ..self.training.trainer(self.network(), &self.data, self.folder()) }
    }

    /// Puts an error in its place in the file, where it is about something that stands there.
    pub fn place(&self, error: &TrainError) -> FileError {
        let line = match error {
            TrainError::Setting { field, .. } => Lines(&self.text).of_key(field),
            TrainError::Network(error) => self.line_of(error),
            _ => None,
        };
        FileError { file: self.path.clone(), line, problem: error.to_string() }
    }

    /// The line of a layer's mistake, or of a setting.
    fn line_of(&self, error: &NnError) -> Option<usize> {
        let lines = Lines(&self.text);
        let layer = error.layer().and_then(|number| self.layers.get(number));
        let span = layer.map_or(0..self.text.len(), |layer| lines.table(layer.span()));
        match error {
            NnError::Setting { field, .. } => lines.of_key_in(span.clone(), field),
            _ => None,
        }
        .or_else(|| layer.map(|_| lines.at(span.start)))
    }

    fn check(&self) -> Result<(), FileError> {
        let refuse = |key: &str, problem: &str| {
            let line = Lines(&self.text).of_key(key);
            Err(FileError { file: self.path.clone(), line, problem: problem.into() })
        };
        match (self.training.epochs, self.training.steps) {
            (None, None) => {
                return refuse("[training]", "epochs is missing; add epochs = 20, or steps");
            }
            (Some(_), Some(_)) => {
                return refuse("steps", "epochs and steps are both given; remove one");
            }
            _ => {}
        }
        match (&self.data.target, &self.data.target_file) {
            (None, None) => {
                return refuse("[data]", "target is missing; name the column to predict here");
            }
            (Some(_), Some(_)) => {
                return refuse("target_file", "target and target_file are both given; remove one");
            }
            _ => {}
        }
        if self.data.inputs.as_ref().is_some_and(Vec::is_empty) {
            return refuse("inputs", "inputs names no column; name some, or remove it for all");
        }
        let folder = self.training.checkpoints.folder.as_ref();
        if folder.is_some_and(|folder| folder.as_os_str().is_empty()) {
            return refuse("folder", "folder is empty; name one, or remove it for the usual one");
        }
        if let Some(weight) = &self.data.weight {
            let inputs = self.data.inputs.iter().flatten();
            if inputs.chain(&self.data.target).any(|column| column == weight) {
                return refuse("weight", "weight names a column that is target or input too");
            }
        }
        self.check_sizes()?;
        self.trainer().check().map_err(|error| self.place(&error))
    }

    fn check_sizes(&self) -> Result<(), FileError> {
        let lines = Lines(&self.text);
        for layer in &self.layers {
            if let Some(size) = size::too_large(layer.get_ref()) {
                let line = lines.of_mistake(layer.span(), &format!("`{size}`"));
                let problem = format!("{size} is too large; the largest size is {}", size::LARGEST);
                return Err(FileError { file: self.path.clone(), line: Some(line), problem });
            }
        }
        Ok(())
    }

    /// A path relative to the file.
    fn beside(&self, path: &Path) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }
}
