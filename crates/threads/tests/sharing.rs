//! Regions inside regions, and regions called at the same time, run inline as teams of one.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::thread::ThreadId;
use std::time::Duration;

use whimbrel_threads::Pool;

/// Runs a region and says whether it was a team of one on this very thread.
fn runs_inline(pool: &Pool) -> bool {
    let here: ThreadId = std::thread::current().id();
    let members = AtomicUsize::new(0);
    pool.region(|worker| {
        assert_eq!((worker.index(), worker.count()), (0, 1));
        assert_eq!(std::thread::current().id(), here);
        let pieces = AtomicUsize::new(0);
        worker.pieces(5, |_| {
            pieces.fetch_add(1, Relaxed);
        });
        worker.barrier();
        assert_eq!(pieces.into_inner(), 5);
        members.fetch_add(1, Relaxed);
    });
    members.into_inner() == 1
}

#[test]
fn region_inside_a_region_runs_inline_on_every_member() {
    let (pool, other) = (Pool::new(3), Pool::new(2));
    let inline = AtomicUsize::new(0);
    pool.region(|worker| {
        let count = usize::from(runs_inline(&pool)) + usize::from(runs_inline(&other));
        inline.fetch_add(count, Relaxed);
        worker.barrier();
    });
    assert_eq!(inline.into_inner(), 6);
}

#[test]
fn pieces_inside_a_piece_run_inline() {
    let pool = Pool::new(2);
    let inner = AtomicUsize::new(0);
    pool.pieces(10, |_| {
        pool.pieces(7, |_| {
            inner.fetch_add(1, Relaxed);
        });
    });
    pool.region(|worker| {
        worker.pieces(10, |_| {
            worker.pieces(7, |_| {
                inner.fetch_add(1, Relaxed);
            });
            worker.barrier();
        });
    });
    assert_eq!(inner.into_inner(), 140);
}

#[test]
fn second_caller_runs_inline_without_waiting_for_the_first() {
    let pool = Pool::new(2);
    let (started, start) = channel();
    let (finished, finish) = channel();
    std::thread::scope(|scope| {
        let pool = &pool;
        scope.spawn(move || {
            start.recv().expect("the first caller starts");
            finished.send(runs_inline(pool)).expect("the first caller waits");
        });
        let finish = std::sync::Mutex::new(finish);
        pool.region(|worker| {
            if worker.index() == 0 {
                started.send(()).expect("the second caller waits");
                let inline = finish.lock().unwrap().recv_timeout(Duration::from_secs(60));
                assert_eq!(inline, Ok(true));
            }
        });
    });
}

#[test]
fn many_callers_each_get_all_their_pieces() {
    let pool = Pool::new(3);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for n in 0..200 {
                    let sum = AtomicUsize::new(0);
                    pool.pieces(n, |i| {
                        sum.fetch_add(i + 1, Relaxed);
                    });
                    assert_eq!(sum.into_inner(), n * (n + 1) / 2);
                }
            });
        }
    });
}

#[test]
fn team_is_free_again_after_a_region() {
    let pool = Pool::new(2);
    for _ in 0..3 {
        let members = AtomicUsize::new(0);
        pool.region(|worker| {
            assert_eq!(worker.count(), 2);
            members.fetch_add(1, Relaxed);
        });
        assert_eq!(members.into_inner(), 2);
    }
}

#[test]
fn global_pool_is_one_and_keeps_its_size() {
    let pool = Pool::global();
    assert!(std::ptr::eq(pool, Pool::global()));
    let refused = Pool::init_global(pool.size() + 1).expect_err("the pool exists");
    assert_eq!(refused.size, pool.size());
    assert!(refused.to_string().contains("already exists"));
}
