//! Results in the format that the name of their file asks for.

use crate::columnar::Columnar;
use crate::csv::{self, Options, Request};
use crate::kind::Kind;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

/// The bytes of a file called `path` with these rows of CSV: Parquet or Arrow where the name ends so,
/// packed where it ends in `.gz`, and else as they are. `texts` are columns that are text even where
/// all their fields are numbers.
pub fn encode<'a>(path: &Path, csv: &'a [u8], texts: &[&str]) -> io::Result<Cow<'a, [u8]>> {
    let mut bytes = Vec::new();
    if let Some(format) = Columnar::of_ending(path) {
        let name = path.display().to_string();
        let header = csv::header_bytes(&name, csv).map_err(io::Error::other)?;
        let requests = header.iter().map(|name| match texts.contains(&name.as_str()) {
            true => Request::of(name, Kind::Text),
            false => Request::inferred(name),
        });
        let table = csv::read_bytes(&name, csv, &Options::columns(requests));
        format.write(&mut bytes, &table.map_err(io::Error::other)?)?;
    } else if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz")) {
        let mut packed = GzEncoder::new(&mut bytes, Compression::default());
        packed.write_all(csv)?;
        packed.finish()?;
    } else {
        return Ok(Cow::Borrowed(csv));
    }
    Ok(Cow::Owned(bytes))
}
