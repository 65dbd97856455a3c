//! What the options of an input ask for: a panel, or forecasts of one.

use crate::cli::{Input, Layout, Settings};
use crate::command::output::STANDARD;
use crate::failure::Failure;
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
        if let (Some(future), []) = (&self.future, &self.futr_exog[..]) {
            reader.futr_exog_list = reader.future_columns(future)?;
        }
        let mut panel = self.read_series(&reader)?;
        if let Some(future) = &self.future {
            reader.read_future(&mut panel, future)?;
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
        let span =
            panel.span().map(|(first, last)| format!(", {first} to {last}")).unwrap_or_default();
        let (series, rows) = (panel.series().len(), panel.rows());
        format!("{}: {series} series, {rows} rows, frequency {}{span}", self, panel.frequency())
    }

    fn is_standard(&self) -> bool {
        self.file == Path::new(STANDARD)
    }
}

impl Layout {
    /// A reader of files laid out so.
    pub fn reader(&self, fill: Fill) -> Reader {
        let (frequency, wide) = (self.freq, self.wide);
        Reader { columns: self.columns(), frequency, fill, wide, ..Reader::default() }
    }

    /// Reads forecasts of series in files laid out so; `-` is standard input.
    pub fn read_forecasts(&self, file: &Path) -> Result<Frame, Failure> {
        let columns = self.columns();
        match file == Path::new(STANDARD) {
            true => Ok(Frame::read_bytes(STANDARD_INPUT, &standard_input()?, &columns)?),
            false => Ok(Frame::read(file, &columns)?),
        }
    }

    fn columns(&self) -> Columns {
        let (id, time, target) = (&self.names.id_col, &self.names.time_col, &self.names.target_col);
        Columns { id: id.clone(), time: time.clone(), target: target.clone() }
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
        match self.is_standard() {
            true => f.write_str(STANDARD_INPUT),
            false => self.file.display().fmt(f),
        }
    }
}
