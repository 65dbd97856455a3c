//! What a second thread brings: training steps with two threads beside the same with one.

use super::training::Training;
use super::{Failure, SUITE, limit};
use crate::context::{Case, Context, Report};
use crate::error::{Error, Result};
use crate::models::{MODELS, Model};
use crate::row::{Row, Unit};

const BATCHES: [usize; 2] = [128, 1024];
const THREADS: usize = 2;

/// Smaller models spend their time on meeting.
const LEAST_PARAMETERS: f64 = 100e3;

/// Cases `threads/MODEL/bBATCH` in windows a second; the ratio is the gain.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for model in MODELS {
        for batch in BATCHES {
            let name = format!("threads/{}/b{batch}", model.name);
            if context.wants(&name) {
                let row =
                    measure(context, model, batch, &name).map_err(|failure| match failure {
                        Failure::Bench(error) => error,
                        error => Error::Suite { suite: SUITE, what: format!("{name}: {error}") },
                    })?;
                rows.extend(row);
            }
        }
    }
    Ok(rows)
}

/// The row of a model that is large enough.
fn measure(
    context: &mut Context,
    model: &'static Model,
    batch: usize,
    name: &str,
) -> std::result::Result<Option<Row>, Failure> {
    let graph = super::training::graph(model, batch, true)?;
    if limit::parameters(&graph) < LEAST_PARAMETERS {
        return Ok(None);
    }
    let mut one = Training::new(model, batch, 1, true)?;
    let mut two = Training::new(model, batch, THREADS, true)?;
    let case = Case {
        suite: SUITE,
        name,
        report: Report::rate(Unit::WindowsPerSecond, batch as f64),
        work: Some(two.work()),
        threads: THREADS,
        peer: None,
    };
    let mut outcome = [Ok(()), Ok(())];
    let [ours, theirs] = &mut outcome;
    let row = context.race(
        &case,
        || keep_error(ours, two.step()),
        "whimbrel t1",
        || keep_error(theirs, one.step()),
    );
    outcome.into_iter().collect::<std::result::Result<(), _>>()?;
    Ok(Some(row?))
}

/// Remembers a failure.
fn keep_error<E>(outcome: &mut std::result::Result<(), E>, result: std::result::Result<(), E>) {
    if result.is_err() {
        *outcome = result;
    }
}
