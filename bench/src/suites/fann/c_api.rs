//! A C program's training of XOR: with our library, and, in the peer, with libfann.

use super::{SUITE, XOR_EPOCHS, measure};
use crate::context::{Context, Report};
use crate::error::{Error, Result};
use crate::fill::{self, Digest};
use crate::row::{Row, Unit};
use whimbrel_fann_c::program::{CONNECTIONS, Xor};

/// Epochs whose errors are compared.
const ANSWER_EPOCHS: usize = 10;

/// Runs the case `c-api/xor-train`.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let case = "c-api/xor-train";
    if !context.wants(case) {
        return Ok(Vec::new());
    }
    let failed = || Error::Suite { suite: SUITE, what: "the C library failed".to_owned() };
    let xor = Xor::new().ok_or_else(failed)?;
    let mut weights = [0.0; CONNECTIONS];
    weights.copy_from_slice(&fill::values(203, CONNECTIONS));
    let answer = Digest::of(&xor.errors(&weights, ANSWER_EPOCHS).ok_or_else(failed)?);
    let report = Report::rate(Unit::SamplesPerSecond, f64::from(XOR_EPOCHS) * 4.0);
    let call = || xor.train(&weights, XOR_EPOCHS).map(drop).ok_or_else(failed);
    Ok(vec![measure(context, case, report, 1, answer, call)?])
}
