//! Tables of a file, one after another.

use super::Refusal;
use super::format::Format;
use std::path::Path;
use whimbrel::csv::{Options, Request, Stream};
use whimbrel::data::{Kind, Tables};

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
        Format::Columnar(format) => Ok(format.header(path)?),
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
        Format::Columnar(format) => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            Ok(format.stream(path, Some(&names))?)
        }
        _ if is_standard(path) => Ok(Box::new(Stream::standard_input(&options)?)),
        _ => Ok(Box::new(Stream::open(path, &options)?)),
    }
}
