//! The machine itself: what every other suite's `of_limit` is a share of.

use crate::context::Context;
use crate::error::Result;
use crate::machine::bandwidth::Setting;
use crate::machine::caches::Caches;
use crate::machine::fma;
use crate::rounds::Samples;
use crate::row::{Row, Unit, tidy};

const THREADS: [usize; 2] = [1, 2];

/// Arithmetic peak on one and two threads; bandwidth of every level, pattern and page size.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let schedule = context.schedule();
    let caches = Caches::detect();
    let mut rows = Vec::new();
    for threads in THREADS {
        let case = format!("fma/f32/t{threads}");
        if context.wants(&case) {
            let probe = |_| fma::peak(threads, schedule.block_seconds);
            let rates = (0..schedule.rounds).map(probe).collect();
            rows.push(row(&case, Unit::Gflops, rates));
        }
    }
    for setting in Setting::all(&THREADS) {
        let case = setting.name();
        if context.wants(&case) {
            let rates = setting.measure(&caches, schedule);
            rows.push(row(&case, Unit::GigabytesPerSecond, rates));
        }
    }
    Ok(rows)
}

fn row(case: &str, unit: Unit, rates: Vec<f64>) -> Row {
    let samples = Samples::new(rates.into_iter().map(|rate| rate / unit.base()).collect());
    let mut row = Row::new("machine", case, "rate", unit);
    row.ours = samples.median().map(tidy);
    row.spread = samples.spread().map(tidy);
    row
}
