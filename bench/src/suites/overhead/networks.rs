//! Many small networks trained side by side, each on one thread of its own session.
//!
//! Two ways to run them at once stand beside one after another: handed out to a team of two, and
//! a thread of the system's for each.

use std::sync::{Mutex, PoisonError};

use whimbrel_threads::Pool;

use super::{SUITE, engine};
use crate::context::{Case, Context, Report};
use crate::error::Result;
use crate::models::Model;
use crate::row::{Row, Unit};
use crate::suites::steps::Failure;
use crate::suites::steps::training::Training;

const NETWORKS: usize = 16;
const BATCH: usize = 32;
const THREADS: usize = 2;

/// Steps each network takes in a call.
const STEPS: usize = 50;

/// Both ways to train at once, beside one after another.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let names = ["team", "threads"].map(|way| format!("networks/{NETWORKS}/mlp-5k/b{BATCH}/{way}"));
    if !names.iter().any(|name| context.wants(name)) {
        return Ok(Vec::new());
    }
    let Some(model) = Model::named("mlp-5k") else { return Ok(Vec::new()) };
    let new = |_| Ok(Mutex::new(Training::new(model, BATCH, 1, true)?));
    let networks: std::result::Result<Vec<_>, Failure> = (0..NETWORKS).map(new).collect();
    let networks = networks.map_err(engine)?;
    let pool = Pool::new(THREADS);

    let one_after_another = || networks.iter().for_each(train);
    let by_team = || pool.pieces(NETWORKS, |i| train(&networks[i]));
    let by_threads = || {
        std::thread::scope(|scope| {
            for network in &networks {
                scope.spawn(|| train(network));
            }
        });
    };
    let mut rows = Vec::new();
    for (name, way) in names.iter().zip([&by_team as &dyn Fn(), &by_threads]) {
        if context.wants(name) {
            let windows = (NETWORKS * STEPS * BATCH) as f64;
            let report = Report::rate(Unit::WindowsPerSecond, windows);
            let case =
                Case { suite: SUITE, name, report, work: None, threads: THREADS, peer: None };
            rows.push(context.race(&case, way, "one after another", one_after_another)?);
        }
    }
    Ok(rows)
}

fn train(network: &Mutex<Training>) {
    let mut network = network.lock().unwrap_or_else(PoisonError::into_inner);
    for _ in 0..STEPS {
        // The same step succeeded when the network was made to run.
        let _ = network.step();
    }
}
