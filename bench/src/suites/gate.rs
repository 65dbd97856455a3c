//! Counts of executed instructions: what a regression is found by where times are too noisy.
//!
//! Each case is run by a child under callgrind, on AVX2, the widest set callgrind knows, and only
//! the call itself is counted. The same program counts the same number every time, so the gate is
//! `gate --compare bench/gate.json` and allows one percent. Without valgrind there are no rows.

use std::process::{Command, Stdio};

use whimbrel_engine::{Options, Session};
use whimbrel_kernels::elementwise::{Unary, unary};
use whimbrel_kernels::gemm::{
    DenseDims, Start, WeightGradDims, dense_forward, pack, packed_len, weight_grad,
};
use whimbrel_kernels::reduce::sum;
use whimbrel_kernels::simd::Isa;
use whimbrel_plan::place;

use super::plan::random_buffers;
use super::steps::training::{self, Training};
use crate::arrays::Array;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::models::Model;
use crate::row::{Row, Unit};
use crate::{child, fill};

const SUITE: &str = "gate";

/// Turns of a loop added to every counted call, so that tests can slow a call down.
pub const EXTRA: &str = "WHIMBREL_GATE_EXTRA_TURNS";

/// The function callgrind counts, as a pattern of its name.
const COUNTED: &str = "*counted_by_the_gate*";

/// Calls before the counted one: everything made once has been made.
const WARM_UP: usize = 3;

const BATCH: usize = 32;

/// Every case; none where valgrind is missing.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    if !Isa::Avx2.available() {
        eprintln!("{SUITE}: skipped, this machine has no AVX2");
        return Ok(Vec::new());
    }
    let found = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        eprintln!("{SUITE}: skipped, valgrind is not installed");
        return Ok(Vec::new());
    }
    let mut rows = Vec::new();
    for Counted { name, jitter, .. } in CASES {
        if context.wants(name) {
            eprintln!("{SUITE} {name}");
            let mut row = Row::new(SUITE, name, "executed", Unit::Instructions);
            row.ours = Some(count(name)? as f64);
            row.spread = Some(jitter);
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Instructions of one call of a case.
fn count(case: &str) -> Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--toggle-collect={COUNTED}"))
        .arg(child::program()?)
        .args(child::arguments(&format!("gate/{case}"), false))
        .env("WHIMBREL_ISA", Isa::Avx2.name())
        .output()
        .map_err(|source| Error::File { path: "valgrind".into(), source })?;
    let text = String::from_utf8_lossy(&output.stderr);
    let collected = text.lines().find_map(|line| line.split_once("Collected :"));
    let count = collected.and_then(|(_, count)| count.trim().parse().ok());
    let failed =
        |what: &str| Error::Suite { suite: SUITE, what: format!("{case}: {what}\n{text}") };
    if !output.status.success() {
        return Err(failed("the counted process failed"));
    }
    count.filter(|count| *count > 0).ok_or_else(|| failed("callgrind counted nothing"))
}

/// The job of the child: a few calls of a case, then the counted one.
pub fn child(case: &str, _: bool) -> Result<String> {
    let known = CASES.iter().find(|known| known.name == case);
    let known = known.ok_or_else(|| Error::Usage(format!("no case `{case}`")))?;
    let extra = std::env::var(EXTRA).ok().and_then(|turns| turns.parse().ok()).unwrap_or(0);
    let mut call = (known.prepare)()?;
    (0..WARM_UP).for_each(|_| call());
    counted_by_the_gate(&mut *call, extra);
    Ok("null".to_owned())
}

#[inline(never)]
fn counted_by_the_gate(call: &mut dyn FnMut(), extra: u64) {
    call();
    for turn in 0..extra {
        std::hint::black_box(turn);
    }
}

/// A call ready to be counted.
type Call = Box<dyn FnMut()>;

/// What is counted.
struct Counted {
    name: &'static str,
    prepare: fn() -> Result<Call>,
    /// The share by which counts of the same program differ.
    jitter: f64,
}

const CASES: [Counted; 10] = [
    same("dense/32x512x512", || dense(32, 512, 512)),
    same("dense/1x512x512", || dense(1, 512, 512)),
    same("weight-grad/32x256x256", weight_gradient),
    same("exp/4096", || map(Unary::Exp)),
    same("tanh/4096", || map(Unary::Tanh)),
    same("sum/4096", total),
    same("train/mlp-5k/b32", || train("mlp-5k")),
    same("train/nlinear/b32", || train("nlinear")),
    // Hash maps are seeded anew in every process.
    Counted { jitter: 0.02, ..same("compile/mlp-5k/b32", || compile("mlp-5k")) },
    same("place/1000", placement),
];

/// Counted the same every time.
const fn same(name: &'static str, prepare: fn() -> Result<Call>) -> Counted {
    Counted { name, prepare, jitter: 0.0 }
}

fn dense(lanes: usize, inputs: usize, rows: usize) -> Result<Call> {
    let mut w = Array::zeros(packed_len(rows, inputs))?;
    pack(rows, inputs, &fill::values(1, rows * inputs), &mut w);
    let (x, mut y) = (Array::of(&fill::values(2, inputs * lanes))?, Array::zeros(rows * lanes)?);
    let dims = DenseDims { rows, inputs, lanes };
    Ok(Box::new(move || dense_forward(dims, &w, &x, &mut y, Start::Zero)))
}

fn weight_gradient() -> Result<Call> {
    let (rows, inputs, lanes) = (256, 256, 32);
    let (dy_block, x_block) = (rows * lanes, inputs * lanes);
    let dims = WeightGradDims { rows, inputs, lanes, blocks: 1, dy_block, x_block };
    let (dy, x) = (Array::of(&fill::values(1, dy_block))?, Array::of(&fill::values(2, x_block))?);
    let mut dw = Array::zeros(packed_len(rows, inputs))?;
    Ok(Box::new(move || weight_grad(dims, &dy, &x, &mut dw, Start::Zero)))
}

fn map(op: Unary) -> Result<Call> {
    let (x, mut y) = (Array::of(&fill::values(1, 4096))?, Array::zeros(4096)?);
    Ok(Box::new(move || unary(op, &x, &mut y)))
}

fn total() -> Result<Call> {
    let x = Array::of(&fill::values(1, 4096))?;
    Ok(Box::new(move || {
        std::hint::black_box(sum(&x));
    }))
}

fn train(name: &str) -> Result<Call> {
    let mut training = Training::new(model(name)?, BATCH, 1, true).map_err(|e| failed(&e))?;
    Ok(Box::new(move || drop(std::hint::black_box(training.step()))))
}

fn compile(name: &str) -> Result<Call> {
    let graph = training::graph(model(name)?, BATCH, false).map_err(|e| failed(&e))?;
    let options = Options { threads: 1, ..Options::default() };
    Ok(Box::new(move || {
        drop(std::hint::black_box(Session::with_options(std::slice::from_ref(&graph), &options)));
    }))
}

fn placement() -> Result<Call> {
    let buffers = random_buffers(1000);
    Ok(Box::new(move || drop(std::hint::black_box(place(&buffers)))))
}

fn model(name: &str) -> Result<&'static Model> {
    Model::named(name)
        .ok_or_else(|| Error::Suite { suite: SUITE, what: format!("no model {name}") })
}

fn failed(error: &dyn std::error::Error) -> Error {
    Error::Suite { suite: SUITE, what: error.to_string() }
}
