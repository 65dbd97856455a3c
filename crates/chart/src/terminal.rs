//! A forecast in letters: past, forecast and interval drawn with the dots of Braille, for a terminal.
//!
//! A letter holds two by four dots. Where a letter has dots of the forecast it takes its colour; letters
//! of the interval without any are shaded.

use crate::scale::Scale;

/// Letters from left to right that a picture has at least and at most, with those of the axis.
const NARROWEST: usize = 40;
const WIDEST: usize = 120;
const HEIGHT: usize = 14;
/// The dot of each place in a letter, by column and row.
const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// A forecast to draw.
#[derive(Clone, Debug, Default)]
pub struct Sketch {
    /// The past, latest last.
    pub past: Vec<f64>,
    /// The forecast after it.
    pub ahead: Vec<f64>,
    /// The lower and the upper edge of an interval around it; empty without one.
    pub low: Vec<f64>,
    /// The upper edge.
    pub high: Vec<f64>,
    /// What is written below: where the picture begins, where the forecast does, where it ends.
    pub times: [String; 3],
}

/// A letter of the picture.
#[derive(Clone, Copy, Default)]
struct Cell {
    dots: u8,
    ahead: bool,
    shaded: bool,
}

impl Sketch {
    /// Values of the past that are of use in a picture of so many values ahead, `width` letters wide.
    pub fn room(ahead: usize, width: usize) -> usize {
        let width = width.clamp(NARROWEST, WIDEST);
        (2 * width).saturating_sub(ahead).max(width)
    }

    /// Lines of text, at most `width` letters wide where those are enough for a picture; with `colour`, for a
    /// terminal that knows it.
    pub fn draw(&self, width: usize, colour: bool) -> String {
        let all = [&self.past, &self.ahead, &self.low, &self.high];
        let known = all.into_iter().flatten().copied().filter(|value| value.is_finite());
        let scale = Scale::linear(known);
        let labels = labels(&scale);
        let margin = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
        let width = width.clamp(NARROWEST, WIDEST).saturating_sub(margin + 1).max(NARROWEST / 2);
        let steps = (self.past.len() + self.ahead.len()).max(2) - 1;
        let mut cells = vec![vec![Cell::default(); width]; HEIGHT];
        let column = |step: usize| step as f64 / steps as f64 * (2 * width - 1) as f64;
        let row = |value: f64| {
            let rows = (4 * HEIGHT - 1) as f64;
            (rows * (1.0 - scale.place(value))).round().clamp(0.0, rows) as usize
        };
        let now = self.past.len();
        for (step, (&low, &high)) in self.low.iter().zip(&self.high).enumerate() {
            let from = column((now + step).saturating_sub(1)) as usize / 2;
            let to = column(now + step) as usize / 2;
            let [top, bottom] = [high, low].map(|edge| row(edge) / 4);
            if low.is_finite() && high.is_finite() && top <= bottom {
                for line in &mut cells[top..=bottom] {
                    line[from..=to].iter_mut().for_each(|cell| cell.shaded = true);
                }
            }
        }
        let values: Vec<f64> = self.past.iter().chain(&self.ahead).copied().collect();
        for (step, pair) in values.windows(2).enumerate() {
            if !pair.iter().all(|value| value.is_finite()) {
                continue;
            }
            let (from, to) = (column(step), column(step + 1));
            let tall = row(pair[0]).abs_diff(row(pair[1])).max((to - from).ceil() as usize).max(1);
            for part in 0..=tall {
                let share = part as f64 / tall as f64;
                let x = (from + share * (to - from)).round() as usize;
                let y = row(pair[0] + share * (pair[1] - pair[0]));
                let (cell, ahead) = (&mut cells[y / 4][x / 2], step + 1 >= now);
                // A letter that both have dots in is the past's.
                cell.ahead = ahead && (cell.ahead || cell.dots == 0);
                cell.dots |= DOTS[x % 2][y % 4];
            }
        }
        let mut text = String::new();
        for (label, line) in labels.iter().zip(&cells) {
            text += &format!("{label:>margin$} ");
            let mut written = String::new();
            for cell in line {
                let letter = match cell {
                    Cell { dots: 0, shaded: true, .. } => '░',
                    Cell { dots: 0, .. } => ' ',
                    Cell { dots, .. } => char::from_u32(0x2800 + u32::from(*dots)).unwrap_or(' '),
                };
                match colour && (cell.ahead || cell.dots == 0 && cell.shaded) {
                    true => written += &format!("\x1b[36m{letter}\x1b[0m"),
                    false => written.push(letter),
                }
            }
            text += written.trim_end();
            text += "\n";
        }
        let now = (column(now.saturating_sub(1)) / 2.0) as usize;
        text + &format!("{:margin$} {}\n", "", self.below(width, now))
    }

    /// The times that there is room for, the last before others; the forecast begins at letter `now`.
    fn below(&self, width: usize, now: usize) -> String {
        let [first, second, last] = &self.times;
        let room = width.saturating_sub(last.chars().count());
        let mut below = String::new();
        if first.chars().count() < room {
            below = format!("{first:<begin$}", begin = now.min(room));
        }
        if below.chars().count() + second.chars().count() < room {
            below += second;
        }
        format!("{below:<room$}{last}")
    }
}

/// What stands beside each line.
fn labels(scale: &Scale) -> Vec<String> {
    let mut labels = vec![String::new(); HEIGHT];
    for tick in scale.ticks(4) {
        let line = ((1.0 - scale.place(tick.value)) * (HEIGHT - 1) as f64).round() as usize;
        labels[line.min(HEIGHT - 1)] = tick.label;
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch() -> Sketch {
        Sketch {
            past: (0..60).map(f64::from).collect(),
            ahead: (60..72).map(f64::from).collect(),
            low: (60..72).map(|x| f64::from(x) - 6.0).collect(),
            high: (60..72).map(|x| f64::from(x) + 6.0).collect(),
            times: ["a", "b", "c"].map(String::from),
        }
    }

    #[test]
    fn past_forecast_and_interval_are_where_they_belong() {
        let text = sketch().draw(80, false);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), HEIGHT + 1);
        // A rising line: from the lower left to the upper right.
        assert!(lines[HEIGHT - 1].chars().nth(3).is_some_and(|c| c != ' '), "{text}");
        assert!(lines[0].contains('░') && lines[0].trim_end().chars().count() > 60, "{text}");
        assert!(!lines[HEIGHT - 1].contains('░'), "{text}");
        assert!(lines[HEIGHT].trim_start().starts_with('a') && lines[HEIGHT].ends_with('c'));
        assert!(!text.contains('\x1b') && sketch().draw(80, true).contains("\x1b[36m"));
    }

    #[test]
    fn a_picture_takes_the_width_there_is() {
        let times = ["2024-01-01 00:00", "2024-03-01 00:00", "2024-03-12 00:00"];
        let sketch = Sketch { times: times.map(String::from), ..sketch() };
        let widest = |width| {
            let text = sketch.draw(width, false);
            text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
        };
        assert_eq!([40, 60, 80, 120].map(widest), [40, 60, 80, 120]);
        assert_eq!([0, 300].map(widest), [40, 120]);
        assert!(sketch.draw(40, false).contains("2024-03-12") && Sketch::room(12, 60) == 108);
    }

    #[test]
    fn anything_can_be_drawn() {
        let odd = [f64::NAN, f64::INFINITY, 1e300, -1e300, 0.0, 5e-324];
        for past in [&odd[..], &[], &[1.0], &[2.0, 2.0, 2.0]] {
            for ahead in [&odd[..], &[], &[f64::NAN]] {
                let sketch = Sketch {
                    past: past.to_vec(),
                    ahead: ahead.to_vec(),
                    low: ahead.to_vec(),
                    high: past.to_vec(),
                    ..Sketch::default()
                };
                assert_eq!(sketch.draw(60, true).lines().count(), HEIGHT + 1);
            }
        }
    }
}
