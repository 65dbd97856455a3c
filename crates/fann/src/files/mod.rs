//! FANN's files: networks (`.net`) in floating and in fixed point, and training data (`.data`).
//!
//! Readers take what libfann takes and refuse the rest with its errors. Their memory grows with what they have read,
//! never with what a file declares. Start reading at `scan`, then `net`.

mod data;
mod description;
mod fixed;
mod net;
mod number;
mod replace;
mod scan;
mod version_1;

pub(crate) use description::Description;
pub use replace::replace;

/// Reads a file as a network's.
fn read(path: &std::path::Path) -> crate::Result<Vec<u8>> {
    let file = path.display().to_string();
    std::fs::read(path).map_err(|_| crate::Error::CantOpenConfigR { file })
}

/// Writes a network's file.
fn write(path: &std::path::Path, text: &str) -> crate::Result<()> {
    replace(path, text.as_bytes()).map_err(|error| crate::Error::CantOpenConfigW {
        file: path.display().to_string(),
        reason: error.to_string(),
    })
}
