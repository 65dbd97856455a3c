//! Progress of learning, on a terminal: a bar with the losses and the time that is left.
//!
//! Only [`Watch`] looks at the clock; what is shown is a function of what was heard, and when.

use crate::command::bar::{Bar, clock};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use whimbrel::Progress;

/// Who watches the learning of one model after another.
pub struct Watch {
    talk: bool,
    started: Instant,
    heard: Heard,
    bar: Option<Bar>,
}

/// What was heard of the training under way; times count from the start of the watch.
#[derive(Default)]
struct Heard {
    what: String,
    step: usize,
    begun: Duration,
    last: Duration,
}

impl Watch {
    /// Says nothing unless `talk`.
    pub fn new(talk: bool) -> Watch {
        Watch { talk, started: Instant::now(), heard: Heard::default(), bar: None }
    }

    /// Shows how far a model is, and says to go on; `what` is its name, and where it is learned several
    /// times the window.
    pub fn show(&mut self, what: &str, progress: Progress) -> ControlFlow<()> {
        if self.talk {
            let words = self.heard.words(what, progress, self.started.elapsed());
            let bar = self.bar.get_or_insert_with(|| Bar::new(progress.of));
            bar.show(progress.step, progress.of, words);
        }
        ControlFlow::Continue(())
    }

    /// Clears the bar.
    pub fn done(&mut self) {
        self.bar = None;
    }
}

impl Heard {
    /// What is said of a training that is so far now.
    fn words(&mut self, what: &str, progress: Progress, now: Duration) -> String {
        let Progress { step, of, loss, validation } = progress;
        // A training begins when the last was heard of the one before, which may have stopped early.
        if step <= self.step || what != self.what {
            (self.begun, self.what) = (self.last, what.to_owned());
        }
        (self.step, self.last) = (step, now);
        let a_step = now.saturating_sub(self.begun).as_secs_f64() / step.max(1) as f64;
        let left = clock(a_step * of.saturating_sub(step) as f64);
        let validation = validation.map_or(String::new(), |loss| format!("  val {loss:.4}"));
        format!("{what}  loss {loss:.4}{validation}  {left} left")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(heard: &mut Heard, what: &str, step: usize, seconds: u64) -> String {
        let progress = Progress { step, of: 100, loss: 0.5, validation: None };
        let words = heard.words(what, progress, Duration::from_secs(seconds));
        words.rsplit("  ").next().unwrap().to_owned()
    }

    #[test]
    fn losses_stand_beside_the_name() {
        let mut heard = Heard::default();
        let progress = Progress { step: 25, of: 100, loss: 0.5, validation: Some(1.25) };
        let words = heard.words("NHITS", progress, Duration::from_secs(30));
        assert_eq!(words, "NHITS  loss 0.5000  val 1.2500  1:30 left");
        let progress = Progress { step: 50, validation: None, ..progress };
        let words = heard.words("NHITS", progress, Duration::from_secs(60));
        assert_eq!(words, "NHITS  loss 0.5000  1:00 left");
    }

    #[test]
    fn time_left_counts_from_the_end_of_the_training_before() {
        let mut heard = Heard::default();
        assert_eq!(at(&mut heard, "window 1", 50, 50), "0:50 left");
        assert_eq!(at(&mut heard, "window 1", 100, 100), "0:00 left");
        // The next one learns as fast.
        assert_eq!(at(&mut heard, "window 1", 10, 110), "1:30 left");
        assert_eq!(at(&mut heard, "window 1", 20, 120), "1:20 left");
    }

    #[test]
    fn time_left_is_right_after_a_training_that_stopped_early() {
        let mut heard = Heard::default();
        at(&mut heard, "window 1", 10, 10);
        at(&mut heard, "window 1", 20, 20);
        assert_eq!(at(&mut heard, "window 2", 10, 30), "1:30 left");
        assert_eq!(at(&mut heard, "window 2", 20, 40), "1:20 left");
        // Also where its first step that is heard of is a later one.
        assert_eq!(at(&mut heard, "window 3", 30, 70), "1:10 left");
    }

    #[test]
    fn nothing_to_do_takes_no_time() {
        let mut heard = Heard::default();
        let progress = Progress { step: 0, of: 0, loss: f32::NAN, validation: None };
        let words = heard.words("a", progress, Duration::ZERO);
        assert_eq!(words, "a  loss NaN  0:00 left");
    }
}
