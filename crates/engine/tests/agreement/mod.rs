//! Runs a graph in the engine and by reference evaluation, and compares every result.

#![allow(dead_code, reason = "every test file uses its part")]

use whimbrel_engine::{Options, Session};
use whimbrel_graph::{Array, Graph, Op, ValueId};
use whimbrel_tensor::DType;

/// Contents of inputs and state: reproducible, of moderate size.
pub fn content(graph: &Graph, value: ValueId) -> Array {
    let ty = graph.ty(value);
    let seed = graph.label(value).bytes().fold(17u64, |h, b| h.wrapping_mul(31) + u64::from(b));
    let rows = index_rows(graph, value);
    let mut data = Vec::with_capacity(ty.numel());
    let mut x = seed;
    for _ in 0..ty.numel() {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let unit = (x >> 40) as f64 / (1u64 << 24) as f64;
        data.push(match (ty.dtype, rows) {
            (DType::I32, rows) => (unit * rows.unwrap_or(7) as f64).floor(),
            _ if graph.label(value).ends_with("exp_avg_sq") => unit + 0.1,
            _ if graph.label(value) == "step" => 3.0,
            _ if graph.label(value) == "lr" => 0.01,
            _ => f64::from((unit * 2.0 - 1.0) as f32),
        });
    }
    Array { shape: ty.shape, data }
}

fn index_rows(graph: &Graph, index: ValueId) -> Option<usize> {
    let reads = |node: &&whimbrel_graph::Node| {
        matches!(node.op, Op::Gather(_)) && node.inputs.get(1) == Some(&index)
    };
    graph.nodes().iter().find(reads).map(|node| graph.ty(node.inputs[0]).shape[0])
}

fn floats(array: &Array) -> Vec<f32> {
    array.data.iter().map(|&x| x as f32).collect()
}

/// A session over `graph` with the contents above, not yet run.
pub fn session(graph: &Graph, options: &Options) -> Session {
    let mut session = Session::with_options(std::slice::from_ref(graph), options).unwrap();
    for value in graph.inputs() {
        let (name, array) = (graph.label(value), content(graph, value));
        match graph.ty(value).dtype {
            DType::I32 => {
                let ints: Vec<i32> = array.data.iter().map(|&x| x as i32).collect();
                session.write_i32(&name, &ints).unwrap();
            }
            _ => session.write(&name, &floats(&array)).unwrap(),
        }
    }
    for value in graph.state() {
        session.write_state(&graph.label(value), &floats(&content(graph, value))).unwrap();
    }
    session
}

/// Asserts that outputs and updated state agree with the reference within `tolerance` of the
/// largest value.
#[track_caller]
pub fn agrees(graph: &Graph, options: &Options, tolerance: f64) {
    let mut session = session(graph, options);
    session.run().unwrap();
    let reference = graph.evaluate(|v| Some(content(graph, v))).unwrap();
    for output in graph.outputs() {
        let expected = reference[output.value.index()].as_ref().unwrap();
        close(&output.name, &session.read(&output.name).unwrap(), expected, tolerance);
    }
    for update in graph.updates() {
        let name = graph.label(update.state);
        let expected = reference[update.value.index()].as_ref().unwrap();
        close(&name, &session.read_state(&name).unwrap(), expected, tolerance);
    }
}

#[track_caller]
fn close(name: &str, got: &[f32], expected: &Array, tolerance: f64) {
    assert_eq!(got.len(), expected.data.len(), "{name}");
    let scale = expected.data.iter().fold(1e-6f64, |s, x| s.max(x.abs()));
    for (i, (&got, &want)) in got.iter().zip(&expected.data).enumerate() {
        let error = (f64::from(got) - want).abs() / scale;
        assert!(error <= tolerance, "{name}[{i}]: {got} instead of {want} (error {error:.1e})");
    }
}
