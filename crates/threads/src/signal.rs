//! A word that one thread advances and others wait on: spinning first, sleeping when that takes too long.
//!
//! Turn, mark and "somebody sleeps" share one atomic, so no wake-up is lost: a sleeper sets the bit by compare-exchange
//! on the turn it saw while holding the lock; whoever advances the word swaps it and so learns of the sleeper, or makes
//! that exchange fail. Advancing takes the lock only when somebody sleeps.

use std::sync::PoisonError;

use crate::fork::Process;
use crate::patience::Patience;
use crate::sync::{AtomicU32, Condvar, Mutex, Ordering};

const ASLEEP: u32 = 1;
const MARK: u32 = 2;
const STEP: u32 = 4;

/// A value the signal once had, without the bit for sleepers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn(u32);

impl Turn {
    /// Whether the signal was advanced with a mark. What a mark means is up to the user of the signal.
    pub(crate) fn is_marked(self) -> bool {
        self.0 & MARK != 0
    }

    fn next(self, marked: bool) -> Turn {
        let base = (self.0 & !MARK).wrapping_add(STEP);
        Turn(if marked { base | MARK } else { base })
    }
}

/// See the head of this file. At most one thread advances the signal at a time; its users see to that.
#[derive(Debug)]
pub(crate) struct Signal {
    word: AtomicU32,
    sleepers: AtomicU32,
    lock: Mutex<()>,
    wake: Condvar,
    home: Process,
}

impl Signal {
    pub(crate) fn new() -> Signal {
        Signal {
            word: AtomicU32::new(0),
            sleepers: AtomicU32::new(0),
            lock: Mutex::new(()),
            wake: Condvar::new(),
            home: Process::current(),
        }
    }

    pub(crate) fn turn(&self) -> Turn {
        Turn(self.word.load(Ordering::Acquire) & !ASLEEP)
    }

    /// Ends the current turn and wakes everyone who waits for that. What this thread did before is visible to them.
    pub(crate) fn advance(&self, marked: bool) {
        let next = self.turn().next(marked);
        let old = self.word.swap(next.0, Ordering::AcqRel);
        if old & ASLEEP != 0 {
            // Held once, the lock proves that every sleeper that set the bit is inside `Condvar::wait`.
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.wake.notify_all();
        }
    }

    /// Returns the turn that follows `seen`, waiting for it as patiently as told. In a forked child, where nobody is
    /// left to advance the signal, a wait that would sleep returns `seen` with a mark.
    pub(crate) fn wait_past(&self, seen: Turn, patience: &Patience) -> Turn {
        let look = || {
            let turn = self.turn();
            (turn != seen).then_some(turn)
        };
        patience.wait(look, || self.sleep(seen))
    }

    #[cold]
    fn sleep(&self, seen: Turn) -> Turn {
        if self.is_orphaned() {
            return Turn(seen.0 | MARK);
        }
        let mut held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let asleep = seen.0 | ASLEEP;
        let set = self.word.compare_exchange(seen.0, asleep, Ordering::AcqRel, Ordering::Acquire);
        if set.is_ok() || set == Err(asleep) {
            self.sleepers.fetch_add(1, Ordering::Relaxed);
            while self.word.load(Ordering::Acquire) == asleep {
                held = self.wake.wait(held).unwrap_or_else(PoisonError::into_inner);
            }
            self.sleepers.fetch_sub(1, Ordering::Relaxed);
        }
        drop(held);
        self.turn()
    }

    /// Whether this process is a forked child of the one that made the signal.
    pub(crate) fn is_orphaned(&self) -> bool {
        self.home.is_gone()
    }

    /// How many threads sleep on the signal now.
    pub(crate) fn sleepers(&self) -> usize {
        self.sleepers.load(Ordering::Relaxed) as usize
    }
}
