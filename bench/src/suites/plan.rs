//! Plans: the memory they need beside what no plan can do without, and the time they take to make.
//!
//! `arena/..` is the working memory over its lower bound, `memory/..` what is kept between forward
//! and backward, inputs among it, beside what the peer keeps, `compile/..` the time from a graph to a session
//! that can run, `place/..` the time to place ten thousand buffers.

mod random;

#[path = "../../../crates/plan/tests/training_graphs/mod.rs"]
mod training_graphs;

use whimbrel_engine::cpu::Cpu;
use whimbrel_engine::{EngineError, Options, Session};
use whimbrel_graph::Graph;
use whimbrel_plan::{Lifetime, place, validate};

use crate::context::{Case, Context, Report};
use crate::error::{Error, Result};
use crate::models::MODELS;
use crate::row::{Row, Unit, tidy};
use crate::suites::steps::training;
use training_graphs::{Random, scattered, training_graph};

const SUITE: &str = "plan";
const BATCHES: [usize; 2] = [32, 1024];
const THREADS: usize = 2;
const BUFFERS: usize = 10_000;

/// Every model, random graphs, placements.
pub fn run(context: &mut Context) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for model in MODELS {
        for batch in BATCHES {
            let name = format!("train/{}/b{batch}", model.name);
            if !["arena", "memory", "compile"].iter().any(|k| context.wants(&format!("{k}/{name}")))
            {
                continue;
            }
            let graph = training::graph(model, batch, model.drops_out()).map_err(|e| engine(&e))?;
            rows.extend(model_rows(context, &name, &graph)?);
        }
    }
    if context.wants("arena/random") {
        rows.push(random_graphs(context.quick())?);
    }
    let buffers = [
        ("place/training", random_buffers(BUFFERS)),
        ("place/scattered", scattered(&mut Random(1), BUFFERS, 1000)),
    ];
    for (name, buffers) in buffers {
        if context.wants(name) {
            rows.push(placing(context, name, &buffers)?);
        }
    }
    Ok(rows)
}

/// `count` buffers of a random training step.
pub fn random_buffers(count: usize) -> Vec<Lifetime> {
    // An operation has close to three buffers.
    let mut buffers = training_graph(&mut Random(1), count * 36 / 100);
    buffers.truncate(count);
    buffers
}

/// The rows of one training step; without values where the engine lacks an operation.
fn model_rows(context: &mut Context, name: &str, graph: &Graph) -> Result<Vec<Row>> {
    let [arena, memory, compile] = ["arena", "memory", "compile"].map(|k| format!("{k}/{name}"));
    let mut bound = Row::new(SUITE, &arena, "working memory", Unit::OfBound);
    let mut bytes = Row::new(SUITE, &memory, "kept for backward", Unit::Bytes);
    let mut time = Row::new(SUITE, &compile, "time", Unit::Milliseconds);
    match session(graph) {
        Ok(session) => {
            let usage = session.report(0).usage;
            bound.ours = Some(tidy(usage.working as f64 / usage.lower_bound.max(1) as f64));
            let ours = usage.kept as f64;
            bytes.ours = Some(ours);
            if context.wants(&memory)
                && let Some((kept, peer)) = context.peer_figure(SUITE, name)?
            {
                bytes.peer = Some(kept);
                bytes.ratio = Some(tidy(kept / ours));
                bytes.peer_name = Some(peer);
            }
            if context.wants(&compile) {
                time = context.measure(&timed(&compile), || drop(session_again(graph)))?;
            }
        }
        Err(EngineError::Unsupported { op, reason, .. }) => {
            eprintln!("{SUITE} {name}: not planned, {op}: {reason}");
        }
        Err(error) => return Err(engine(&error)),
    }
    let rows = [bound, bytes, time].into_iter();
    Ok(rows.filter(|row| context.wants(&row.case)).collect())
}

/// A session that could run, its parameters not filled.
fn session(graph: &Graph) -> std::result::Result<Session, EngineError> {
    let cpu = Cpu::new(&Options { threads: THREADS, ..Options::default() });
    Session::uninitialised(&cpu, std::slice::from_ref(graph))
}

/// [`session`] where it is known to succeed.
fn session_again(graph: &Graph) -> Option<Session> {
    session(graph).ok()
}

/// The mean over random training graphs of working memory over its lower bound.
fn random_graphs(quick: bool) -> Result<Row> {
    let count = if quick { 100 } else { 1000 };
    eprintln!("{SUITE} arena/random");
    let mut random = Random(1);
    let mut sum = 0.0;
    for _ in 0..count {
        let graph = random::graph(&mut random).map_err(|e| engine(&e))?;
        let usage = session(&graph).map_err(|e| engine(&e))?.report(0).usage;
        sum += usage.working as f64 / usage.lower_bound.max(1) as f64;
    }
    let mut row = Row::new(SUITE, "arena/random", "mean working memory", Unit::OfBound);
    row.ours = Some(tidy(sum / f64::from(count)));
    Ok(row)
}

/// Placing and validating.
fn placing(context: &mut Context, name: &str, buffers: &[Lifetime]) -> Result<Row> {
    validate(buffers, &place(buffers)).map_err(|e| engine(&e))?;
    context.measure(&timed(name), || {
        let placement = place(std::hint::black_box(buffers));
        drop(std::hint::black_box(validate(buffers, &placement)));
    })
}

fn timed(name: &str) -> Case<'_> {
    let report = Report::time(Unit::Milliseconds);
    Case { suite: SUITE, name, report, work: None, threads: 1, peer: None }
}

fn engine(error: &dyn std::error::Error) -> Error {
    Error::Suite { suite: SUITE, what: error.to_string() }
}
