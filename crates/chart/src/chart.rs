//! Chart: what is shown and what it is called, before anything has a place.

use crate::layout::layout;
use crate::png::{self, PngError};
use crate::svg;

/// A chart of lines over one pair of axes.
///
/// Points that are not finite are left out, and interrupt their line. The y axis is logarithmic where
/// all values are positive and the largest is many times the smallest.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    pub(crate) title: String,
    pub(crate) x_label: String,
    pub(crate) y_label: String,
    pub(crate) lines: Vec<Line>,
    pub(crate) dates: bool,
    pub(crate) size: (f64, f64),
}

/// A line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) best: Option<Best>,
    pub(crate) bands: Vec<Band>,
}

/// What lies between two lines.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Band {
    pub name: String,
    /// The place, the lower and the upper edge.
    pub edges: Vec<(f64, f64, f64)>,
}

/// A point of a line that deserves attention.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Best {
    pub name: String,
    pub at: (f64, f64),
}

impl Chart {
    /// A chart without lines, 800 by 500.
    pub fn new(title: &str) -> Chart {
        Chart {
            title: title.into(),
            x_label: String::new(),
            y_label: String::new(),
            lines: Vec::new(),
            dates: false,
            size: (800.0, 500.0),
        }
    }

    /// Names the axes, with their units where they have one.
    pub fn axes(mut self, x: &str, y: &str) -> Chart {
        (self.x_label, self.y_label) = (x.into(), y.into());
        self
    }

    /// Writes dates beside the x axis, whose values are seconds since the start of 1970 on a calendar
    /// without zones.
    pub fn dates(mut self) -> Chart {
        self.dates = true;
        self
    }

    /// Adds a line; colours follow the order of the lines.
    pub fn line(mut self, line: Line) -> Chart {
        self.lines.push(line);
        self
    }

    /// The chart as the text of an SVG file.
    pub fn svg(&self) -> String {
        svg::write(&layout(self))
    }

    /// The chart as the bytes of a PNG file; `scale` pixels for each unit of length.
    pub fn png(&self, scale: f32) -> Result<Vec<u8>, PngError> {
        png::paint(&layout(self), scale)
    }
}

impl Line {
    /// A line through points, in order.
    pub fn new(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Line {
        Line {
            name: name.into(),
            points: points.into_iter().collect(),
            best: None,
            bands: Vec::new(),
        }
    }

    /// Marks a point of the line as its best; the legend says what it is.
    pub fn best(mut self, name: &str, at: (f64, f64)) -> Line {
        self.best = Some(Best { name: name.into(), at });
        self
    }

    /// Shades what lies between a lower and an upper edge, such as an interval of a forecast; the edges
    /// are `(x, low, high)`. Bands lie over those added before, so begin with the widest.
    pub fn band(mut self, name: &str, edges: impl IntoIterator<Item = (f64, f64, f64)>) -> Line {
        self.bands.push(Band { name: name.into(), edges: edges.into_iter().collect() });
        self
    }
}
