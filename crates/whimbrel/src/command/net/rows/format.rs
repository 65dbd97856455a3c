//! Formats of data files, told from their names.

use std::path::Path;

/// How a file holds its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated text, packed by gzip or not; also what has no known ending.
    Csv,
    /// Parquet.
    Parquet,
    /// Arrow IPC, also called Feather.
    Arrow,
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
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit(['.', '-']).next().unwrap_or_default() {
            "parquet" => Format::Parquet,
            "arrow" | "feather" => Format::Arrow,
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
            Format::Csv | Format::Parquet | Format::Arrow | Format::Npz | Format::Idx => 32 << 20,
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
            ("b/a.PARQUET", Format::Parquet),
            ("a.feather", Format::Arrow),
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
