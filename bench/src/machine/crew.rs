//! A few threads that start one job at the same moment and are gone afterwards.
//!
//! No thread outlives the call: a parked or spinning thread would disturb what is measured next.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs the jobs at once, the first on the calling thread, and returns their results in order.
/// Every job starts only when all threads are running.
pub fn at_once<T: Send, J: FnOnce() -> T + Send>(jobs: Vec<J>) -> Vec<T> {
    let waiting = AtomicUsize::new(jobs.len());
    let waiting = &waiting;
    let start = move |job: J| {
        waiting.fetch_sub(1, Ordering::AcqRel);
        while waiting.load(Ordering::Acquire) > 0 {
            // Yielding lets the others be scheduled where cores are fewer than threads.
            std::thread::yield_now();
        }
        job()
    };
    let mut jobs = jobs.into_iter();
    let Some(first) = jobs.next() else { return Vec::new() };
    std::thread::scope(|scope| {
        let others: Vec<_> = jobs.map(|job| scope.spawn(move || start(job))).collect();
        let mut results = vec![start(first)];
        for other in others {
            match other.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    })
}

#[cfg(test)]
mod tests {
    use super::at_once;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let squares = |count: usize| at_once((0..count).map(|i| move || i * i).collect());
        assert!(squares(0).is_empty());
        assert_eq!(squares(1), [0]);
        assert_eq!(squares(5), [0, 1, 4, 9, 16]);
    }
}
