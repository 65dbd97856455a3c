//! The same kernels on every instruction set this machine has, one thread.
//!
//! Cases are `KERNEL/SET`. Each set is measured by a child process that is forced to it, as users
//! force it; the peer columns hold the portable code, so `ratio` is what the set gains.

use std::hint::black_box;
use std::process::Command;

use whimbrel_kernels::elementwise::{Unary, unary};
use whimbrel_kernels::gemm::{DenseDims, GemmDims, Start, dense_forward, gemm, pack, packed_len};
use whimbrel_kernels::optim::{Adam, AdamStep};
use whimbrel_kernels::reduce::sum;
use whimbrel_kernels::simd::Isa;

use crate::arrays::Array;
use crate::child;
use crate::context::{Case, Context, Report};
use crate::error::{Error, Result};
use crate::fill;
use crate::row::{Row, Unit, tidy};

const SUITE: &str = "isa";

/// Values of the arrays of element-wise kernels: in the first-level cache.
const LEN: usize = 2048;

/// Every kernel on every available set, portable first.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let mut sets = Vec::new();
    for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
        let wanted = KERNELS.iter().any(|(name, _)| context.wants(&case_name(name, isa)));
        if !wanted {
            continue;
        }
        let mut command = Command::new(child::program()?);
        command.args(child::arguments(&format!("isa/{}", isa.name()), context.quick()));
        command.env("WHIMBREL_ISA", isa.name());
        let rows: Vec<Row> = child::ask(&mut command, SUITE)?;
        sets.push(rows);
    }
    let mut rows = Vec::new();
    for kernel in 0..KERNELS.len() {
        let portable = sets.first().and_then(|set| set[kernel].ours);
        for mut row in sets.iter().filter_map(|set| set.get(kernel)).cloned() {
            if !row.case.ends_with(Isa::Portable.name()) {
                row.peer = portable;
                row.peer_name = Some(Isa::Portable.name().to_owned());
                row.ratio = row.ours.zip(portable).map(|(ours, portable)| tidy(ours / portable));
            }
            if context.wants(&row.case) {
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

/// The job of the child: measures every kernel on the set it was forced to, `name`.
pub fn child(name: &str, quick: bool) -> Result<String> {
    let isa = Isa::current();
    if isa.name() != name {
        let what = format!("asked for {name}, running on {}", isa.name());
        return Err(Error::Suite { suite: SUITE, what });
    }
    let mut context = Context::new(quick, None, None);
    let mut rows = Vec::new();
    for (kernel, prepare) in KERNELS {
        let (report, call) = prepare()?;
        let name = case_name(kernel, isa);
        let case = Case { suite: SUITE, name: &name, report, work: None, threads: 1, peer: None };
        rows.push(context.measure(&case, call)?);
    }
    serde_json::to_string(&rows).map_err(|source| Error::Rows { path: "isa".into(), source })
}

fn case_name(kernel: &str, isa: Isa) -> String {
    format!("{kernel}/{}", isa.name())
}

/// A kernel on its data: what its row says, and the call.
type Prepared = (Report, Box<dyn FnMut()>);

/// A kernel by name.
type Kernel = (&'static str, fn() -> Result<Prepared>);

const KERNELS: [Kernel; 6] = [
    ("gemm-512", square),
    ("dense-32x512x512", dense),
    ("exp", || map(Unary::Exp)),
    ("tanh", || map(Unary::Tanh)),
    ("sum", total),
    ("adam", adam),
];

fn square() -> Result<Prepared> {
    const N: usize = 512;
    let (a, b) = (Array::of(&fill::values(1, N * N))?, Array::of(&fill::values(2, N * N))?);
    let dims = GemmDims::contiguous(N, N, N);
    let (mut c, mut scratch) = (Array::zeros(N * N)?, Array::zeros(dims.scratch_len())?);
    let call = move || gemm(dims, &a, black_box(&b), &mut c, Start::Zero, &mut scratch);
    Ok((Report::rate(Unit::Gflops, 2.0 * (N * N * N) as f64), Box::new(call)))
}

fn dense() -> Result<Prepared> {
    let dims = DenseDims { rows: 512, inputs: 512, lanes: 32 };
    let DenseDims { rows, inputs, lanes } = dims;
    let mut w = Array::zeros(packed_len(rows, inputs))?;
    pack(rows, inputs, &fill::values(1, rows * inputs), &mut w);
    let (x, mut y) = (Array::of(&fill::values(2, inputs * lanes))?, Array::zeros(rows * lanes)?);
    let call = move || dense_forward(dims, &w, black_box(&x), &mut y, Start::Zero);
    Ok((Report::rate(Unit::Gflops, 2.0 * (rows * inputs * lanes) as f64), Box::new(call)))
}

fn map(op: Unary) -> Result<Prepared> {
    let (x, mut y) = (Array::of(&fill::values(1, LEN))?, Array::zeros(LEN)?);
    let call = move || unary(op, black_box(&x), &mut y);
    Ok((Report::rate(Unit::GigabytesPerSecond, (8 * LEN) as f64), Box::new(call)))
}

fn total() -> Result<Prepared> {
    let x = Array::of(&fill::values(1, LEN))?;
    let call = move || {
        black_box(sum(black_box(&x)));
    };
    Ok((Report::rate(Unit::GigabytesPerSecond, (4 * LEN) as f64), Box::new(call)))
}

fn adam() -> Result<Prepared> {
    let (mut parameter, gradient) =
        (Array::of(&fill::values(1, LEN))?, Array::of(&fill::values(2, LEN))?);
    let (mut mean, mut square) = (Array::zeros(LEN)?, Array::zeros(LEN)?);
    let adam = Adam { beta1: 0.9, beta2: 0.999, eps: 1e-8, weight_decay: 0.0, decoupled: false };
    let step = AdamStep { step_size: 1e-3, sqrt_bias2: 1.0, lr: 1e-3 };
    let call = move || {
        let states = [&mut parameter[..], &mut mean[..], &mut square[..]];
        adam.states(step, states).update(black_box(&gradient));
    };
    Ok((Report::rate(Unit::GigabytesPerSecond, (7 * 4 * LEN) as f64), Box::new(call)))
}
