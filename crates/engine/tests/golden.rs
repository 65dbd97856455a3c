//! Composites and functions run as PyTorch computes them, forward and backward.

#[path = "../../graph/tests/golden/cases.rs"]
mod cases;

use cases::{Built, arrays, built, golden};
use whimbrel_engine::Session;
use whimbrel_graph::Array;
use whimbrel_tensor::DType;

/// How far a result may be from PyTorch's, relative to the largest value.
const TOLERANCE: f64 = 1e-5;

#[track_caller]
fn close(what: &str, got: &[f32], want: &Array) {
    assert_eq!(got.len(), want.data.len(), "{what}: number of elements");
    let scale = want.data.iter().fold(1e-6f64, |scale, x| scale.max(x.abs()));
    for (i, (&got, &want)) in got.iter().zip(&want.data).enumerate() {
        let error = (f64::from(got) - want).abs() / scale;
        assert!(error <= TOLERANCE, "{what}[{i}]: {got} instead of {want} (error {error:.1e})");
    }
}

#[test]
fn results_and_gradients_equal_pytorchs() {
    for case in golden()["cases"].as_array().unwrap() {
        let Built { graph, contents, made } = built(case);
        let mut session = Session::new(&graph).unwrap();
        let single = |content: &Array| content.data.iter().map(|&x| x as f32).collect::<Vec<_>>();
        for input in graph.inputs() {
            let (name, content) = (graph.label(input), &contents[&graph.label(input)]);
            match graph.ty(input).dtype {
                DType::I32 => {
                    let integers: Vec<_> = content.data.iter().map(|&x| x as i32).collect();
                    session.write_i32(&name, &integers).unwrap();
                }
                _ => session.write(&name, &single(content)).unwrap(),
            }
        }
        for (state, start) in arrays(case, "state") {
            session.write_state(&state, &single(&start)).unwrap();
        }
        session.run().unwrap();
        for (what, _, want) in made {
            close(&what, &session.read(&what).unwrap(), &want);
        }
        for (state, after) in arrays(case, "after") {
            close(
                &format!("{}: {state}", case["name"]),
                &session.read_state(&state).unwrap(),
                &after,
            );
        }
    }
}
