//! Removes nodes no result depends on. Inputs and state stay: they are the graph's interface.

use super::rebuild::Rebuild;
use crate::{Graph, Op};

/// The graph without nodes that nothing needs.
pub fn remove_dead_code(graph: &Graph) -> Graph {
    let mut live = vec![false; graph.values().len()];
    let results = graph.outputs().iter().map(|o| o.value);
    for value in results.chain(graph.updates().iter().map(|u| u.value)) {
        live[value.index()] = true;
    }
    for node in graph.nodes().iter().rev() {
        if node.outputs.iter().any(|o| live[o.index()]) {
            for input in &node.inputs {
                live[input.index()] = true;
            }
        }
    }
    let mut rebuild = Rebuild::new(graph);
    for node in graph.nodes() {
        let interface = matches!(node.op, Op::Input(_) | Op::State(_));
        if interface || node.outputs.iter().any(|o| live[o.index()]) {
            rebuild.copy(node);
        }
    }
    rebuild.finish()
}
