//! The bar of a training on a terminal: how far it is, and a few words about it.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on standard error, where that is a terminal; it goes away when it is dropped.
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// A bar of so many steps.
    pub fn new(steps: usize) -> Bar {
        let target = ProgressDrawTarget::stderr_with_hz(20);
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        // The template is a constant, and the default does as well.
        let style = ProgressStyle::with_template("{percent:>3} % {wide_bar} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸─"));
        Bar { bar }
    }

    /// Shows that `step` of `of` steps are done, with some words.
    pub fn show(&self, step: usize, of: usize, words: String) {
        self.bar.update(|state| {
            state.set_len(of as u64);
            state.set_pos(step as u64);
        });
        self.bar.set_message(words);
    }

    /// Says something above the bar.
    pub fn say(&self, text: &str) {
        self.bar.suspend(|| super::terminal::say(text));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Seconds as a clock shows them.
pub fn clock(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_clocks() {
        assert_eq!([0.4, 61.0, 3725.0].map(clock), ["0:00", "1:01", "1:02:05"]);
    }
}
