//! Allocations of training steps, and the memory of a whole process that trains.

use std::process::Command;

use super::{SUITE, engine};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::models::{MODELS, Model};
use crate::row::{Row, Unit};
use crate::suites::steps::Failure;
use crate::suites::steps::training::Training;
use crate::{allocations, child};
use whimbrel_engine::EngineError;

const BATCH: usize = 32;
const THREADS: usize = 2;

/// Steps after which everything that is made once has been made.
const WARM_UP: usize = 3;
const STEPS: usize = 100;

/// The model whose process is weighed.
const WEIGHED: &str = "mlp-1m";

/// Allocations in a steady state, model by model; resident memory.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for model in MODELS {
        let name = format!("allocations/train/{}/b{BATCH}", model.name);
        if !context.wants(&name) {
            continue;
        }
        eprintln!("{SUITE} {name}");
        let mut row = Row::new(SUITE, &name, "allocations", Unit::Count);
        match steps_allocate(model) {
            Ok(count) => row.ours = Some(count as f64),
            Err(Failure::Engine(EngineError::Unsupported { op, .. })) => {
                eprintln!("{SUITE} {name}: no {op}")
            }
            Err(error) => return Err(engine(error)),
        }
        rows.push(row);
    }
    let name = format!("resident/train/{WEIGHED}/b{BATCH}");
    if context.wants(&name) {
        eprintln!("{SUITE} {name}");
        let mut row = Row::new(SUITE, &name, "resident memory", Unit::Megabytes);
        let mut command = Command::new(child::program()?);
        command.args(child::arguments("resident", context.quick()));
        row.ours = Some(child::ask::<f64>(&mut command, SUITE)? / 1e6);
        rows.push(row);
    }
    Ok(rows)
}

/// Allocations in a hundred steps.
fn steps_allocate(model: &Model) -> std::result::Result<usize, Failure> {
    let mut training = Training::new(model, BATCH, THREADS, true)?;
    let mut steps = |count: usize| (0..count).try_for_each(|_| training.step());
    steps(WARM_UP)?;
    let mut outcome = Ok(());
    let count = allocations::during(|| outcome = steps(STEPS));
    outcome?;
    Ok(count)
}

/// The job of the child: trains, then says how many bytes of memory were resident at most.
pub fn resident(_: &str, _: bool) -> Result<String> {
    let no_model = || Error::Suite { suite: SUITE, what: format!("no model {WEIGHED}") };
    let model = Model::named(WEIGHED).ok_or_else(no_model)?;
    let mut training = Training::new(model, BATCH, THREADS, true).map_err(engine)?;
    for _ in 0..STEPS {
        training.step().map_err(engine)?;
    }
    Ok(child::peak_resident()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_child_tells_a_plausible_size() {
        let bytes: f64 = resident("", true).unwrap().parse().unwrap();
        assert!((1e6..1e9).contains(&bytes));
    }
}
