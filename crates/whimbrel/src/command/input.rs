//! What the options of an input ask for: a panel, or forecasts of one.

use crate::cli::{Input, Layout, Settings};
use crate::command::output::STANDARD;
use crate::failure::Failure;
use std::borrow::Cow;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use whimbrel::features::Features;
use whimbrel::{Columns, Fill, Frame, Frequency, Panel, Reader};

/// What errors call standard input.
const STANDARD_INPUT: &str = "standard input";

impl Input {
    /// Reads the series, what is known beside them and what `settings` look at, and computes features for
    /// `horizon` steps ahead.
    pub fn read_ahead(&self, horizon: usize, settings: &Settings) -> Result<Panel, Failure> {
        let panel = self.read_with(settings.sample_weight.as_ref(), None)?;
        match self.features_from(&panel) {
            Some(features) => Ok(features.add_to(&panel, horizon)?),
            None => Ok(panel),
        }
    }

    /// The features, whose steps are counted from the first time of a panel.
    pub fn features_from(&self, panel: &Panel) -> Option<Features> {
        let features = self.features.clone()?;
        Some(match panel.span() {
            Some((first, _)) => features.counted_from(first),
            None => features,
        })
    }

    /// Reads the series and what is known beside them, for a model that learned at a frequency.
    pub fn read_for(&self, learned: Option<Frequency>) -> Result<Panel, Failure> {
        self.read_with(None, learned)
    }

    /// Reads the series and what is known beside them, one more column known up to now among it.
    fn read_with(
        &self,
        column: Option<&String>,
        usual_frequency: Option<Frequency>,
    ) -> Result<Panel, Failure> {
        let mut reader = Reader { usual_frequency, ..self.reader() };
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
            true => Ok(reader.read_bytes(STANDARD_INPUT, &standard_input()?)?),
            false => Ok(reader.read(&self.file)?),
        }
    }

    fn reader(&self) -> Reader {
        Reader {
            futr_exog_list: self.futr_exog.clone(),
            hist_exog_list: self.hist_exog.clone(),
            stat_exog_list: self.stat_exog.clone(),
            ..self.layout.reader(self.fill)
        }
    }

    /// The files that are read, which no output may replace.
    pub fn files(&self) -> Vec<&Path> {
        let beside = [&self.future, &self.fixed].into_iter().flatten();
        std::iter::once(&self.file).chain(beside).map(PathBuf::as_path).collect()
    }

    /// The input in a sentence: how much it holds, from when to when.
    pub fn describe(&self, panel: &Panel) -> String {
        let written = |time| panel.written(time);
        let span = panel.span().map_or_else(String::new, |(first, last)| {
            format!(", {} to {}", written(first), written(last))
        });
        let (series, rows) = (panel.series().len(), panel.rows());
        format!("{}: {series} series, {rows} rows, frequency {}{span}", self, panel.frequency())
    }

    fn is_standard(&self) -> bool {
        self.file == Path::new(STANDARD)
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

impl Layout {
    /// A reader of files laid out so.
    pub fn reader(&self, fill: Fill) -> Reader {
        let (frequency, date_order, wide) = (self.freq, self.date_order, self.wide);
        Reader { columns: self.columns(), frequency, date_order, fill, wide, ..Reader::default() }
    }

    /// Reads forecasts of series in files laid out so, to be compared with panels of files; `-` is standard input.
    pub fn read_forecasts(
        &self,
        file: &Path,
        others: &[(&Path, &Panel)],
    ) -> Result<Frame, Failure> {
        let reader = self.reader(Fill::default());
        match file == Path::new(STANDARD) {
            true => Ok(reader.read_forecasts_bytes(STANDARD_INPUT, &standard_input()?, others)?),
            false => Ok(reader.read_forecasts(file, others)?),
        }
    }

    fn columns(&self) -> Columns {
        let (id, time, target) = (&self.names.id_col, &self.names.time_col, &self.names.target_col);
        Columns { id: id.clone(), time: time.clone(), target: target.clone() }
    }
}

/// What errors call a file, or standard input.
pub fn name_of(file: &Path) -> Cow<'_, str> {
    match file == Path::new(STANDARD) {
        true => STANDARD_INPUT.into(),
        false => file.to_string_lossy(),
    }
}

/// All of standard input.
fn standard_input() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| Failure::input(format!("{STANDARD_INPUT}: cannot be read: {error}")))?;
    Ok(bytes)
}

impl std::fmt::Display for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&name_of(&self.file))
    }
}
