//! Scene: shapes with places and colours, all that the writers of pictures know.
//!
//! Lengths are in units of the picture, y grows downwards. Shapes are painted in order.

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    pub width: f64,
    pub height: f64,
    /// What it shows, for those who cannot see it.
    pub title: String,
    pub shapes: Vec<Shape>,
}

/// Something that is painted.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A line through points, with round corners and ends.
    Path { points: Vec<(f64, f64)>, stroke: Stroke },
    /// The inside of a closed line, so opaque that 1 hides all below.
    Area { points: Vec<(f64, f64)>, fill: Colour, opacity: f64 },
    /// A disc with a rim.
    Disc { centre: (f64, f64), radius: f64, fill: Colour, rim: Stroke },
    /// A line of text; `at` is on its base line, at the side the anchor says.
    Text { at: (f64, f64), text: String, size: f64, colour: Colour, anchor: Anchor, upwards: bool },
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    pub colour: Colour,
    pub width: f64,
    pub dashed: bool,
}

/// Where the point of a text is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// Red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

/// Dashes and the gaps between them, in widths of the line.
pub const DASHES: [f64; 2] = [4.0, 4.0];

impl Stroke {
    /// A whole line.
    pub fn new(colour: Colour, width: f64) -> Stroke {
        Stroke { colour, width, dashed: false }
    }

    /// The same line in dashes.
    pub fn dashed(self) -> Stroke {
        Stroke { dashed: true, ..self }
    }
}
