//! Every piece runs exactly once, and barriers separate what comes before from what comes after.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use whimbrel_threads::Pool;

const TEAMS: [usize; 4] = [1, 2, 3, 8];
const SIZES: [usize; 9] = [0, 1, 2, 3, 7, 8, 9, 33, 1000];

fn counters(n: usize) -> Vec<AtomicUsize> {
    (0..n).map(|_| AtomicUsize::new(0)).collect()
}

fn all_are(counters: &[AtomicUsize], expected: usize) -> bool {
    counters.iter().all(|counter| counter.load(Relaxed) == expected)
}

#[test]
fn pool_runs_each_piece_once() {
    for team in TEAMS {
        let pool = Pool::new(team);
        for n in SIZES {
            for _ in 0..20 {
                let runs = counters(n);
                pool.pieces(n, |i| {
                    runs[i].fetch_add(1, Relaxed);
                });
                assert!(all_are(&runs, 1), "team {team}, {n} pieces");
            }
        }
    }
}

#[test]
fn workers_run_each_piece_once_and_see_the_pieces_before() {
    for team in TEAMS {
        let pool = Pool::new(team);
        let runs: Vec<_> = SIZES.iter().map(|&n| counters(n)).collect();
        pool.region(|worker| {
            for round in 1..=20 {
                for runs in &runs {
                    worker.pieces(runs.len(), |i| {
                        runs[i].fetch_add(1, Relaxed);
                    });
                    assert!(all_are(runs, round), "team {team}, {} pieces", runs.len());
                    worker.barrier();
                }
            }
        });
    }
}

#[test]
fn members_have_distinct_numbers_and_the_caller_has_the_first() {
    for team in TEAMS {
        let pool = Pool::new(team);
        let caller = std::thread::current().id();
        let seen = counters(team);
        pool.region(|worker| {
            assert_eq!(worker.count(), team);
            assert_eq!(worker.index() == 0, std::thread::current().id() == caller);
            seen[worker.index()].fetch_add(1, Relaxed);
        });
        assert!(all_are(&seen, 1), "team {team}");
    }
}

#[test]
fn member_starts_with_the_piece_of_its_number() {
    let pool = Pool::new(3);
    pool.region(|worker| {
        let mut first = None;
        worker.pieces(50, |i| {
            first.get_or_insert(i);
        });
        assert_eq!(first, Some(worker.index()));
    });
}

#[test]
fn barrier_separates_rounds() {
    let pool = Pool::new(2);
    let arrived = AtomicUsize::new(0);
    pool.region(|worker| {
        for round in 1..=1000 {
            arrived.fetch_add(1, Relaxed);
            worker.barrier();
            assert_eq!(arrived.load(Relaxed), round * worker.count());
            worker.barrier();
        }
    });
}

#[test]
fn eight_threads_pass_ten_thousand_barriers_on_any_machine() {
    let pool = Pool::new(8);
    let passed = counters(8);
    pool.region(|worker| {
        for _ in 0..10_000 {
            worker.barrier();
            passed[worker.index()].fetch_add(1, Relaxed);
        }
    });
    assert!(all_are(&passed, 10_000));
}

#[test]
fn regions_follow_each_other_ten_thousand_times() {
    let pool = Pool::new(2);
    let runs = AtomicUsize::new(0);
    for _ in 0..10_000 {
        pool.region(|_| {
            runs.fetch_add(1, Relaxed);
        });
    }
    assert_eq!(runs.into_inner(), 20_000);
}

#[test]
fn sizes_out_of_range_are_clamped() {
    assert_eq!(Pool::new(0).size(), 1);
    assert_eq!(Pool::new(usize::MAX).size(), whimbrel_threads::MAX_SIZE);
}

#[test]
fn members_that_wait_are_idle_until_all_are_there() {
    for team in [1, 2, 8] {
        let pool = Pool::new(team);
        let (calls, late) = (AtomicUsize::new(0), AtomicUsize::new(0));
        pool.region(|worker| {
            worker.share(team, |piece| {
                // The last is late until another is idle; alone it waits for nobody.
                while piece > 0 && piece == team - 1 && calls.load(Relaxed) == 0 {
                    std::hint::spin_loop();
                }
                late.fetch_add(1, Relaxed);
            });
            worker.barrier_while(|| {
                assert_eq!(worker.count(), team);
                // Alone here: a barrier inside must not be one.
                worker.barrier();
                calls.fetch_add(1, Relaxed) < 1000
            });
            assert_eq!(late.load(Relaxed), team);
        });
        assert_eq!(calls.load(Relaxed) > 0, team > 1);
    }
}
