//! Workers start with the first region that needs them and end with their pool. One test alone in its process, which
//! counts threads.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use whimbrel_threads::Pool;

static ENDED: AtomicUsize = AtomicUsize::new(0);

struct CountEnd;

impl Drop for CountEnd {
    fn drop(&mut self) {
        ENDED.fetch_add(1, Relaxed);
    }
}

thread_local! {
    static END: RefCell<Option<CountEnd>> = const { RefCell::new(None) };
}

fn threads() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}

#[test]
fn workers_live_from_the_first_region_to_the_drop_of_the_pool() {
    let before = threads();
    let (pool, single) = (Pool::new(4), Pool::new(1));
    single.region(|_| ());
    pool.pieces(1, |_| ());
    assert_eq!(threads(), before, "nothing has needed a worker yet");
    pool.region(|worker| {
        if worker.index() > 0 {
            END.set(Some(CountEnd));
        }
    });
    assert_eq!(threads(), before.map(|count| count + 3));
    assert_eq!(ENDED.load(Relaxed), 0);
    drop(pool);
    assert_eq!(ENDED.load(Relaxed), 3);
}
