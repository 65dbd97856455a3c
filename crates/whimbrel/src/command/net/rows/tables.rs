//! Tables of a file, one after another.

use super::Refusal;
use super::format::Format;
use std::path::Path;
use whimbrel::DataError;
use whimbrel::csv::{Options, Request, Stream};
use whimbrel::data::{Kind, Table};

/// Tables of a file, one after another.
pub type Tables = Box<dyn Iterator<Item = Result<Table, DataError>> + Send>;

/// Whether a path means standard input.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The names of all columns of a file.
pub fn header(path: &Path) -> Result<Vec<String>, Refusal> {
    match Format::of(path) {
        _ if is_standard(path) => {
            let remedy = "name the columns that go in: inputs under [data] of the network file";
            Err(format!("standard input: can be read but once; {remedy}").into())
        }
        Format::Parquet | Format::Arrow => {
            let first = columnar(path, None)?.next().transpose()?;
            let columns = first.iter().flat_map(|table| table.columns());
            Ok(columns.map(|(name, _)| name.clone()).collect())
        }
        _ => Ok(Stream::open(path, &Options::default())?.header().to_vec()),
    }
}

/// The columns `names` of a file as numbers, those of them that `required` names with a value in every
/// row. CSV is read ahead while its tables are used.
pub fn open(path: &Path, names: &[String], required: &[String]) -> Result<Tables, Refusal> {
    let number = |name: &String| {
        let request = Request::of(name, Kind::Float);
        if required.contains(name) { request.required() } else { request }
    };
    let options = Options::columns(names.iter().map(number));
    match Format::of(path) {
        Format::Parquet | Format::Arrow => columnar(path, Some(names)),
        _ if is_standard(path) => Ok(Box::new(Stream::standard_input(&options)?)),
        _ => Ok(Box::new(Stream::open(path, &options)?)),
    }
}

#[cfg(feature = "columnar")]
fn columnar(path: &Path, names: Option<&[String]>) -> Result<Tables, Refusal> {
    use whimbrel::data::columnar::{ipc, parquet};
    let names: Option<Vec<&str>> = names.map(|names| names.iter().map(String::as_str).collect());
    Ok(match Format::of(path) {
        Format::Parquet => parquet::stream(path, names.as_deref())?,
        _ => ipc::stream(path, names.as_deref())?,
    })
}

#[cfg(not(feature = "columnar"))]
fn columnar(path: &Path, _: Option<&[String]>) -> Result<Tables, Refusal> {
    let problem = "this program was built without Parquet and Arrow";
    let remedy =
        "build it with cargo build --release --features columnar, or convert the file to CSV";
    Err(format!("{}: {problem}; {remedy}", path.display()).into())
}
