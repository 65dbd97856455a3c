//! The font of every picture: Roboto, whose letters are part of the program.
//!
//! Widths are needed to place text, outlines to paint it. Characters it lacks are shown as its empty box.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// The file; `font/README.md` says how it was made.
const FILE: &[u8] = include_bytes!("../font/Roboto-Regular.ttf");

/// The font, at a size of 1 unit.
pub struct Font {
    face: Face<'static>,
    unit: f64,
}

impl Font {
    /// The font of the program.
    pub fn new() -> Font {
        let face = Face::parse(FILE, 0).expect("the font of the program is whole");
        let unit = 1.0 / f64::from(face.units_per_em());
        Font { face, unit }
    }

    /// The width of a text.
    pub fn width(&self, text: &str) -> f64 {
        self.glyphs(text).map(|glyph| self.advance(glyph)).sum()
    }

    /// Draws the outlines of a text one after the other; `pen` makes the pen for a letter that begins so
    /// far from the start of the text.
    pub fn outline<P: OutlineBuilder>(&self, text: &str, mut pen: impl FnMut(f64) -> P) -> Vec<P> {
        let mut x = 0.0;
        let draw = |glyph: GlyphId| {
            let mut pen = pen(x);
            x += self.advance(glyph);
            self.face.outline_glyph(glyph, &mut pen).map(|_| pen)
        };
        self.glyphs(text).filter_map(draw).collect()
    }

    /// Units of outlines for one unit of size.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    fn glyphs(&self, text: &str) -> impl Iterator<Item = GlyphId> {
        text.chars().map(|letter| self.face.glyph_index(letter).unwrap_or_default())
    }

    fn advance(&self, glyph: GlyphId) -> f64 {
        f64::from(self.face.glyph_hor_advance(glyph).unwrap_or(0)) * self.unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_a_width_and_unknown_letters_too() {
        let font = Font::new();
        assert!(font.width("loss") > 1.5 && font.width("loss") < 2.5);
        assert_eq!(font.width("mm"), 2.0 * font.width("m"));
        assert!(font.width("日") > 0.2);
        assert_eq!(font.width(""), 0.0);
    }
}
