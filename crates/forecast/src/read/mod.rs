//! Reads panels from files: CSV, packed by gzip or not, Parquet and Arrow.
//!
//! In long format every row is a series at a time; in wide format every row is a time and every column
//! a series. `source` gives tables, `axis` reads their times, `rows` makes series of their rows, `beside`
//! reads what is known beside them.

mod axis;
mod beside;
mod long;
mod rows;
mod source;
mod wide;

use crate::{DateOrder, Fill, ForecastError, Frequency, Panel};
pub(crate) use axis::Axis;
pub(crate) use long::texts;
pub(crate) use rows::numbers;
pub(crate) use source::Source;
use std::io::BufRead;
use std::path::Path;
use whimbrel_data::DataError;

/// Which columns hold what; others are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The name of the series. Where a file has no `unique_id`, all its rows are one series.
    pub id: String,
    /// The time.
    pub time: String,
    /// The value to forecast.
    pub target: String,
}

impl Default for Columns {
    /// `unique_id, ds, y`.
    fn default() -> Columns {
        Columns { id: "unique_id".into(), time: "ds".into(), target: "y".into() }
    }
}

/// How panels are read.
///
/// ```
/// use whimbrel_forecast::{Fill, Reader};
/// # fn main() -> Result<(), whimbrel_forecast::ForecastError> {
/// let csv = b"ds,lemons,pears\n2024-02-28,1,5\n2024-03-01,3,7\n2024-03-02,4,8\n";
/// let reader = Reader { wide: true, fill: Fill::Interpolate, ..Reader::default() };
/// let panel = reader.read_bytes("sales.csv", csv)?;
/// assert_eq!(panel.series()[0].values(), [1.0, 2.0, 3.0, 4.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reader {
    /// Which columns hold what.
    pub columns: Columns,
    /// The step of the time axis; found from the times if none.
    pub frequency: Option<Frequency>,
    /// The step where it is not given and no time is skipped at it: too few rows look as if they had another, as
    /// a week of working days.
    pub usual_frequency: Option<Frequency>,
    /// Which number of dates like `01/02/2024` is the month, where no row of the column says so.
    pub date_order: Option<DateOrder>,
    /// What becomes of times without a value.
    pub fill: Fill,
    /// Whether every column but that of the time is a series. That is the first, unless there is one of
    /// its name.
    pub wide: bool,
    /// Columns known ahead. How they go on comes from [`Reader::read_future`].
    pub futr_exog_list: Vec<String>,
    /// Columns known up to now.
    pub hist_exog_list: Vec<String>,
    /// Columns of [`Reader::read_static`]; all if none are named.
    pub stat_exog_list: Vec<String>,
}

impl Reader {
    /// Reads a file.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Panel, ForecastError> {
        with_source(path.as_ref(), |source| self.panel(source))
    }

    /// Reads a file that is in memory; errors call it `name`.
    pub fn read_bytes(&self, name: &str, bytes: &[u8]) -> Result<Panel, ForecastError> {
        self.panel(Source::Memory(name, bytes))
    }

    /// The frequency that says what whole numbers are: one that months or years are numbered by says so also where it
    /// is only the usual one.
    fn frequency_of_times(&self) -> Option<Frequency> {
        let months = |usual: &Frequency| matches!(usual, Frequency::Months { .. });
        self.frequency.or(self.usual_frequency.filter(months))
    }

    /// Whether midnights with a zone may be days: not where the usual step lies within a day.
    fn may_be_days(&self) -> bool {
        !self.usual_frequency.is_some_and(Frequency::has_clock)
    }

    fn panel(&self, source: Source) -> Result<Panel, ForecastError> {
        if self.wide { wide::read(self, source) } else { long::read(self, source) }
    }
}

/// Calls `read` with a file. What can be read only once, like a pipe, is read into memory first.
pub(crate) fn with_source<T>(
    path: &Path,
    read: impl FnOnce(Source) -> Result<T, ForecastError>,
) -> Result<T, ForecastError> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => {
            let name = path.display().to_string();
            let bytes = std::fs::read(path).map_err(|error| DataError::of_file(&name, error))?;
            read(Source::Memory(&name, &bytes))
        }
        _ => read(Source::File(path)),
    }
}

impl Panel {
    /// Reads a file in long format. The frequency is found from the times unless it is given. [`Reader`]
    /// reads other files.
    pub fn read(
        path: impl AsRef<Path>,
        columns: &Columns,
        frequency: Option<Frequency>,
    ) -> Result<Panel, ForecastError> {
        Reader { columns: columns.clone(), frequency, ..Reader::default() }.read(path)
    }

    /// Reads CSV from anywhere; errors call it `file`.
    pub fn from_csv(
        file: &str,
        mut input: impl BufRead,
        columns: &Columns,
        frequency: Option<Frequency>,
    ) -> Result<Panel, ForecastError> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes).map_err(|error| DataError::of_file(file, error))?;
        let reader = Reader { columns: columns.clone(), frequency, ..Reader::default() };
        reader.read_bytes(file, &bytes)
    }
}
