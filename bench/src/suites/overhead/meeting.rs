//! How long it takes two threads to start a piece of work together, to end it, and to meet inside.

use whimbrel_threads::Pool;

use super::timed;
use crate::context::Context;
use crate::error::Result;
use crate::row::Row;

const THREADS: usize = 2;

/// Meetings in one region.
const MEETINGS: usize = 100;

/// Fork and join, and a barrier.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let pool = Pool::new(THREADS);
    let mut rows = Vec::new();
    let (fork_join, barrier) = (format!("fork-join/t{THREADS}"), format!("barrier/t{THREADS}"));
    if context.wants(&fork_join) {
        let case = timed(&fork_join, THREADS, 1);
        rows.push(context.measure(&case, || pool.region(|_| ()))?);
    }
    if context.wants(&barrier) {
        let case = timed(&barrier, THREADS, MEETINGS);
        rows.push(context.measure(&case, || {
            pool.region(|worker| (0..MEETINGS).for_each(|_| worker.barrier()));
        })?);
    }
    Ok(rows)
}
