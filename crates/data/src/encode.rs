//! Results in the format that the name of their file asks for.

use crate::columnar::Columnar;
use crate::table::Table;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};
use std::path::Path;

/// Whether the name of a file ends as one of the formats that [`encode`] writes, or has no ending, which is text.
pub fn has_known_ending(path: &Path) -> bool {
    let Some(ending) = path.extension() else { return true };
    let text = ["csv", "gz"].iter().any(|text| ending.eq_ignore_ascii_case(text));
    text || Columnar::of_ending(path).is_some()
}

/// The bytes of a file called `path`: the `table` as Parquet or Arrow where the name ends so, else the
/// text that `csv` writes, packed where the name ends in `.gz`.
pub fn encode(
    path: &Path,
    csv: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
    table: impl FnOnce() -> Table,
) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(format) = Columnar::of_ending(path) {
        format.write(&mut bytes, &table())?;
        return Ok(bytes);
    }
    csv(&mut bytes)?;
    if !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz")) {
        return Ok(bytes);
    }
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&bytes)?;
    packed.finish()
}
