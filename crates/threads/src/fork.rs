//! Notices `fork`: the child has the memory of a team but none of its threads.
//!
//! A counter goes up in every forked child, so "am I still in the process that made this?" is one relaxed load.
//! Children that never run the `fork` handlers (`vfork`, raw `clone`) must not touch a pool.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

static FORKS: AtomicU32 = AtomicU32::new(0);

/// The process a value was made in, as far as forks can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process(u32);

impl Process {
    pub(crate) fn current() -> Process {
        Process(FORKS.load(Ordering::Relaxed))
    }

    /// Whether the running process is a forked child of this one.
    pub(crate) fn is_gone(self) -> bool {
        self != Process::current()
    }
}

/// Starts counting forks. False where the system refuses; then no threads may be spawned.
///
/// There is no lock here: a process may fork while another of its threads is in this function, and the child would wait
/// for that thread for ever. Two threads may both register; a fork then counts twice, which is as good as once.
pub(crate) fn watch() -> bool {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    if !WATCHED.load(Ordering::Relaxed) {
        WATCHED.store(register(), Ordering::Relaxed);
    }
    WATCHED.load(Ordering::Relaxed)
}

#[cfg(unix)]
fn register() -> bool {
    extern "C" fn in_child() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }
    // SAFETY: the handler only touches an atomic, which is allowed in a forked child.
    unsafe { libc::pthread_atfork(None, None, Some(in_child)) == 0 }
}

#[cfg(not(unix))]
fn register() -> bool {
    true
}
