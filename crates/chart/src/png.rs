//! A scene painted into the bytes of a PNG file, with smooth edges and the letters of our own font.

use crate::font::Font;
use crate::scene::{Anchor, Colour, DASHES, Scene, Shape, Stroke};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke as Pen,
    StrokeDash, Transform,
};
use ttf_parser::OutlineBuilder;

/// Why a picture was not painted.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// It has no pixels, or more than memory can hold.
    #[error("a picture of {width} by {height} pixels cannot be painted")]
    Size {
        /// Pixels from left to right.
        width: u32,
        /// Pixels from top to bottom.
        height: u32,
    },
    /// The bytes of the file could not be made.
    #[error("the picture cannot be encoded: {0}")]
    Encoding(String),
}

/// The largest side of a picture, in pixels.
const LARGEST: u32 = 20_000;

/// The bytes of a file.
pub fn paint(scene: &Scene, scale: f32) -> Result<Vec<u8>, PngError> {
    let pixels = |length: f64| (length * f64::from(scale)).round() as u32;
    let (width, height) = (pixels(scene.width), pixels(scene.height));
    let canvas = Pixmap::new(width, height).filter(|_| width.max(height) <= LARGEST);
    let mut canvas = canvas.ok_or(PngError::Size { width, height })?;
    canvas.fill(Color::WHITE);
    let mut painter =
        Painter { canvas, view: Transform::from_scale(scale, scale), font: Font::new() };
    scene.shapes.iter().for_each(|shape| painter.shape(shape));
    painter.canvas.encode_png().map_err(|error| PngError::Encoding(error.to_string()))
}

struct Painter {
    canvas: Pixmap,
    view: Transform,
    font: Font,
}

impl Painter {
    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Path { points, stroke } => self.stroke(path(points).finish(), *stroke),
            Shape::Area { points, fill, opacity } => {
                let mut area = path(points);
                area.close();
                if let Some(area) = area.finish() {
                    let paint = paint_of(*fill, *opacity);
                    self.canvas.fill_path(&area, &paint, FillRule::Winding, self.view, None);
                }
            }
            Shape::Disc { centre: (x, y), radius, fill, rim } => {
                let disc = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32);
                self.fill(disc.clone(), *fill, self.view);
                self.stroke(disc, *rim);
            }
            Shape::Text { at, text, size, colour, anchor, upwards } => {
                let width = self.font.width(text) * size;
                let before = match anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => width / 2.0,
                    Anchor::End => width,
                };
                let turn = if *upwards { -90.0 } else { 0.0 };
                let place = self.view.pre_translate(at.0 as f32, at.1 as f32);
                let place = place.pre_concat(Transform::from_rotate(turn));
                let unit = self.font.unit() * size;
                for letter in self.font.outline(text, |x| Letter::new(x * size - before, unit)) {
                    self.fill(letter.path.finish(), *colour, place);
                }
            }
        }
    }

    fn fill(&mut self, path: Option<Path>, colour: Colour, place: Transform) {
        if let Some(path) = path {
            self.canvas.fill_path(&path, &paint_of(colour, 1.0), FillRule::Winding, place, None);
        }
    }

    fn stroke(&mut self, path: Option<Path>, stroke: Stroke) {
        let width = stroke.width as f32;
        let dashes = DASHES.map(|length| length as f32 * width).to_vec();
        let pen = Pen {
            width,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            dash: if stroke.dashed { StrokeDash::new(dashes, 0.0) } else { None },
            ..Pen::default()
        };
        if let Some(path) = path {
            self.canvas.stroke_path(&path, &paint_of(stroke.colour, 1.0), &pen, self.view, None);
        }
    }
}

fn paint_of(Colour(red, green, blue): Colour, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, (255.0 * opacity).round() as u8);
    paint
}

fn path(points: &[(f64, f64)]) -> PathBuilder {
    let mut path = PathBuilder::new();
    for (i, &(x, y)) in points.iter().enumerate() {
        match i {
            0 => path.move_to(x as f32, y as f32),
            _ => path.line_to(x as f32, y as f32),
        }
    }
    path
}

/// The outline of a letter; fonts draw upwards, pictures downwards.
struct Letter {
    path: PathBuilder,
    x: f64,
    unit: f64,
}

impl Letter {
    fn new(x: f64, unit: f64) -> Letter {
        Letter { path: PathBuilder::new(), x, unit }
    }

    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        ((self.x + f64::from(x) * self.unit) as f32, (-f64::from(y) * self.unit) as f32)
    }
}

impl OutlineBuilder for Letter {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
