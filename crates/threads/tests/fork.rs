//! Use after `fork`: the child has no workers, and regions run inline there.
#![cfg(unix)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use whimbrel_threads::Pool;

/// Runs `child` in a forked process and returns the code it exits with. A child that hangs is ended by an alarm.
fn in_forked_child(child: impl FnOnce() -> u8) -> i32 {
    // SAFETY: the child leaves by `_exit` below; until then it only uses what glibc supports after a fork.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork failed");
    if pid == 0 {
        // SAFETY: no handler is installed, so the alarm ends the process.
        unsafe { libc::alarm(60) };
        let code = catch_unwind(AssertUnwindSafe(child)).unwrap_or(99);
        // SAFETY: `_exit` takes any code.
        unsafe { libc::_exit(code.into()) };
    }
    let mut status = 0;
    // SAFETY: `pid` is a child of this process and `status` is valid for a write.
    assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
    assert!(libc::WIFEXITED(status), "the child was ended by a signal");
    libc::WEXITSTATUS(status)
}

/// The team's size in a region, and how many of 100 pieces ran.
fn walk(pool: &Pool) -> (usize, usize) {
    let (members, pieces) = (AtomicUsize::new(0), AtomicUsize::new(0));
    pool.region(|worker| {
        members.fetch_add(1, Relaxed);
        worker.pieces(100, |_| {
            pieces.fetch_add(1, Relaxed);
        });
    });
    (members.into_inner(), pieces.into_inner())
}

#[test]
fn child_runs_regions_inline_and_drops_the_pool() {
    let pool = Pool::new(3);
    assert_eq!(walk(&pool), (3, 100));
    let mut slot = Some(pool);
    let code = in_forked_child(|| {
        let pool = slot.take().expect("the child's copy");
        let inline = walk(&pool) == (1, 100) && walk(&pool) == (1, 100);
        drop(pool);
        if inline { 42 } else { 1 }
    });
    assert_eq!(code, 42);
    assert_eq!(walk(slot.as_ref().expect("the parent's own")), (3, 100));
}

#[test]
fn pool_first_used_in_the_child_has_its_own_workers() {
    let unused = Pool::new(2);
    let code = in_forked_child(|| {
        let own = Pool::new(2);
        if walk(&unused) == (2, 100) && walk(&own) == (2, 100) { 42 } else { 1 }
    });
    assert_eq!(code, 42);
    assert_eq!(walk(&unused), (2, 100));
}

#[test]
fn region_that_forks_ends_in_both_processes() {
    let pool = Pool::new(2);
    let parent = std::process::id();
    let codes = AtomicUsize::new(0);
    pool.region(|worker| {
        worker.barrier();
        if worker.index() == 0 {
            let code = in_forked_child(|| {
                // The worker may have arrived at the next barrier before the fork, never at the one after.
                let left = catch_unwind(AssertUnwindSafe(|| {
                    worker.barrier();
                    worker.barrier();
                }));
                if left.is_err() && walk(&pool) == (1, 100) { 42 } else { 1 }
            });
            assert_eq!(std::process::id(), parent);
            codes.store(code as usize, Relaxed);
        }
        worker.barrier();
    });
    assert_eq!(codes.into_inner(), 42);
    assert_eq!(walk(&pool), (2, 100));
}
