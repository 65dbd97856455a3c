//! Which core a thread is on, and how a worker leaves the core of the thread it works for.
//!
//! A worker that sleeps may be woken on its caller's core. The two then take turns on one core, while another idles, until
//! the system happens to balance its load, milliseconds later. A worker that notices steps aside at once.

use std::time::{Duration, Instant};

/// The least time between two moves of a worker: where another process holds the other core, nobody gains by them.
const REST: Duration = Duration::from_micros(50);

/// A core, or none where the system does not say.
pub(crate) type Core = Option<u32>;

/// The core this thread is on at the moment.
pub(crate) fn current() -> Core {
    system::current()
}

/// A worker's habit of leaving its caller's core.
#[derive(Debug, Default)]
pub(crate) struct Aside {
    moved: Option<Instant>,
}

impl Aside {
    /// Moves this thread to another of the cores it may use if it is on the caller's.
    #[inline]
    pub(crate) fn step(&mut self, caller: Core) {
        if caller.is_some() && current() == caller {
            self.leave(caller);
        }
    }

    #[cold]
    fn leave(&mut self, core: Core) {
        if self.moved.is_none_or(|moved| moved.elapsed() >= REST) {
            core.into_iter().for_each(system::leave);
            self.moved = Some(Instant::now());
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::mem::{size_of, zeroed};

    pub(super) fn current() -> Option<u32> {
        // SAFETY: takes nothing and only reads.
        u32::try_from(unsafe { libc::sched_getcpu() }).ok()
    }

    /// Forbids this thread the core, which moves it, and allows it again. Does nothing where there is no other.
    pub(super) fn leave(core: u32) {
        const SIZE: usize = size_of::<libc::cpu_set_t>();
        if core as usize >= 8 * SIZE {
            return;
        }
        // SAFETY: a bit set, for which all zeros is the empty set; the size is its own, the core within it.
        unsafe {
            let mut allowed: libc::cpu_set_t = zeroed();
            if libc::sched_getaffinity(0, SIZE, &mut allowed) != 0 {
                return;
            }
            let mut others = allowed;
            libc::CPU_CLR(core as usize, &mut others);
            if libc::CPU_COUNT(&others) > 0 && libc::sched_setaffinity(0, SIZE, &others) == 0 {
                libc::sched_setaffinity(0, SIZE, &allowed);
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn current() -> Option<u32> {
        None
    }

    pub(super) fn leave(_: u32) {}
}

#[cfg(all(test, target_os = "linux", not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_steps_aside_keeps_the_cores_it_may_use() {
        let before = crate::size::affinity();
        let mut aside = Aside::default();
        aside.leave(current());
        assert_eq!(crate::size::affinity(), before);
        assert!(aside.moved.is_some());
    }
}
