//! Kernels on arrays that stay in the first-level cache, beside scalar code.

use std::hint::black_box;

use whimbrel_kernels::elementwise::{Unary, unary};
use whimbrel_kernels::reduce;

use super::{SUITE, scalar};
use crate::arrays::Array;
use crate::context::{Case, Context, Report};
use crate::error::{Error, Result};
use crate::fill::{self, Digest};
use crate::row::{Row, Unit};

/// Values of an array; three of them take 24 KiB.
const LEN: usize = 2048;

/// Largest relative distance between ours and the scalar loop.
const ALLOWED: f64 = 1e-4;

const SCALAR: &str = "scalar std";

/// A kernel's name, its operation and the same in scalar code.
type Map = (&'static str, Unary, fn(f32) -> f32);

const MAPS: [Map; 4] = [
    ("tanh", Unary::Tanh, f32::tanh),
    ("sigmoid", Unary::Sigmoid, scalar::sigmoid),
    ("exp", Unary::Exp, f32::exp),
    ("gelu", Unary::Gelu, scalar::gelu),
];

/// Every kernel.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let (x, y) = (Array::of(&fill::values(1, LEN))?, Array::of(&fill::values(2, LEN))?);
    let (mut ours, mut theirs) = (Array::zeros(LEN)?, Array::zeros(LEN)?);
    let mut rows = Vec::new();
    for (name, op, f) in MAPS {
        let name = format!("l1/{name}");
        if context.wants(&name) {
            let fast = || unary(op, black_box(&x), &mut ours);
            let plain = || scalar::map(black_box(&x), &mut theirs, f);
            rows.push(context.race(&case(&name), fast, SCALAR, plain)?);
            agree(&name, &ours, &theirs)?;
        }
    }
    let mut results = [0.0; 2];
    let [ours, theirs] = &mut results;
    if context.wants("l1/dot") {
        let fast = || *ours = reduce::dot(black_box(&x), black_box(&y));
        let plain = || *theirs = scalar::dot(black_box(&x), black_box(&y));
        rows.push(context.race(&case("l1/dot"), fast, SCALAR, plain)?);
        agree("l1/dot", &[*ours], &[*theirs])?;
    }
    if context.wants("l1/sum") {
        let fast = || *ours = reduce::sum(black_box(&x));
        let plain = || *theirs = scalar::sum(black_box(&x));
        rows.push(context.race(&case("l1/sum"), fast, SCALAR, plain)?);
        agree("l1/sum", &[*ours], &[*theirs])?;
    }
    Ok(rows)
}

fn case(name: &str) -> Case<'_> {
    let report = Report::rate(Unit::MegaElements, LEN as f64);
    Case { suite: SUITE, name, report, work: None, threads: 1, peer: None }
}

fn agree(name: &str, ours: &[f32], theirs: &[f32]) -> Result<()> {
    let distance = Digest::of(ours).distance(&Digest::of(theirs));
    if distance <= ALLOWED {
        return Ok(());
    }
    Err(Error::Answer {
        suite: SUITE.to_owned(),
        case: name.to_owned(),
        peer_name: SCALAR.to_owned(),
        distance,
        allowed: ALLOWED,
    })
}
