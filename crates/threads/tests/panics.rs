//! A panic reaches the caller, nobody hangs, and the pool works on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use whimbrel_threads::{Pool, Worker};

/// The message a region panics with.
fn message(pool: &Pool, body: impl Fn(&Worker<'_>) + Sync) -> String {
    let payload = catch_unwind(AssertUnwindSafe(|| pool.region(body))).expect_err("a panic");
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&str>().expect("a text")).to_string(),
    }
}

fn assert_usable(pool: &Pool) {
    let runs = AtomicUsize::new(0);
    pool.region(|worker| {
        assert_eq!(worker.count(), pool.size());
        worker.pieces(100, |_| {
            runs.fetch_add(1, Relaxed);
        });
        assert_eq!(runs.load(Relaxed), 100);
    });
}

#[test]
fn panic_of_any_member_reaches_the_caller_past_waiting_members() {
    for team in [1, 2, 3, 8] {
        let pool = Pool::new(team);
        for culprit in 0..team {
            let text = message(&pool, |worker| {
                worker.barrier();
                assert!(worker.index() != culprit, "member {culprit} fails");
                worker.barrier();
                worker.pieces(10, |_| ());
            });
            assert_eq!(text, format!("member {culprit} fails"));
            assert_usable(&pool);
        }
    }
}

#[test]
fn panic_of_a_piece_reaches_the_caller() {
    for team in [1, 2, 3] {
        let pool = Pool::new(team);
        for culprit in [0, 1, 57] {
            let text = message(&pool, |worker| {
                worker.pieces(100, |i| assert!(i != culprit, "piece {culprit} fails"));
                worker.barrier();
            });
            assert_eq!(text, format!("piece {culprit} fails"));
            let caught = catch_unwind(AssertUnwindSafe(|| {
                pool.pieces(100, |i| assert!(i != culprit, "piece {culprit} fails"));
            }));
            assert!(caught.is_err());
            assert_usable(&pool);
        }
    }
}

#[test]
fn one_of_several_panics_reaches_the_caller() {
    let pool = Pool::new(3);
    let text = message(&pool, |_| panic!("all fail"));
    assert_eq!(text, "all fail");
    assert_usable(&pool);
}

#[test]
fn members_that_leave_early_break_the_region_instead_of_hanging_it() {
    let pool = Pool::new(3);
    for waiting in 0..3 {
        let text = message(&pool, |worker| {
            if worker.index() == waiting {
                worker.barrier();
            }
        });
        assert!(text.contains("left its region"), "{text}");
        assert_usable(&pool);
    }
}

#[test]
fn member_that_catches_a_failed_piece_cannot_walk_on_out_of_step() {
    let pool = Pool::new(2);
    let late = AtomicUsize::new(0);
    let text = message(&pool, |worker| {
        let piece = |i: usize| assert!(i != 1, "piece 1 fails");
        let caught = catch_unwind(AssertUnwindSafe(|| worker.pieces(2, piece)));
        if let Err(payload) = caught {
            let again = catch_unwind(AssertUnwindSafe(|| {
                worker.pieces(2, |_| {
                    late.fetch_add(1, Relaxed);
                });
            }));
            assert!(again.is_err());
            std::panic::resume_unwind(payload);
        }
    });
    assert!(text.contains("piece 1 fails"), "{text}");
    assert_eq!(late.into_inner(), 0);
    assert_usable(&pool);
}

#[test]
fn panic_inside_a_nested_region_reaches_the_outer_caller() {
    let pool = Pool::new(2);
    let text = message(&pool, |worker| {
        let index = worker.index();
        pool.region(|_| assert!(index == 0, "nested failure"));
    });
    assert_eq!(text, "nested failure");
    assert_usable(&pool);
}

#[test]
fn panic_of_an_idle_member_reaches_the_caller_even_if_the_body_catches_it() {
    let pool = Pool::new(2);
    let (waits, met) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let text = message(&pool, |worker| {
        if worker.index() == 1 {
            while waits.load(Relaxed) == 0 {
                std::hint::spin_loop();
            }
        }
        let idle = || {
            waits.fetch_add(1, Relaxed);
            panic!("idle hands")
        };
        let failed = catch_unwind(AssertUnwindSafe(|| worker.barrier_while(idle))).is_err();
        // Out of step with the other member, it gets no further.
        worker.barrier();
        met.fetch_add(1, Relaxed);
        assert!(!failed, "walked on");
    });
    assert_ne!(text, "walked on");
    assert_eq!(met.load(Relaxed), 0);
    assert_usable(&pool);
}
