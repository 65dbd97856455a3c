//! What a step cannot avoid doing: its products, and moving its weights and optimiser state.
//!
//! Everything else, such as activations in cache and element-wise work, counts as avoidable, so
//! the limit is a little too fast rather than too slow.

use crate::machine::Work;
use crate::models::{HORIZON, INPUT};
use whimbrel_graph::ops::{Attention, Role, State};
use whimbrel_graph::{Graph, GraphError, Node, Op, Operation, Type, ValueId, passes};

/// Bytes of a number.
const NUMBER: f64 = 4.0;

/// A training step: a parameter is read going forward, and read and written with its two averages
/// by the update.
pub fn training(graph: &Graph, batch: usize) -> Result<Work, GraphError> {
    let (flops, parameters) = (products(graph)?, parameters(graph));
    let gathered = (batch * (INPUT + HORIZON)) as f64;
    Ok(Work {
        flops,
        bytes: NUMBER * (7.0 * parameters + gathered),
        footprint: NUMBER * (3.0 * parameters + gathered),
        reads: false,
    })
}

/// A forecast: every parameter is read once.
pub fn inference(graph: &Graph, batch: usize) -> Result<Work, GraphError> {
    let numbers = parameters(graph) + (batch * (INPUT + HORIZON)) as f64;
    let flops = products(graph)?;
    Ok(Work { flops, bytes: NUMBER * numbers, reads: true, ..Work::default() })
}

/// Numbers a graph trains.
pub fn parameters(graph: &Graph) -> f64 {
    let numel = |value: ValueId| match graph.op_of(value) {
        Op::State(State { role: Role::Parameter, ty, .. }) => ty.numel(),
        _ => 0,
    };
    graph.state().map(numel).sum::<usize>() as f64
}

/// Operations of all products that are left after the passes.
fn products(graph: &Graph) -> Result<f64, GraphError> {
    let graph = passes::run(graph, None)?;
    Ok(graph.nodes().iter().map(|node| products_of(&graph, node)).sum())
}

fn products_of(graph: &Graph, node: &Node) -> f64 {
    let (inputs, outputs) = (graph.types(&node.inputs), graph.types(&node.outputs));
    // Every step multiplies its state with the recurrent weight.
    let scan = |weight: Type, steps: Type| {
        let (time, batch) = (steps.shape[0], steps.shape[steps.shape.rank() - 1]);
        2.0 * (weight.numel() * time * batch) as f64
    };
    let attention = |of: &Attention, probs: Type| {
        let values = if of.shared_values { 1 } else { of.heads };
        let channels = inputs[0].shape[1] / of.heads + inputs[2].shape[1] / values;
        2.0 * (probs.numel() * channels) as f64
    };
    match &node.op {
        Op::Dot(_) | Op::Conv1d(_) | Op::Conv1dGradInput(_) | Op::Conv1dGradWeight(_) => {
            node.op.cost(&inputs, &outputs).flops
        }
        Op::Dense(dense) => dense.dot.cost(&inputs[..2], &outputs).flops,
        Op::Adam(adam) => adam.grad.map_or(0.0, |dot| dot.cost(&inputs[4..], &outputs[..1]).flops),
        Op::Lstm(_) | Op::Gru(_) | Op::Rnn(_) => scan(inputs[1], inputs[0]),
        Op::LstmGrad(_) | Op::GruGrad(_) | Op::RnnGrad(_) => scan(inputs[0], outputs[0]),
        Op::Attention(of) => attention(of, outputs[1]),
        // Each of the two products has two gradients.
        Op::AttentionGrad(of) => 2.0 * attention(&of.attention, inputs[3]),
        _ => 0.0,
    }
}
