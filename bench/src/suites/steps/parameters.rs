//! Parameters both sides make for themselves; `peers/parameters.py` is the other half.
//!
//! The i-th parameter is stream 1000 + i of `fill`, in PyTorch's element order, scaled by
//! 1 / sqrt(fan in); a vector counts as fan in 100, and the weights of norms lie around 1.

use crate::fill;
use whimbrel_engine::{EngineError, Session};
use whimbrel_graph::ops::{Role, State};
use whimbrel_graph::{Graph, Op};

/// The fan in of vectors.
const VECTOR: usize = 100;

/// Fills the parameters of `graph`, which the session has compiled.
pub fn fill(session: &mut Session, graph: &Graph) -> Result<(), EngineError> {
    let parameters = graph.state().filter_map(|value| match graph.op_of(value) {
        Op::State(state) if state.role == Role::Parameter => Some(state),
        _ => None,
    });
    for (i, parameter) in parameters.enumerate() {
        session.write_state(&parameter.name, &contents(1000 + i as u32, parameter))?;
    }
    Ok(())
}

/// The elements of one parameter in our order.
fn contents(stream: u32, parameter: &State) -> Vec<f32> {
    let (name, shape) = (&parameter.name, &parameter.ty.shape);
    let norm = name.contains("norm") && name.ends_with("weight");
    let (fan_in, taps) = match shape[..] {
        _ if norm || name.contains("bias") => (VECTOR, 1),
        // Ours [taps, outputs, inputs], PyTorch's [outputs, inputs, taps].
        [taps, _, inputs] => (taps * inputs, taps),
        [_, inputs] => (inputs, 1),
        _ => (VECTOR, 1),
    };
    let values = fill::values(stream, shape.numel());
    let matrix = values.len() / taps;
    let (scale, around) = ((fan_in as f64).sqrt() as f32, if norm { 1.0 } else { 0.0 });
    let element = |at: usize| values[at % matrix * taps + at / matrix] / scale + around;
    (0..values.len()).map(element).collect()
}
