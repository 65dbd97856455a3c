//! Progress of learning, on a terminal: a line that is written over.

use crate::command::terminal::say;
use std::ops::ControlFlow;
use std::time::Instant;
use whimbrel::Progress;

/// Who watches the learning of one model after another.
pub struct Watch {
    talk: bool,
    started: Instant,
    /// Steps of the training under way.
    done: usize,
}

impl Watch {
    /// Says nothing unless `talk`.
    pub fn new(talk: bool) -> Watch {
        Watch { talk, started: Instant::now(), done: 0 }
    }

    /// Says how far a model is, and to go on; `what` is its name, and where it is learned several times
    /// the window.
    pub fn show(&mut self, what: &str, progress: Progress) -> ControlFlow<()> {
        if !self.talk {
            return ControlFlow::Continue(());
        }
        // A training begins when the one before ends, with its last step or before.
        if progress.step <= self.done {
            self.started = Instant::now();
        }
        self.done = progress.step;
        let share = progress.step as f64 / progress.of.max(1) as f64;
        let left = self.started.elapsed().as_secs_f64() * (1.0 - share) / share.max(1e-9);
        let percent = 100.0 * share;
        let loss = progress.loss;
        say(&format!("\r\x1b[K{what}: {percent:>3.0} %, loss {loss:.4}, {left:.0} s left"));
        if progress.step >= progress.of {
            (self.started, self.done) = (Instant::now(), 0);
        }
        ControlFlow::Continue(())
    }

    /// Clears the line.
    pub fn done(&self) {
        if self.talk {
            say("\r\x1b[K");
        }
    }
}
