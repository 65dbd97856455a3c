//! Exhaustive check of the waiting protocol: loom runs every interleaving of the members of a small team.
//!
//! `RUSTFLAGS="--cfg loom" cargo test --release -p whimbrel-threads --lib model`

use loom::cell::UnsafeCell;
use loom::model::Builder;
use loom::sync::Arc;
use loom::thread;

use crate::barrier::{Barrier, Broken, Seat};
use crate::patience::Patience;
use crate::signal::{Signal, UNIT};
use crate::sync::{AtomicUsize, Ordering};

/// Unbounded, the search does not end in useful time; three preemptions are enough to find the wake-up that is lost when
/// `Signal::wake` does not take the lock.
fn check(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

fn impatient() -> Patience {
    Patience::new(2, 1)
}

#[test]
fn no_wake_up_is_lost_and_what_was_written_before_is_seen() {
    check(|| {
        let shared = Arc::new((Signal::new(), UnsafeCell::new(0)));
        let waiters: Vec<_> = (0..2)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    assert_eq!(shared.0.wait(&impatient(), |value| value != 0), Some(UNIT));
                    // SAFETY: the value was written before anything was added, and never again.
                    shared.1.with(|value| assert_eq!(unsafe { *value }, 7));
                })
            })
            .collect();
        // SAFETY: the waiters read only after something was added.
        shared.1.with_mut(|value| unsafe { *value = 7 });
        shared.0.wake(shared.0.add(UNIT));
        waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
        assert_eq!(shared.0.sleepers(), 0);
    });
}

/// Of three pieces takes the only one that is nobody's from the start, if the other member has not.
fn take_one(barrier: &Barrier, seat: Seat, taken: &AtomicUsize) {
    if let Some(piece) = barrier.take_piece(seat, 3) {
        assert_eq!(piece, 2);
        taken.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn meetings_order_what_members_write_and_the_region_ends() {
    check(|| {
        let shared = Arc::new((Barrier::new(2), [UnsafeCell::new(0), UnsafeCell::new(0)]));
        let taken = Arc::new(AtomicUsize::new(0));
        let walk = |shared: &(Barrier, [UnsafeCell<i32>; 2]), taken: &AtomicUsize, me: usize| {
            let (barrier, cells) = shared;
            let seat = |meetings: u64| Seat { index: me, members: 2, meetings };
            // SAFETY: each member writes its own cell before the first meeting.
            cells[me].with_mut(|cell| unsafe { *cell = 1 });
            take_one(barrier, seat(0), taken);
            assert_eq!(barrier.meet(seat(0), &impatient(), || false), Ok(()));
            // SAFETY: the other member's cell is written before the meeting and after the next only.
            cells[1 - me].with(|cell| assert_eq!(unsafe { *cell }, 1));
            take_one(barrier, seat(1), taken);
            assert_eq!(barrier.meet(seat(1), &impatient(), || false), Ok(()));
            // SAFETY: as at first.
            cells[me].with_mut(|cell| unsafe { *cell = 2 });
            seat(2)
        };
        let worker = {
            let (shared, taken) = (Arc::clone(&shared), Arc::clone(&taken));
            thread::spawn(move || {
                let seat = walk(&shared, &taken, 1);
                shared.0.leave(seat);
            })
        };
        let seat = walk(&shared, &taken, 0);
        assert_eq!(shared.0.leave_last(seat, &impatient()), Ok(()));
        // SAFETY: all members have left.
        shared.1[1].with(|cell| assert_eq!(unsafe { *cell }, 2));
        assert_eq!(taken.load(Ordering::Relaxed), 2, "in each stage one of the members had it");
        assert_eq!(shared.0.take_piece(Seat::first(0, 2), 4), Some(2), "nothing is taken");
        worker.join().unwrap();
    });
}

#[test]
fn departure_breaks_the_region_of_those_who_wait() {
    check(|| {
        let barrier = Arc::new(Barrier::new(3));
        let waiter = {
            let barrier = Arc::clone(&barrier);
            thread::spawn(move || {
                let seat = Seat::first(1, 3);
                assert_eq!(barrier.meet(seat, &impatient(), || false), Err(Broken));
                barrier.leave(seat);
            })
        };
        let leaver = {
            let barrier = Arc::clone(&barrier);
            thread::spawn(move || {
                let seat = Seat::first(2, 3);
                assert_eq!(barrier.take_piece(seat, 4), Some(3));
                barrier.leave(seat);
            })
        };
        let seat = Seat::first(0, 3);
        assert_eq!(barrier.leave_last(seat, &impatient()), Ok(()));
        assert_eq!(barrier.take_piece(seat, 4), Some(3), "what was taken is given back");
        waiter.join().unwrap();
        leaver.join().unwrap();
    });
}

#[test]
fn regions_that_follow_each_other_find_everything_given_back() {
    check(|| {
        let barrier = Arc::new(Barrier::new(2));
        let walk = |barrier: &Barrier, me: usize| {
            let seat = Seat::first(me, 2);
            barrier.take_piece(seat, 4);
            assert_eq!(barrier.meet(seat, &impatient(), || false), Ok(()));
            Seat { meetings: 1, ..seat }
        };
        for _ in 0..2 {
            let worker = {
                let barrier = Arc::clone(&barrier);
                thread::spawn(move || barrier.leave(walk(&barrier, 1)))
            };
            let seat = walk(&barrier, 0);
            assert_eq!(barrier.leave_last(seat, &impatient()), Ok(()));
            worker.join().unwrap();
        }
        assert_eq!(barrier.take_piece(Seat::first(0, 2), 4), Some(2), "nothing is taken");
    });
}
