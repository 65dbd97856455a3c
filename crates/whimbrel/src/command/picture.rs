//! A chart in the format that the name of its file asks for.

use crate::failure::Failure;
use std::path::Path;
use whimbrel::chart::Chart;

/// Pixels of a PNG for each unit of length: sharp on any screen.
const SCALE: f32 = 2.0;

/// What pictures are written as.
pub enum Picture {
    Svg,
    Png,
}

impl Picture {
    /// By the ending of the file.
    pub fn of(path: &Path) -> Result<Picture, Failure> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("svg") => Ok(Picture::Svg),
            Some("png") => Ok(Picture::Png),
            _ => Err(Failure::input(format!(
                "{}: the ending says the format; use .svg or .png",
                path.display()
            ))),
        }
    }

    /// Its name in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Picture::Svg => "svg",
            Picture::Png => "png",
        }
    }
}

/// The bytes of a picture file.
pub fn draw(chart: &Chart, path: &Path) -> Result<Vec<u8>, Failure> {
    match Picture::of(path)? {
        Picture::Svg => Ok(chart.svg().into_bytes()),
        Picture::Png => chart.png(SCALE).map_err(Failure::run),
    }
}
