//! The panel that the options of an input ask for.

use crate::cli::Input;
use crate::failure::Failure;
use std::io;
use std::path::Path;
use whimbrel::{Columns, Panel};

impl Input {
    /// Reads the series.
    pub fn read(&self) -> Result<Panel, Failure> {
        let columns = Columns {
            id: self.id_col.clone(),
            time: self.time_col.clone(),
            target: self.target_col.clone(),
        };
        Ok(match self.is_standard() {
            true => Panel::from_csv("standard input", io::stdin().lock(), &columns, self.freq)?,
            false => Panel::read_csv(&self.file, &columns, self.freq)?,
        })
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

impl std::fmt::Display for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self.is_standard() {
            true => f.write_str("standard input"),
            false => self.file.display().fmt(f),
        }
    }
}
