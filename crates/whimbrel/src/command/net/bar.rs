//! What stands beside the bar of a network's training: epoch, losses, speed, and how long it will take.

use crate::command::bar::{self, clock};
use std::time::{Duration, Instant};
use whimbrel::nn::trainer::{Activity, EpochReport, Length, Progress, Run};

/// The least time between two looks at the bar.
const PAUSE: Duration = Duration::from_millis(100);

/// A bar on standard error; it goes away with the training.
pub struct Bar {
    bar: bar::Bar,
    epochs: Option<usize>,
    begun: Instant,
    /// Steps done before.
    first: usize,
    shown: Instant,
}

impl Bar {
    /// A bar for what is left of a run.
    pub fn new(run: &Run, length: Length) -> Bar {
        let epochs = match length {
            Length::Epochs(epochs) => Some(epochs),
            Length::Steps(_) => None,
        };
        let (bar, now) = (bar::Bar::new(run.steps()), Instant::now());
        Bar { bar, epochs, begun: now, first: run.step(), shown: now }
    }

    /// Shows how far the run is, now and then.
    pub fn show(&mut self, run: &Run, progress: &Progress, last: Option<&EpochReport>) {
        if self.shown.elapsed() < PAUSE {
            return;
        }
        self.shown = Instant::now();
        let seconds = self.begun.elapsed().as_secs_f64();
        let speed = run.monitor().rows(Activity::Learn) as f64 / seconds;
        let steps = (progress.step - self.first).max(1) as f64;
        let left = seconds / steps * (progress.of - progress.step) as f64;
        let text = self.describe(progress, last, speed, left);
        self.bar.show(progress.step, run.steps(), text);
    }

    /// Says something above the bar.
    pub fn say(&self, text: &str) {
        self.bar.say(text);
    }

    fn describe(
        &self,
        progress: &Progress,
        last: Option<&EpochReport>,
        speed: f64,
        seconds_left: f64,
    ) -> String {
        let epoch = last.map_or(1, |last| last.epoch + usize::from(progress.step > last.step));
        let of = self.epochs.map_or(String::new(), |epochs| format!("/{epochs}"));
        let loss = last.map_or(f64::from(progress.loss), |last| last.loss);
        let validation = last.and_then(|last| last.validation.as_ref());
        let validation = validation.map_or(String::new(), |v| format!("  val {:.4}", v.loss));
        let (speed, left) = (compact(speed), clock(seconds_left));
        format!("epoch {epoch}{of}  loss {loss:.4}{validation}  {speed} rows/s  {left} left")
    }
}

/// A number with three digits that count.
fn compact(number: f64) -> String {
    let (scaled, unit) = match number {
        n if n >= 999.5e3 => (n / 1e6, "M"),
        n if n >= 999.5 => (n / 1e3, "k"),
        n => return format!("{n:.0}"),
    };
    let decimals = if scaled >= 99.95 { 0 } else { 1 + usize::from(scaled < 9.995) };
    format!("{scaled:.decimals$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = [0.4, 812.3, 1000.0, 15_249.0, 152_490.0, 1_529_000.0, 25e6];
        let expected = ["0", "812", "1.00k", "15.2k", "152k", "1.53M", "25.0M"];
        assert_eq!(shown.map(compact), expected);
    }
}
