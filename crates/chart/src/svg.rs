//! A scene as the text of an SVG file. Text stays text: it can be searched, and scales with the picture.

use crate::scene::{Anchor, Colour, DASHES, Scene, Shape, Stroke};
use std::fmt::{Display, Formatter, Result, Write};

/// Fonts as wide as ours, for machines that lack it.
const FONTS: &str = "Roboto, Helvetica, Arial, sans-serif";

/// The text of a file.
pub fn write(scene: &Scene) -> String {
    let (width, height) = (Length(scene.width), Length(scene.height));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\" role=\"img\">\n\
         <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        Escaped(&scene.title)
    );
    for shape in &scene.shapes {
        // Writing to a string does not fail.
        let _ = write_shape(&mut text, shape);
    }
    text + "</svg>\n"
}

fn write_shape(text: &mut String, shape: &Shape) -> Result {
    match shape {
        Shape::Path { points, stroke } => {
            write_path(text, points)?;
            writeln!(text, "\" fill=\"none\" {stroke}/>")
        }
        Shape::Area { points, fill, opacity } => {
            write_path(text, points)?;
            writeln!(text, "Z\" fill=\"{fill}\" fill-opacity=\"{}\"/>", Length(*opacity))
        }
        Shape::Disc { centre: (x, y), radius, fill, rim } => writeln!(
            text,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{fill}\" {rim}/>",
            Length(*x),
            Length(*y),
            Length(*radius)
        ),
        Shape::Text { at: (x, y), text: words, size, colour, anchor, upwards } => {
            let (x, y) = (Length(*x), Length(*y));
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            write!(
                text,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{colour}\"",
                Length(*size)
            )?;
            write!(text, " text-anchor=\"{anchor}\"")?;
            if *upwards {
                write!(text, " transform=\"rotate(-90 {x} {y})\"")?;
            }
            writeln!(text, ">{}</text>", Escaped(words))
        }
    }
}

/// A path up to the end of its points.
fn write_path(text: &mut String, points: &[(f64, f64)]) -> Result {
    text.push_str("<path d=\"");
    for (i, &(x, y)) in points.iter().enumerate() {
        let command = if i == 0 { "M" } else { " " };
        write!(text, "{command}{} {}", Length(x), Length(y))?;
    }
    Ok(())
}

/// A length with two decimals at most.
struct Length(f64);

impl Display for Length {
    fn fmt(&self, f: &mut Formatter) -> Result {
        write!(f, "{}", (self.0 * 100.0).round() / 100.0)
    }
}

impl Display for Colour {
    fn fmt(&self, f: &mut Formatter) -> Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

impl Display for Stroke {
    fn fmt(&self, f: &mut Formatter) -> Result {
        let (colour, width) = (self.colour, Length(self.width));
        write!(f, "stroke=\"{colour}\" stroke-width=\"{width}\"")?;
        write!(f, " stroke-linecap=\"round\" stroke-linejoin=\"round\"")?;
        match self.dashed {
            true => {
                let [dash, gap] = DASHES.map(|length| Length(length * self.width));
                write!(f, " stroke-dasharray=\"{dash} {gap}\"")
            }
            false => Ok(()),
        }
    }
}

/// Text in which no character means anything to XML.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut Formatter) -> Result {
        for letter in self.0.chars() {
            match letter {
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '&' => f.write_str("&amp;")?,
                '"' => f.write_str("&quot;")?,
                // XML has no way to write these.
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => f.write_char(' ')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}
