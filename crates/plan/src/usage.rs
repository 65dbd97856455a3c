//! What the bytes of a plan are for.
//!
//! The way to a graph's outputs is its forward pass; all else it does, it does for its updates, which
//! is the way back. A value of the way forward that the way back reads has to be kept meanwhile: these
//! values are the activations. Nothing is marked when a graph is written, so passes cannot get it wrong.

use whimbrel_graph::ops::Role;
use whimbrel_graph::{Graph, NodeId, Op, ValueId};

/// What a buffer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Trained values.
    Parameters,
    /// The optimiser's memory.
    Optimiser,
    /// Tables and constants.
    Tables,
    /// Inputs and outputs of a run.
    Interface,
    /// Values of the way forward that are kept for the way back.
    Activations,
    /// Values of the way back.
    Gradients,
    /// Values of the way forward that nobody needs later.
    Passing,
    /// Memory of a single instruction.
    Scratch,
}

impl Class {
    /// All classes: first those that outlast a run.
    pub const ALL: [Class; 8] = [
        Class::Parameters,
        Class::Optimiser,
        Class::Tables,
        Class::Interface,
        Class::Activations,
        Class::Gradients,
        Class::Passing,
        Class::Scratch,
    ];

    /// Its name for a reader.
    pub fn name(self) -> &'static str {
        match self {
            Class::Parameters => "parameters",
            Class::Optimiser => "optimiser",
            Class::Tables => "tables",
            Class::Interface => "inputs, outputs",
            Class::Activations => "activations",
            Class::Gradients => "gradients",
            Class::Passing => "passing",
            Class::Scratch => "scratch",
        }
    }

    /// Whether buffers of the class outlast a run.
    pub fn outlasts_runs(self) -> bool {
        matches!(self, Class::Parameters | Class::Optimiser | Class::Tables)
    }
}

/// A piece of memory and the time it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The value it holds; none for scratch memory.
    pub value: Option<ValueId>,
    /// How to call it.
    pub name: String,
    /// What it is for.
    pub class: Class,
    /// Whether it is kept for the way back: an activation, or a batch or a result that it reads.
    pub kept: bool,
    /// Where it starts, in bytes: from the start of the working region in a plan, of the arena in a
    /// report. Of state in a plan it is 0.
    pub offset: usize,
    /// Its length in bytes.
    pub bytes: usize,
    /// The first step that uses it: a position in the order of a plan, an instruction of a report.
    pub first: usize,
    /// The last step that uses it.
    pub last: usize,
}

/// Bytes by what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The working region.
    pub working: usize,
    /// Largest sum of bytes alive at once in the working region: no plan of this order is smaller.
    pub lower_bound: usize,
    /// What is kept for the way back: activations, and of inputs and outputs those it reads.
    pub kept: usize,
    classes: [usize; Class::ALL.len()],
}

impl Usage {
    /// Adds up buffers.
    pub(crate) fn of(buffers: &[Buffer], working: usize, lower_bound: usize) -> Usage {
        let mut classes = [0; Class::ALL.len()];
        for buffer in buffers {
            classes[buffer.class as usize] += buffer.bytes;
        }
        let kept = buffers.iter().filter(|buffer| buffer.kept).map(|buffer| buffer.bytes).sum();
        Usage { working, lower_bound, kept, classes }
    }

    /// The bytes of all buffers of a class, in full although most share the working region.
    pub fn bytes(&self, class: Class) -> usize {
        self.classes[class as usize]
    }
}

/// The class of each value, by its index, and whether it is kept for the way back; `root_of` gives the value whose storage another is part of.
pub(crate) fn classes(
    graph: &Graph,
    order: &[NodeId],
    root_of: impl Fn(ValueId) -> Option<ValueId>,
) -> Vec<(Class, bool)> {
    let mut forward = vec![false; graph.nodes().len()];
    let mut results = vec![false; graph.values().len()];
    for output in graph.outputs() {
        forward[graph.value(output.value).producer.index()] = true;
        results[root_of(output.value).unwrap_or(output.value).index()] = true;
    }
    for id in order.iter().rev() {
        if forward[id.index()] {
            for &input in &graph.node(*id).inputs {
                forward[graph.value(input).producer.index()] = true;
            }
        }
    }
    let mut kept = vec![false; graph.values().len()];
    for node in order.iter().filter(|id| !forward[id.index()]).map(|&id| graph.node(id)) {
        for root in node.inputs.iter().filter_map(|&input| root_of(input)) {
            kept[root.index()] = true;
        }
    }
    let mut classes = vec![(Class::Passing, false); graph.values().len()];
    for (node, forward) in graph.nodes().iter().zip(forward) {
        for output in &node.outputs {
            let kept = kept[output.index()];
            classes[output.index()] = match &node.op {
                Op::State(state) => match state.role {
                    Role::Parameter => (Class::Parameters, false),
                    Role::Optimiser => (Class::Optimiser, false),
                    Role::Table => (Class::Tables, false),
                },
                Op::Constant(_) => (Class::Tables, false),
                Op::Input(input) => (Class::Interface, kept && input.batch),
                _ if results[output.index()] => (Class::Interface, kept && forward),
                _ if !forward => (Class::Gradients, false),
                _ if kept => (Class::Activations, true),
                _ => (Class::Passing, false),
            };
        }
    }
    classes
}
