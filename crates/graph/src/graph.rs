//! The graph itself: nodes in an order in which they can run, and the values between them.
//!
//! Invariant, checked by [`Graph::verify`]: a node's inputs are produced by earlier nodes, every
//! value is the output of exactly one node and has the type its operation infers.

use crate::{Op, Type};
use std::fmt;
use std::panic::Location;

/// A value of one graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

/// A node of one graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl ValueId {
    /// Position among the values.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl NodeId {
    /// Position among the nodes.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for ValueId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

/// A value: its type, where it comes from, how its author calls it.
#[derive(Clone, Debug)]
pub struct Value {
    /// Element type and shape.
    pub ty: Type,
    /// The node that makes it.
    pub producer: NodeId,
    /// Given name; inputs and state always have one.
    pub name: Option<String>,
    /// The line that made it.
    pub at: &'static Location<'static>,
}

/// An application of an operation.
#[derive(Clone, Debug)]
pub struct Node {
    /// The operation with its parameters.
    pub op: Op,
    /// Operands.
    pub inputs: Vec<ValueId>,
    /// Results.
    pub outputs: Vec<ValueId>,
    /// Stable identity, kept by passes; keys random numbers.
    pub id: u64,
}

/// After a run, state `state` holds what `value` was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// The output of a state node.
    pub state: ValueId,
    /// Its next content, of the same type.
    pub value: ValueId,
}

/// A named result of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The name readers ask for.
    pub name: String,
    /// The value.
    pub value: ValueId,
}

/// Operations with static shapes, from inputs and state to outputs and updated state.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) values: Vec<Value>,
    pub(crate) outputs: Vec<Output>,
    pub(crate) updates: Vec<Update>,
    pub(crate) next_id: u64,
}

impl Graph {
    /// All nodes, in an order in which they can run.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Ids of all nodes.
    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// One node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// All values; those no longer produced by a node are left over from passes.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// One value.
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }

    /// The type of a value.
    pub fn ty(&self, id: ValueId) -> Type {
        self.values[id.index()].ty
    }

    /// The types of several values.
    pub fn types(&self, ids: &[ValueId]) -> Vec<Type> {
        ids.iter().map(|&id| self.ty(id)).collect()
    }

    /// The operation that makes a value.
    pub fn op_of(&self, id: ValueId) -> &Op {
        &self.node(self.value(id).producer).op
    }

    /// The number that all elements of a value are, if that is known: a uniform constant, repeated
    /// or reshaped.
    pub fn uniform(&self, id: ValueId) -> Option<f32> {
        let mut node = self.node(self.value(id).producer);
        while let Op::Broadcast(_) | Op::Reshape(_) = node.op {
            node = self.node(self.value(node.inputs[0]).producer);
        }
        match &node.op {
            Op::Constant(constant) => constant.uniform(),
            _ => None,
        }
    }

    /// How messages call a value: its name, or `%12`.
    pub fn label(&self, id: ValueId) -> String {
        self.value(id).name.clone().unwrap_or_else(|| format!("{id:?}"))
    }

    /// The named results.
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// What becomes of the state after a run.
    pub fn updates(&self) -> &[Update] {
        &self.updates
    }

    /// The value called `name` among the outputs.
    pub fn output(&self, name: &str) -> Option<ValueId> {
        self.outputs.iter().find(|o| o.name == name).map(|o| o.value)
    }

    /// Values of all [`Op::Input`] nodes, in the order of their declaration.
    pub fn inputs(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.leaves(|op| matches!(op, Op::Input(_)))
    }

    /// Values of all [`Op::State`] nodes, in the order of their declaration.
    pub fn state(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.leaves(|op| matches!(op, Op::State(_)))
    }

    fn leaves(&self, keep: impl Fn(&Op) -> bool + 'static) -> impl Iterator<Item = ValueId> + '_ {
        self.nodes.iter().filter(move |n| keep(&n.op)).map(|n| n.outputs[0])
    }

    /// How often each value is read: by nodes, outputs and updates.
    pub fn use_counts(&self) -> Vec<u32> {
        let mut uses = vec![0; self.values.len()];
        for value in self.nodes.iter().flat_map(|n| &n.inputs) {
            uses[value.index()] += 1;
        }
        for output in &self.outputs {
            uses[output.value.index()] += 1;
        }
        for update in &self.updates {
            uses[update.value.index()] += 1;
        }
        uses
    }

    /// The nodes that read each value.
    pub fn users(&self) -> Vec<Vec<NodeId>> {
        let mut users = vec![Vec::new(); self.values.len()];
        for id in self.node_ids() {
            for input in &self.node(id).inputs {
                users[input.index()].push(id);
            }
        }
        users
    }

    /// Appends a node whose types are known to fit.
    pub(crate) fn push(
        &mut self,
        op: Op,
        inputs: Vec<ValueId>,
        types: Vec<Type>,
        at: &'static Location<'static>,
    ) -> Vec<ValueId> {
        let producer = NodeId(self.nodes.len() as u32);
        let first = self.values.len() as u32;
        let outputs: Vec<_> = (0..types.len() as u32).map(|i| ValueId(first + i)).collect();
        self.values.extend(types.into_iter().map(|ty| Value { ty, producer, name: None, at }));
        let id = self.next_id;
        self.next_id += 1;
        self.nodes.push(Node { op, inputs, outputs: outputs.clone(), id });
        outputs
    }
}
