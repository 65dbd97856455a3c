//! Layout: gives all parts of a chart their places. From top to bottom: title, legend, the lines over a
//! grid, numbers of the x axis, its name; on the left the name of the y axis and its numbers.

use crate::chart::{Chart, Line};
use crate::dates;
use crate::font::Font;
use crate::scale::{Scale, Tick, is_drawn};
use crate::scene::{Anchor, Colour, Scene, Shape, Stroke};
use crate::thin::thin;

/// Colours of the lines in their order, told apart also by those who see fewer colours.
const LINES: [Colour; 6] = [
    Colour(0x2b, 0x6c, 0xb0),
    Colour(0xdd, 0x6b, 0x20),
    Colour(0x2f, 0x85, 0x5a),
    Colour(0xb8, 0x32, 0x80),
    Colour(0x71, 0x80, 0x96),
    Colour(0x97, 0x5a, 0x16),
];
const INK: Colour = Colour(0x1a, 0x20, 0x2c);
const GREY: Colour = Colour(0x5a, 0x65, 0x77);
const GRID: Colour = Colour(0xe6, 0xe9, 0xef);
const AXIS: Colour = Colour(0x9a, 0xa5, 0xb5);
const WHITE: Colour = Colour(0xff, 0xff, 0xff);

const MARGIN: f64 = 24.0;
const TITLE_SIZE: f64 = 19.0;
const TEXT_SIZE: f64 = 13.0;
/// How opaque a band is.
const SHADE: f64 = 0.18;
/// Of so few points each is marked.
const FEW: usize = 25;

/// The rectangle of the lines, and the scales along its sides.
struct Plot {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Scale,
    y: Scale,
}

/// The picture of a chart.
pub fn layout(chart: &Chart) -> Scene {
    let font = Font::new();
    let (width, height) = chart.size;
    let points = || chart.lines.iter().flat_map(Line::all_points).filter(is_drawn);
    let (x, y) = (Scale::tight(points().map(|p| p.0)), Scale::roomy(points().map(|p| p.1)));
    let (top, bottom) = (MARGIN + 66.0, height - MARGIN - 42.0);
    let y_ticks = y.ticks(((bottom - top) / 45.0) as usize);
    let widest = y_ticks.iter().map(|tick| font.width(&tick.label) * TEXT_SIZE).fold(0.0, f64::max);
    let left = MARGIN + 30.0 + widest;
    let right = width - MARGIN - 8.0;
    let x_ticks = match chart.dates {
        true => dates::ticks(x.ends().0, x.ends().1, ((right - left) / 100.0) as usize),
        false => x.ticks(((right - left) / 80.0) as usize),
    };
    let plot = Plot { left, right, top, bottom, x, y };

    let title = text((MARGIN, MARGIN + 14.0), &chart.title, TITLE_SIZE, INK, Anchor::Start);
    let mut shapes = vec![title];
    shapes.extend(legend(chart, &font));
    shapes.extend(plot.grid(&x_ticks, &y_ticks));
    shapes.extend(plot.names(chart, height));
    let coloured = || chart.lines.iter().zip(LINES.into_iter().cycle());
    shapes.extend(coloured().flat_map(|(line, colour)| plot.bands(line, colour)));
    shapes.extend(coloured().filter_map(|(line, colour)| plot.guide(line, colour)));
    let few = chart.lines.iter().filter(|line| (1..=FEW).contains(&line.points.len())).count();
    let rim = if few > 1 { None } else { Some(Stroke::new(WHITE, 1.0)) };
    shapes.extend(coloured().flat_map(|(line, colour)| plot.line(line, colour, rim)));
    shapes.extend(coloured().filter_map(|(line, colour)| plot.ring(line, colour)));
    Scene { width, height, title: chart.title.clone(), shapes }
}

/// A row with a sample of each line and its name, and of each best point.
fn legend(chart: &Chart, font: &Font) -> Vec<Shape> {
    let (mut x, y) = (MARGIN, MARGIN + 42.0);
    let mut shapes = Vec::new();
    let mut entry = |sample: Shape, start: f64, name: &str| {
        shapes.push(sample);
        shapes.push(text((start, y), name, TEXT_SIZE, INK, Anchor::Start));
        start + font.width(name) * TEXT_SIZE + 24.0
    };
    for (line, colour) in chart.lines.iter().zip(LINES.into_iter().cycle()) {
        let stroke = Stroke::new(colour, 2.4);
        let sample = straight((x, y - 4.5), (x + 22.0, y - 4.5), stroke);
        x = entry(sample, x + 30.0, &line.name);
        for (number, band) in line.bands.iter().enumerate() {
            // As opaque as it is in the chart, where it lies over those before.
            let opacity = 1.0 - (1.0 - SHADE).powi(number as i32 + 1);
            let (top, bottom) = (y - 11.0, y + 2.0);
            let points = vec![(x, top), (x + 22.0, top), (x + 22.0, bottom), (x, bottom)];
            let sample = Shape::Area { points, fill: colour, opacity };
            x = entry(sample, x + 30.0, &band.name);
        }
    }
    for (line, colour) in chart.lines.iter().zip(LINES.into_iter().cycle()) {
        if let Some(best) = &line.best {
            x = entry(ring((x + 5.0, y - 4.5), colour), x + 18.0, &best.name);
        }
    }
    shapes
}

impl Line {
    /// Its points, and the edges of its bands.
    fn all_points(&self) -> impl Iterator<Item = (f64, f64)> + Clone {
        let edges = self.bands.iter().flat_map(|band| &band.edges);
        let edges = edges.flat_map(|&(x, low, high)| [(x, low), (x, high)]);
        self.points.iter().copied().chain(edges)
    }
}

impl Plot {
    /// Where a point lies in the picture.
    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let (x, y) = (self.x.place(x), self.y.place(y));
        (self.left + x * (self.right - self.left), self.bottom - y * (self.bottom - self.top))
    }

    /// Level lines, the x axis, and the numbers beside them.
    fn grid(&self, x_ticks: &[Tick], y_ticks: &[Tick]) -> Vec<Shape> {
        let mut shapes = Vec::new();
        for tick in y_ticks {
            let y = self.bottom - self.y.place(tick.value) * (self.bottom - self.top);
            shapes.push(straight((self.left, y), (self.right, y), Stroke::new(GRID, 1.0)));
            let at = (self.left - 9.0, y + 4.5);
            shapes.push(text(at, &tick.label, TEXT_SIZE, GREY, Anchor::End));
        }
        let axis = Stroke::new(AXIS, 1.2);
        shapes.push(straight((self.left, self.bottom), (self.right, self.bottom), axis));
        for tick in x_ticks {
            let x = self.left + self.x.place(tick.value) * (self.right - self.left);
            shapes.push(straight((x, self.bottom), (x, self.bottom + 5.0), axis));
            let at = (x, self.bottom + 20.0);
            shapes.push(text(at, &tick.label, TEXT_SIZE, GREY, Anchor::Middle));
        }
        shapes
    }

    /// The names of the axes.
    fn names(&self, chart: &Chart, height: f64) -> [Shape; 2] {
        let x = ((self.left + self.right) / 2.0, height - MARGIN + 2.0);
        let y = (MARGIN + 8.0, (self.top + self.bottom) / 2.0);
        let kind = if self.y.is_log() { " (log scale)" } else { "" };
        let mut y_name =
            text(y, &format!("{}{kind}", chart.y_label), TEXT_SIZE, INK, Anchor::Middle);
        if let Shape::Text { upwards, .. } = &mut y_name {
            *upwards = true;
        }
        [text(x, &chart.x_label, TEXT_SIZE, INK, Anchor::Middle), y_name]
    }

    /// A line, interrupted where points are missing. Marks without a rim are small: they hide nothing of lines
    /// below.
    fn line(&self, line: &Line, colour: Colour, rim: Option<Stroke>) -> Vec<Shape> {
        let radius = if rim.is_some() { 3.4 } else { 2.0 };
        let rim = rim.unwrap_or(Stroke::new(colour, 1.0));
        let mut shapes = Vec::new();
        for part in line.points.split(|point| !is_drawn(point)).filter(|part| !part.is_empty()) {
            let places: Vec<_> = part.iter().map(|&point| self.at(point)).collect();
            let points = thin(&places, 1.0);
            if points.len() > 1 {
                shapes.push(Shape::Path { points, stroke: Stroke::new(colour, 2.2) });
            }
            if part.len() == 1 || line.points.len() <= FEW {
                let dot = |centre| Shape::Disc { centre, radius, fill: colour, rim };
                shapes.extend(places.into_iter().map(dot));
            }
        }
        shapes
    }

    /// The bands of a line, interrupted where an edge is missing.
    fn bands(&self, line: &Line, colour: Colour) -> Vec<Shape> {
        let drawn = |&(x, low, high): &(f64, f64, f64)| is_drawn(&(x, low)) && is_drawn(&(x, high));
        let mut shapes = Vec::new();
        for band in &line.bands {
            for part in band.edges.split(|edges| !drawn(edges)).filter(|part| part.len() > 1) {
                let edge = |pick: fn(&(f64, f64, f64)) -> f64| {
                    let places: Vec<_> =
                        part.iter().map(|edges| self.at((edges.0, pick(edges)))).collect();
                    thin(&places, 1.0)
                };
                let mut points = edge(|edges| edges.2);
                points.extend(edge(|edges| edges.1).into_iter().rev());
                shapes.push(Shape::Area { points, fill: colour, opacity: SHADE });
            }
        }
        shapes
    }

    /// The place of the best point.
    fn best(&self, line: &Line) -> Option<(f64, f64)> {
        let best = line.best.as_ref().filter(|best| is_drawn(&best.at));
        best.map(|best| self.at(best.at))
    }

    /// A guide from the best point down to the axis.
    fn guide(&self, line: &Line, colour: Colour) -> Option<Shape> {
        let (x, y) = self.best(line)?;
        Some(straight((x, y), (x, self.bottom), Stroke::new(colour, 1.2).dashed()))
    }

    fn ring(&self, line: &Line, colour: Colour) -> Option<Shape> {
        Some(ring(self.best(line)?, colour))
    }
}

fn ring(centre: (f64, f64), colour: Colour) -> Shape {
    Shape::Disc { centre, radius: 5.0, fill: WHITE, rim: Stroke::new(colour, 2.4) }
}

fn straight(from: (f64, f64), to: (f64, f64), stroke: Stroke) -> Shape {
    Shape::Path { points: vec![from, to], stroke }
}

fn text(at: (f64, f64), text: &str, size: f64, colour: Colour, anchor: Anchor) -> Shape {
    Shape::Text { at, text: text.into(), size, colour, anchor, upwards: false }
}
