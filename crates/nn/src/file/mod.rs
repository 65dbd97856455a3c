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
mod check;
mod data;
mod error;
mod line;
mod number;
mod place;
mod schema;
mod training;

pub use batch_size::BatchSize;
pub use data::{Data, Missing};
pub use error::FileError;
pub use schema::schema;
pub use training::{Keeping, Training};

use crate::init::InitRule;
use crate::layers::{Layer, Sequential};
use crate::trainer::Trainer;
use line::Lines;
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
        let refuse = |line, problem| FileError { file: path.into(), line, problem };
        let bytes = std::fs::read(path)
            .map_err(|error| refuse(None, format!("cannot be read: {error}")))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            refuse(Some(line), "is not UTF-8 text; save the file as UTF-8".into())
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
            if let Some((field, number)) = number::not_finite(value.get_ref()) {
                let line = Lines(&text).of_mistake(span, &format!("`{field}`"));
                let problem = format!("{field} is {number}; give a finite number");
                return Err(FileError { file: path.into(), line: Some(line), problem });
            }
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

    /// The file itself.
    pub fn path(&self) -> &Path {
        &self.path
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

    /// A path relative to the file.
    fn beside(&self, path: &Path) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }
}
