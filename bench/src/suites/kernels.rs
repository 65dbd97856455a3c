//! Single kernels: element-wise ones beyond the caches and within the first, reductions, updates.
//!
//! `memory/t2/NAME` streams through memory, and its limit is a plain copy of as many bytes on the
//! same pages, measured between the rounds. `l1/NAME` is beside the same loop in scalar code. The
//! others are beside the peer at sizes that training steps have.

mod beyond_cache;
mod in_cache;
mod scalar;
mod training;

use crate::context::Context;
use crate::error::Result;
use crate::row::Row;

const SUITE: &str = "kernels";

/// All three parts.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let mut rows = beyond_cache::run(context)?;
    rows.extend(in_cache::run(context)?);
    rows.extend(training::run(context)?);
    Ok(rows)
}
