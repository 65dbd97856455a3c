//! What everything but arithmetic costs: instructions, runs, meetings of threads, allocations,
//! memory, making a session, networks side by side.

mod creation;
mod dispatch;
mod meeting;
mod memory;
mod networks;

pub use memory::resident;

use crate::context::{Case, Context, Report};
use crate::error::{Error, Result};
use crate::row::{Row, Unit};

const SUITE: &str = "overhead";

/// All parts.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let parts = [dispatch::run, meeting::run, memory::run, networks::run, creation::run];
    let mut rows = Vec::new();
    for part in parts {
        rows.extend(part(context)?);
    }
    Ok(rows)
}

/// A case without peer or limit, whose row is the time of one of the parts of a call.
fn timed(name: &str, threads: usize, parts: usize) -> Case<'_> {
    let report = Report::time_of_part(Unit::Nanoseconds, parts);
    Case { suite: SUITE, name, report, work: None, threads, peer: None }
}

/// What went wrong in the engine or a model as an error of this suite.
fn engine(error: impl std::fmt::Display) -> Error {
    Error::Suite { suite: SUITE, what: error.to_string() }
}
