//! A pool with nothing to do uses no CPU. One test alone in its process, so that the process's CPU time is its own.
#![cfg(target_os = "linux")]

use whimbrel_threads::Pool;

const MILLISECOND: u128 = 1_000_000;

fn cpu_ns(clock: libc::clockid_t) -> u128 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for a write.
    assert_eq!(unsafe { libc::clock_gettime(clock, &mut time) }, 0);
    time.tv_sec as u128 * 1_000 * MILLISECOND + time.tv_nsec as u128
}

/// CPU time of this thread, and of all others of the process.
fn mine_and_others() -> (u128, u128) {
    let mine = cpu_ns(libc::CLOCK_THREAD_CPUTIME_ID);
    (mine, cpu_ns(libc::CLOCK_PROCESS_CPUTIME_ID).saturating_sub(mine))
}

fn wait_until_parked(pool: &Pool, workers: usize) {
    for _ in 0..50_000_000 {
        if pool.parked() == workers {
            return;
        }
        std::thread::yield_now();
    }
    panic!("{} of {workers} workers sleep", pool.parked());
}

#[test]
fn idle_workers_use_no_cpu_and_still_wake() {
    let pool = Pool::new(4);
    assert_eq!(pool.parked(), 0, "workers start with the first region");
    for _ in 0..3 {
        pool.region(|worker| worker.pieces(64, |_| ()));
        wait_until_parked(&pool, 3);
        // The thread's own work is the clock: whatever else ran meanwhile was a worker.
        let (start, idle) = mine_and_others();
        let mut now = (start, idle);
        while now.0 < start + 50 * MILLISECOND {
            now = mine_and_others();
        }
        // The two clocks are read one after the other, so the difference may even shrink a little.
        let used = now.1.saturating_sub(idle);
        assert!(used < 5 * MILLISECOND, "workers used {used} ns");
    }
}
