//! A word that threads add to and others wait on: spinning first, sleeping when that takes too long.
//!
//! What is counted and "somebody sleeps" share one atomic, so no wake-up is lost: a sleeper sets the bit while it holds
//! the lock, and looks at the word in the same step. Whoever adds learns of the sleeper, or the sleeper sees what was
//! added. Waking takes the lock only when somebody sleeps.

use std::sync::PoisonError;

use crate::fork::Process;
use crate::patience::Patience;
use crate::sync::{AtomicU64, AtomicUsize, Condvar, Mutex, Ordering};

const ASLEEP: u64 = 1;

/// The least that can be added: all bits but the lowest are the user's.
pub(crate) const UNIT: u64 = 2;

/// A value of the word, as it was when something was added.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub(crate) struct Sum(u64);

impl Sum {
    /// What had been added.
    pub(crate) fn value(self) -> u64 {
        self.0 & !ASLEEP
    }
}

/// See the head of this file.
#[derive(Debug)]
pub(crate) struct Signal {
    word: AtomicU64,
    sleepers: AtomicUsize,
    lock: Mutex<()>,
    wake: Condvar,
    home: Process,
}

impl Signal {
    pub(crate) fn new() -> Signal {
        Signal {
            word: AtomicU64::new(0),
            sleepers: AtomicUsize::new(0),
            lock: Mutex::new(()),
            wake: Condvar::new(),
            home: Process::current(),
        }
    }

    /// What has been added.
    pub(crate) fn value(&self) -> u64 {
        self.word.load(Ordering::Acquire) & !ASLEEP
    }

    /// Adds a multiple of [`UNIT`], after which whoever waits for just that has to be [woken](Signal::wake). What this
    /// thread did before is visible to those who see the sum.
    pub(crate) fn add(&self, amount: u64) -> Sum {
        Sum(self.word.fetch_add(amount, Ordering::AcqRel).wrapping_add(amount))
    }

    /// Wakes those who slept when `sum` was made, to look again. In a forked child nobody sleeps, and whoever held the
    /// lock is gone.
    pub(crate) fn wake(&self, sum: Sum) {
        if sum.0 & ASLEEP != 0 && !self.is_orphaned() {
            self.wake_all();
        }
    }

    #[cold]
    fn wake_all(&self) {
        // Held, the lock proves that every sleeper that set the bit is inside `Condvar::wait`; it sets it again if it
        // has to go on sleeping.
        let held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.word.fetch_and(!ASLEEP, Ordering::Relaxed);
        drop(held);
        self.wake.notify_all();
    }

    /// Back to zero, by an exchange: somebody who wakes late may still clear a bit. Only while nobody adds, and nobody waits.
    pub(crate) fn clear(&self) {
        self.word.swap(0, Ordering::AcqRel);
    }

    /// Returns the first value for which `is_awaited` holds, waiting for it as patiently as told. None in a forked child,
    /// where nobody is left to add anything, once it would sleep.
    pub(crate) fn wait(
        &self,
        patience: &Patience,
        is_awaited: impl Fn(u64) -> bool,
    ) -> Option<u64> {
        let look = || Some(self.value()).filter(|value| is_awaited(*value));
        patience.wait(|| look().map(Some), || self.sleep(&is_awaited))
    }

    #[cold]
    fn sleep(&self, is_awaited: impl Fn(u64) -> bool) -> Option<u64> {
        if self.is_orphaned() {
            return None;
        }
        let mut held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let value = self.word.fetch_or(ASLEEP, Ordering::AcqRel) & !ASLEEP;
            if is_awaited(value) {
                return Some(value);
            }
            self.sleepers.fetch_add(1, Ordering::Relaxed);
            held = self.wake.wait(held).unwrap_or_else(PoisonError::into_inner);
            self.sleepers.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Whether this process is a forked child of the one that made the signal.
    pub(crate) fn is_orphaned(&self) -> bool {
        self.home.is_gone()
    }

    /// How many threads sleep on the signal now.
    pub(crate) fn sleepers(&self) -> usize {
        self.sleepers.load(Ordering::Relaxed)
    }
}
