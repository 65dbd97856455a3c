//! What a training says while it learns, on standard error: on a terminal a bar; when asked for much,
//! also settings, epochs, checkpoints, and where time and memory went.

use super::bar::Bar;
use super::settings;
use crate::cli::Level;
use crate::command::terminal::say;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};
use whimbrel::nn::metrics::MetricName;
use whimbrel::nn::trainer::{EpochReport, Progress, Run, Trainer};

/// The least time between two lines about epochs: all of them stand in the log.
const PAUSE: Duration = Duration::from_millis(100);

/// The voice of a training.
pub struct Talk {
    level: Level,
    /// What is said of a validation beside its loss.
    metrics: Vec<MetricName>,
    bar: Option<Bar>,
    last: Option<EpochReport>,
    /// When the last line was written.
    written: Option<Instant>,
    begun: Instant,
    pace: Pace,
}

/// When to look at the clock: epochs can be so short that a look at each would be felt.
struct Pace {
    looked: Instant,
    /// Epochs from one look to the next, and those left until then.
    stride: usize,
    left: usize,
}

impl Talk {
    /// Says how a run begins.
    pub fn begin(level: Level, trainer: &Trainer, run: &Run) -> Talk {
        let terminal = io::stderr().is_terminal();
        if level == Level::Verbose {
            say(&settings::describe(trainer));
        }
        if level != Level::Quiet {
            for why in run.skipped() {
                say(&format!("warning: {why}; the checkpoint before it is used\n"));
            }
        }
        let bar = (terminal && level != Level::Quiet).then(|| Bar::new(run, trainer.length));
        let begun = Instant::now();
        let pace = Pace { looked: begun, stride: 1, left: 1 };
        let metrics = shown(trainer);
        let talk = Talk { level, metrics, bar, last: None, written: None, begun, pace };
        if run.step() > 0 {
            talk.say(&format!("resumed after step {} of {}\n", run.step(), run.steps()));
        }
        talk
    }

    /// Says something where somebody watches, or all is to be said.
    pub fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.say(text),
            None if self.level == Level::Verbose => say(text),
            None => {}
        }
    }

    /// Says how a step went, if it is time to.
    pub fn step(&mut self, run: &Run, progress: &Progress) {
        self.last = progress.epoch.clone().or(self.last.take());
        if self.level == Level::Verbose && (progress.epoch.is_some() || progress.saved) {
            self.line(run, progress);
        }
        if let Some(bar) = &mut self.bar {
            bar.show(run, progress, self.last.as_ref());
        }
    }

    /// Says how the run ended; gives the last epoch.
    pub fn end(self, run: &Run) -> Option<EpochReport> {
        drop(self.bar);
        if self.level == Level::Verbose {
            say(&format!("\n{}", run.monitor().usage()));
        }
        self.last
    }

    /// A line about an epoch, a checkpoint, or both.
    fn line(&mut self, run: &Run, progress: &Progress) {
        let optional = self.written.is_some() && !progress.saved && !run.is_finished();
        if optional && !self.pace.is_due() {
            return;
        }
        let now = Instant::now();
        self.pace.looked_at(now);
        if optional && self.written.is_some_and(|then| now.duration_since(then) < PAUSE) {
            return;
        }
        self.written = Some(now);
        let seconds = now.duration_since(self.begun).as_secs_f64();
        let mut text = format!("{seconds:>8.1} s  step {}/{}", progress.step, progress.of);
        let epoch = progress.epoch.as_ref();
        let described = epoch.map(|epoch| format!("  {}", describe(epoch, &self.metrics)));
        text += &described.unwrap_or_default();
        text += if progress.saved { "  checkpoint written\n" } else { "\n" };
        self.say(&text);
    }
}

impl Pace {
    /// An epoch more: whether to look now.
    fn is_due(&mut self) -> bool {
        self.left -= 1;
        self.left == 0
    }

    /// The next look is twice as many epochs away, if this one came within a millisecond.
    fn looked_at(&mut self, now: Instant) {
        let soon = now.duration_since(self.looked) < Duration::from_millis(1);
        self.stride = if soon { self.stride * 2 } else { 1 };
        (self.left, self.looked) = (self.stride, now);
    }
}

/// What is said of a validation beside its loss: what was asked for, or the most telling of the usual.
pub fn shown(trainer: &Trainer) -> Vec<MetricName> {
    match trainer.metrics.is_empty() {
        true => vec![MetricName::Accuracy, MetricName::Rmse],
        false => trainer.metrics.clone(),
    }
}

/// An epoch in a few words, with some metrics of its validation.
pub fn describe(report: &EpochReport, metrics: &[MetricName]) -> String {
    let mut text = format!("epoch {}, loss {:.5}", report.epoch, report.loss);
    if let Some(scores) = &report.validation {
        text += &format!(", validation loss {:.5}", scores.loss);
        for &name in metrics {
            let decimals = if name == MetricName::Accuracy { 4 } else { 5 };
            let score = scores.get(name).map(|score| format!(", {name} {score:.decimals$}"));
            text += &score.unwrap_or_default();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks at the clock in 1000 epochs of so many microseconds, and the longest time between two.
    fn looks(microseconds: u64) -> (usize, u64) {
        let start = Instant::now();
        let mut pace = Pace { looked: start, stride: 1, left: 1 };
        let (mut count, mut last, mut longest) = (0, 0, 0);
        for time in (1..=1000).map(|epoch| epoch * microseconds) {
            if pace.is_due() {
                pace.looked_at(start + Duration::from_micros(time));
                (count, longest, last) = (count + 1, longest.max(time - last), time);
            }
        }
        (count, longest)
    }

    #[test]
    fn short_epochs_share_a_look_at_the_clock_and_long_ones_have_their_own() {
        assert_eq!(looks(2000), (1000, 2000));
        let (count, longest) = looks(4);
        assert!(count < 40 && longest < 4000, "{count} looks, {longest} us at most");
    }
}
