//! Regions, pieces and barriers of a running team allocate nothing. One test alone in its process: the count is global.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use whimbrel_threads::Pool;

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn running_team_allocates_nothing() {
    for team in [1, 2, 8] {
        let pool = Pool::new(team);
        let work = AtomicUsize::new(0);
        let walk = || {
            pool.region(|worker| {
                worker.pieces(20, |i| {
                    work.fetch_add(i, Relaxed);
                });
                worker.barrier();
            });
            pool.pieces(5, |i| {
                work.fetch_add(i, Relaxed);
            });
        };
        // A thread allocates once when it starts or parks for the first time, and so may the test
        // harness beside it; what a walk allocates would show in every round.
        let round = || {
            let before = ALLOCATIONS.load(Relaxed);
            for _ in 0..200 {
                walk();
            }
            ALLOCATIONS.load(Relaxed) - before
        };
        assert_eq!((0..10).map(|_| round()).min(), Some(0), "team {team}");
    }
}
