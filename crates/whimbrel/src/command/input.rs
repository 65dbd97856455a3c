//! The panel that the options of an input ask for.

use crate::cli::{Input, Names, Settings, Times};
use crate::failure::Failure;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use whimbrel::{Columns, Panel, Reader};

impl Input {
    /// Reads the series, what is known beside them and what `settings` look at, and computes features for
    /// `horizon` steps ahead.
    pub fn read_ahead(&self, horizon: usize, settings: &Settings) -> Result<Panel, Failure> {
        self.with_features(self.read_with(settings.sample_weight.as_ref())?, horizon)
    }

    /// The panel with the features beside it.
    pub fn with_features(&self, panel: Panel, horizon: usize) -> Result<Panel, Failure> {
        match &self.features {
            Some(features) => Ok(features.add_to(&panel, horizon)?),
            None => Ok(panel),
        }
    }

    /// Reads the series and what is known beside them.
    pub fn read(&self) -> Result<Panel, Failure> {
        self.read_with(None)
    }

    /// The same with one more column known up to now.
    fn read_with(&self, column: Option<&String>) -> Result<Panel, Failure> {
        let mut reader = self.reader();
        let list = &mut reader.hist_exog_list;
        list.extend(column.filter(|column| !self.hist_exog.contains(column)).cloned());
        let future = self.future.as_deref().map(File::once).transpose()?;
        if let (Some(future), []) = (&future, &self.futr_exog[..]) {
            reader.futr_exog_list = future.columns(&reader)?;
        }
        let mut panel = self.read_series(&reader)?;
        if let Some(future) = &future {
            future.read(&reader, &mut panel)?;
        }
        if let Some(fixed) = &self.fixed {
            reader.read_static(&mut panel, fixed)?;
        }
        Ok(panel)
    }

    fn read_series(&self, reader: &Reader) -> Result<Panel, Failure> {
        match self.is_standard() {
            true => {
                let mut bytes = Vec::new();
                let read = io::stdin().lock().read_to_end(&mut bytes);
                read.map_err(|error| {
                    Failure::input(format!("standard input: cannot be read: {error}"))
                })?;
                Ok(reader.read_bytes("standard input", &bytes)?)
            }
            false => Ok(reader.read(&self.file)?),
        }
    }

    fn reader(&self) -> Reader {
        Reader {
            fill: self.fill,
            wide: self.wide,
            futr_exog_list: self.futr_exog.clone(),
            hist_exog_list: self.hist_exog.clone(),
            stat_exog_list: self.stat_exog.clone(),
            ..self.times.reader(self.names.columns())
        }
    }

    /// The files that are read, which no output may replace.
    pub fn files(&self) -> Vec<&Path> {
        let beside = [&self.future, &self.fixed].into_iter().flatten();
        std::iter::once(&self.file).chain(beside).map(PathBuf::as_path).collect()
    }

    /// The input in a sentence: how much it holds, from when to when.
    pub fn describe(&self, panel: &Panel) -> String {
        let span =
            panel.span().map(|(first, last)| format!(", {first} to {last}")).unwrap_or_default();
        let (series, rows) = (panel.series().len(), panel.rows());
        format!("{}: {series} series, {rows} rows, frequency {}{span}", self, panel.frequency())
    }

    fn is_standard(&self) -> bool {
        self.file == Path::new("-")
    }
}

/// The file of the future, which is looked at twice: what can be read only once, like a pipe, is kept in
/// memory.
enum File<'a> {
    Path(&'a Path),
    Memory(String, Vec<u8>),
}

impl File<'_> {
    fn once(path: &Path) -> Result<File<'_>, Failure> {
        match path.metadata() {
            Ok(found) if !found.is_file() && !found.is_dir() => {
                let name = path.display().to_string();
                match std::fs::read(path) {
                    Ok(bytes) => Ok(File::Memory(name, bytes)),
                    Err(error) => Err(Failure::input(format!("{name}: cannot be read: {error}"))),
                }
            }
            _ => Ok(File::Path(path)),
        }
    }

    fn columns(&self, reader: &Reader) -> Result<Vec<String>, Failure> {
        Ok(match self {
            File::Path(path) => reader.future_columns(path),
            File::Memory(name, bytes) => reader.future_columns_bytes(name, bytes),
        }?)
    }

    fn read(&self, reader: &Reader, panel: &mut Panel) -> Result<(), Failure> {
        Ok(match self {
            File::Path(path) => reader.read_future(panel, path),
            File::Memory(name, bytes) => reader.read_future_bytes(panel, name, bytes),
        }?)
    }
}

impl Times {
    /// A reader of data that have these columns.
    pub fn reader(&self, columns: Columns) -> Reader {
        let Times { freq: frequency, date_order } = *self;
        Reader { columns, frequency, date_order, ..Reader::default() }
    }
}

impl Names {
    /// The columns of these names.
    pub fn columns(&self) -> Columns {
        let Names { id_col: id, time_col: time, target_col: target } = self;
        Columns { id: id.clone(), time: time.clone(), target: target.clone() }
    }
}

impl std::fmt::Display for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self.is_standard() {
            true => f.write_str("standard input"),
            false => self.file.display().fmt(f),
        }
    }
}
