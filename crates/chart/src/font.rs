//! The font of every picture: Roboto, whose letters are part of the program.
//!
//! Widths are needed to place text, outlines to paint it. Characters it lacks are shown as an empty box.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// The file; `font/README.md` says how it was made.
const FILE: &[u8] = include_bytes!("../font/Roboto-Regular.ttf");

/// What a font has for a character it lacks.
const LACKING: GlyphId = GlyphId(0);

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
            if glyph == LACKING {
                self.draw_box(&mut pen);
                return Some(pen);
            }
            self.face.outline_glyph(glyph, &mut pen).map(|_| pen)
        };
        self.glyphs(text).filter_map(draw).collect()
    }

    /// Draws an empty box as high as a capital letter: one rectangle, and within it another the other way round.
    fn draw_box(&self, pen: &mut impl OutlineBuilder) {
        let em = f32::from(self.face.units_per_em());
        let (right, top, line) = (self.advance(LACKING) as f32 * em, 0.7 * em, 0.06 * em);
        let (low, high, left) = (0.0, top, 0.1 * right);
        let corners = [(left, low), (left, high), (right - left, high), (right - left, low)];
        let inner = |(x, y): (f32, f32)| {
            let inwards = |at: f32, edge: f32| if at == edge { at + line } else { at - line };
            (inwards(x, left), inwards(y, low))
        };
        let [a, b, c, d] = corners.map(inner);
        for [first, second, third, fourth] in [corners, [a, d, c, b]] {
            pen.move_to(first.0, first.1);
            pen.line_to(second.0, second.1);
            pen.line_to(third.0, third.1);
            pen.line_to(fourth.0, fourth.1);
            pen.close();
        }
    }

    /// Units of outlines for one unit of size.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    fn glyphs(&self, text: &str) -> impl Iterator<Item = GlyphId> {
        text.chars().map(|letter| match letter.is_control() {
            true => self.face.glyph_index(' ').unwrap_or(LACKING),
            false => self.face.glyph_index(letter).unwrap_or(LACKING),
        })
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

    /// Counts the contours of a letter.
    #[derive(Default)]
    struct Contours(usize);

    impl OutlineBuilder for Contours {
        fn move_to(&mut self, _: f32, _: f32) {}
        fn line_to(&mut self, _: f32, _: f32) {}
        fn quad_to(&mut self, _: f32, _: f32, _: f32, _: f32) {}
        fn curve_to(&mut self, _: f32, _: f32, _: f32, _: f32, _: f32, _: f32) {}
        fn close(&mut self) {
            self.0 += 1;
        }
    }

    #[test]
    fn unknown_letters_are_boxes_and_blanks_are_blank() {
        let contours = |text: &str| -> usize {
            let letters = Font::new().outline(text, |_| Contours::default());
            letters.iter().map(|letter| letter.0).sum()
        };
        assert_eq!(contours("l"), 1);
        assert_eq!(contours("東京"), 4);
        assert_eq!(contours(" \n\t"), 0);
    }
}
