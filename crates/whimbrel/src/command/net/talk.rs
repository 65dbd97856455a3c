//! What a training says while it learns, on standard error: on a terminal a bar; when asked for much,
//! also settings, epochs, checkpoints, and where time and memory went.

use super::bar::Bar;
use super::settings;
use crate::cli::Level;
use crate::command::terminal::say;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};
use whimbrel::nn::trainer::{EpochReport, Progress, Run, Trainer};

/// The least time between two lines about epochs: all of them stand in the log.
const PAUSE: Duration = Duration::from_millis(100);

/// The voice of a training.
pub struct Talk {
    level: Level,
    bar: Option<Bar>,
    last: Option<EpochReport>,
    /// When the last line was written.
    written: Option<Instant>,
    begun: Instant,
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
            if run.step() > 0 && (terminal || level == Level::Verbose) {
                say(&format!("resumed after step {} of {}\n", run.step(), run.steps()));
            }
        }
        let bar = (terminal && level != Level::Quiet).then(|| Bar::new(run, trainer.length));
        Talk { level, bar, last: None, written: None, begun: Instant::now() }
    }

    /// Says how a step went, if it is time to.
    pub fn step(&mut self, run: &Run, progress: &Progress) {
        self.last = progress.epoch.or(self.last);
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
        let now = Instant::now();
        let early = self.written.is_some_and(|then| now.duration_since(then) < PAUSE);
        if early && !progress.saved && !run.is_finished() {
            return;
        }
        self.written = Some(now);
        let seconds = now.duration_since(self.begun).as_secs_f64();
        let mut text = format!("{seconds:>8.1} s  step {}/{}", progress.step, progress.of);
        text += &progress.epoch.map(|epoch| format!("  {}", describe(&epoch))).unwrap_or_default();
        text += if progress.saved { "  checkpoint written\n" } else { "\n" };
        match &self.bar {
            Some(bar) => bar.say(&text),
            None => say(&text),
        }
    }
}

/// An epoch in a few words.
pub fn describe(report: &EpochReport) -> String {
    let mut text = format!("epoch {}, loss {:.5}", report.epoch, report.loss);
    if let Some(scores) = report.validation {
        text += &format!(", validation loss {:.5}", scores.loss);
        text += &scores.accuracy.map(|share| format!(", accuracy {share:.4}")).unwrap_or_default();
        text += &scores.rmse.map(|rmse| format!(", rmse {rmse:.5}")).unwrap_or_default();
    }
    text
}
