//! Formats of data files, told from their names.

use std::path::Path;
use whimbrel::data::Columnar;

/// How a file holds its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated text, packed by gzip or not; also what has no known ending.
    Csv,
    /// Parquet or Arrow.
    Columnar(Columnar),
    /// One array of NumPy.
    Npy,
    /// Named arrays of NumPy.
    Npz,
    /// One array as MNIST has it, packed by gzip or not.
    Idx,
}

impl Format {
    /// The format of a file.
    pub fn of(path: &Path) -> Format {
        if let Some(format) = Columnar::of_ending(path) {
            return Format::Columnar(format);
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit(['.', '-']).next().unwrap_or_default() {
            "npy" => Format::Npy,
            "npz" => Format::Npz,
            "idx" | "ubyte" => Format::Idx,
            _ => Format::Csv,
        }
    }

    /// Whether it holds arrays, not tables.
    pub fn is_array(self) -> bool {
        matches!(self, Format::Npy | Format::Npz | Format::Idx)
    }

    /// Bytes from which on a file is streamed unless the network file says otherwise. Packed, four
    /// times as much stands in a byte.
    pub fn large(self, path: &Path) -> u64 {
        let packed = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
        match self {
            Format::Csv if !packed => 128 << 20,
            Format::Npy => 128 << 20,
            // A byte of IDX becomes a number of four.
            Format::Csv | Format::Columnar(_) | Format::Npz | Format::Idx => 32 << 20,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_format() {
        for (name, format) in [
            ("a.csv", Format::Csv),
            ("a.csv.gz", Format::Csv),
            ("a.data", Format::Csv),
            ("b/a.PARQUET", Format::Columnar(Columnar::Parquet)),
            ("a.feather", Format::Columnar(Columnar::Arrow)),
            ("a.npy", Format::Npy),
            ("a.b.npz", Format::Npz),
            ("train-images-idx3-ubyte.gz", Format::Idx),
            ("train-labels.idx1-ubyte", Format::Idx),
            ("labels.idx", Format::Idx),
        ] {
            assert_eq!(Format::of(Path::new(name)), format, "{name}");
        }
    }
}
