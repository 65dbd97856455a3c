//! Where results go: a table or JSON on standard output, a file.

use crate::cli::Output;
use crate::command::terminal::{more_columns, print, width};
use crate::failure::Failure;
use serde_json::{Map, Value, json};
use std::io::{self, IsTerminal};
use std::ops::Range;
use std::path::Path;
use whimbrel::chart;
use whimbrel::data::{Column, Table, Values, encode, has_known_ending};
use whimbrel::{Evaluation, Frame, expect_replaceable, replace};

/// What stands for standard output where a file or a folder is named, and for standard input.
pub const STANDARD: &str = "-";

impl Output {
    /// Whether progress is to be shown.
    pub fn talks(&self) -> bool {
        talks(self.quiet)
    }

    /// Refuses, before the work, a file that cannot be written or would replace another.
    pub fn check(&self, inputs: &[&Path]) -> Result<(), Failure> {
        let Some(out) = self.file() else { return Ok(()) };
        if !has_known_ending(out) {
            let why = "has an ending of no format it can be written in; let it end in .csv, .csv.gz, .parquet, \
                       .arrow or .feather";
            return Err(Failure::input(format!("--out {}: {why}", out.display())));
        }
        check_file("--out", out, inputs, self.force)
    }

    /// The file that was asked for; `-` is none, but standard output.
    fn file(&self) -> Option<&Path> {
        self.out.as_deref().filter(|out| *out != Path::new(STANDARD))
    }

    /// Writes the file that was asked for, then prints what is `shown`, or `json`; the rows themselves where
    /// `--out -` asks for them.
    pub fn give(
        &self,
        result: &impl Rows,
        shown: &impl Rows,
        json: impl FnOnce() -> Value,
    ) -> Result<(), Failure> {
        let failed = |error: io::Error| {
            let out = self.out.as_deref().unwrap_or(Path::new(STANDARD)).display();
            Failure::run(format!("{out}: cannot be written: {error}"))
        };
        if let Some(file) = self.file() {
            let bytes = encode(file, |to| result.csv(to), || result.table());
            bytes.and_then(|bytes| replace(file, &bytes)).map_err(failed)?;
        }
        let standard = self.out.is_some() && self.file().is_none();
        match (self.json, standard) {
            _ if self.quiet && self.file().is_some() => Ok(()),
            (true, true) => print(format!("{}\n", result.json())),
            (true, false) => print(format!("{}\n", json())),
            (false, true) => {
                let mut csv = Vec::new();
                result.csv(&mut csv).map_err(failed)?;
                print(String::from_utf8_lossy(&csv))
            }
            (false, false) => {
                let (table, left_out) = shown.within(width().unwrap_or(usize::MAX));
                print(format!("{table}{}", more_columns(left_out, "--json prints all")))
            }
        }
    }
}

/// A result of rows and columns.
pub trait Rows {
    /// Writes it as text.
    fn csv(&self, to: &mut Vec<u8>) -> io::Result<()>;

    /// It as text in columns, at most so many letters wide, and how many columns are left out for it.
    fn within(&self, width: usize) -> (chart::Table, usize);

    /// The same for other formats.
    fn table(&self) -> Table;

    /// Its rows, each with its columns by name; null where there is no value.
    fn json(&self) -> Value;
}

impl Rows for Frame {
    fn csv(&self, to: &mut Vec<u8>) -> io::Result<()> {
        self.write_csv(to)
    }

    fn within(&self, width: usize) -> (chart::Table, usize) {
        self.within(width)
    }

    fn table(&self) -> Table {
        self.to_table()
    }

    fn json(&self) -> Value {
        frame_json(self)
    }
}

impl Rows for Evaluation {
    fn csv(&self, to: &mut Vec<u8>) -> io::Result<()> {
        self.write_csv(to)
    }

    fn within(&self, width: usize) -> (chart::Table, usize) {
        self.within(width)
    }

    fn table(&self) -> Table {
        self.to_table()
    }

    fn json(&self) -> Value {
        let table = self.to_table();
        let cell = |column: &Column, row: usize| match column.values() {
            Values::Text(texts) => json!(texts.get(row)),
            Values::Integer(numbers) | Values::Time(numbers) => json!(numbers.get(row)),
            Values::Float(numbers) => json!(numbers.get(row)),
        };
        let row = |row: usize| {
            let cells = table.columns().iter();
            Value::Object(cells.map(|(name, column)| (name.clone(), cell(column, row))).collect())
        };
        (0..table.rows()).map(row).collect()
    }
}

/// Whether somebody watches, and wants to be told.
pub fn talks(quiet: bool) -> bool {
    !quiet && io::stderr().is_terminal()
}

/// Refuses a file that cannot be written, is one of the inputs, or is there already without `force`.
pub fn check_file(option: &str, file: &Path, inputs: &[&Path], force: bool) -> Result<(), Failure> {
    let refuse = |why: &str| Err(Failure::input(format!("{option} {}: {why}", file.display())));
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if file.is_dir() {
        return refuse("is a folder; name a file in it");
    }
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return refuse("the folder does not exist");
    }
    let same = |input: &&&Path| match (file.canonicalize(), input.canonicalize()) {
        (Ok(file), Ok(input)) => file == input,
        _ => false,
    };
    if inputs.iter().any(|input| same(&input)) {
        return refuse("is an input file; name another");
    }
    if file.as_os_str().to_string_lossy().ends_with(std::path::is_separator) {
        return refuse("names a folder; name a file in it");
    }
    match is_there(file) && !force {
        true => refuse("is there already; name another, or replace it with --force"),
        false => expect_writable(option, file),
    }
}

/// Refuses, before the work, a file that could not be written after it.
pub fn expect_writable(option: &str, file: &Path) -> Result<(), Failure> {
    expect_replaceable(file).map_err(|error| {
        let why = "cannot be written there";
        Failure::input(format!("{option} {}: {why}: {error}; name another place", file.display()))
    })
}

/// Whether there is a file, or a link to one that is not there.
pub fn is_there(file: &Path) -> bool {
    file.symlink_metadata().is_ok()
}

/// The rows of a frame, each with its columns by name; null where there is no value.
pub fn frame_json(frame: &Frame) -> Value {
    let rows = (0..frame.rows()).map(|row| {
        let mut fields = Map::new();
        fields.insert("unique_id".into(), json!(frame.id(row)));
        fields.insert("ds".into(), json!(frame.time_text(frame.times()[row])));
        if let Some(cutoffs) = frame.cutoffs() {
            fields.insert("cutoff".into(), json!(frame.time_text(cutoffs[row])));
        }
        for name in frame.columns() {
            let value = frame.column(name).and_then(|column| column.get(row)).copied();
            fields.insert(name.into(), json!(value.and_then(short)));
        }
        Value::Object(fields)
    });
    Value::Array(rows.collect())
}

/// Says how many series lack intervals of a model of some levels; nothing where all have them.
pub fn without_intervals(frame: &Frame, model: &str, level: &[f32]) -> String {
    let edges: Vec<&[f32]> =
        level.iter().map(|&level| frame.interval(model, level).unwrap_or_default().0).collect();
    let unknown =
        |row: usize| edges.iter().any(|edges| edges.get(row).is_none_or(|edge| edge.is_nan()));
    let lacking = frame.series().filter(|(_, rows)| rows.clone().any(unknown)).count();
    match lacking {
        0 => String::new(),
        lacking => format!(
            "warning: {lacking} of {} series have no intervals, since no errors of forecasts of \
             their past are known\n",
            frame.series().count()
        ),
    }
}

/// Says how many series reach back to the first of so many cutoffs; nothing where all of a panel do.
pub fn short_of_first(frame: &Frame, cutoffs: usize, series: usize) -> String {
    let times = frame.cutoffs().unwrap_or_default();
    let reaches = |(_, rows): &(&str, Range<usize>)| {
        let own = times.get(rows.clone()).unwrap_or_default();
        own.chunk_by(|one, next| one == next).count() == cutoffs
    };
    let reaching = frame.series().filter(reaches).count();
    if reaching == series {
        return String::new();
    }
    format!(
        "warning: {reaching} of {series} series reach back to the first cutoff; the others are left out of its \
         scores\n"
    )
}

/// A number with the digits an f32 has, not those of the f64 that equals it; none where it is none.
fn short(value: f32) -> Option<f64> {
    value.to_string().parse().ok().filter(|value: &f64| value.is_finite())
}

/// The scores of each model over all series, by name; null where one is not defined.
pub fn scores_json(evaluation: &Evaluation) -> Value {
    let models = evaluation.models().iter().map(|model| {
        let scores = evaluation.scores().iter().map(|&score| {
            let value = evaluation.overall(score, model).filter(|value| value.is_finite());
            (score.to_string(), json!(value))
        });
        (model.clone(), Value::Object(scores.collect()))
    });
    Value::Object(models.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use whimbrel::{Columns, Panel};

    #[test]
    fn a_series_that_lacks_any_of_the_levels_is_counted() {
        let csv = "unique_id,ds,y\na,1,3\na,2,5\nb,1,3\nb,2,5\n";
        let panel = Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap();
        let known = panel.future(1).unwrap().with_column("A", vec![1.0, 1.0]);
        let known = ["A-lo-80", "A-hi-80", "A-lo-90", "A-hi-90"]
            .iter()
            .zip([0.0, 2.0, f32::NAN, f32::NAN])
            .fold(known, |frame, (name, first)| frame.with_column(name, vec![first, 2.0]));
        let said = |level: &[f32]| without_intervals(&known, "A", level);
        assert_eq!((said(&[]), said(&[80.0])), Default::default());
        assert!(said(&[80.0, 90.0]).starts_with("warning: 1 of 2 series have no intervals"));
        assert!(said(&[80.0, 55.0]).starts_with("warning: 2 of 2 series have no intervals"));
    }
}
