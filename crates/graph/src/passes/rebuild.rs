//! Rewriting by copying: a pass walks the old graph and writes the new one through [`Rebuild`].

use crate::graph::{Node, Output, Update, Value};
use crate::{Graph, NodeId, Op, Type, ValueId};

/// The new graph so far, and where old values are in it.
pub struct Rebuild<'a> {
    old: &'a Graph,
    new: Graph,
    at: Vec<Option<ValueId>>,
}

impl<'a> Rebuild<'a> {
    pub fn new(old: &'a Graph) -> Rebuild<'a> {
        let new = Graph { next_id: old.next_id, ..Graph::default() };
        Rebuild { old, new, at: vec![None; old.values.len()] }
    }

    /// Where an old value is; its producer must have been copied or replaced before.
    pub fn get(&self, old: ValueId) -> ValueId {
        self.at[old.index()].unwrap_or(ValueId(u32::MAX))
    }

    /// Copies a node as it is, over the new places of its operands.
    pub fn copy(&mut self, node: &Node) {
        let inputs = node.inputs.iter().map(|&i| self.get(i)).collect();
        let made = self.add(node.op.clone(), inputs, self.old.types(&node.outputs), node);
        for (&old, new) in node.outputs.iter().zip(made) {
            self.replace(old, new);
        }
    }

    /// Adds a node in place of `origin`, keeping its identity and source line.
    pub fn add(
        &mut self,
        op: Op,
        inputs: Vec<ValueId>,
        types: Vec<Type>,
        origin: &Node,
    ) -> Vec<ValueId> {
        let producer = NodeId(self.new.nodes.len() as u32);
        let at = self.old.value(origin.outputs[0]).at;
        let outputs: Vec<_> = types
            .into_iter()
            .map(|ty| {
                self.new.values.push(Value { ty, producer, name: None, at });
                ValueId(self.new.values.len() as u32 - 1)
            })
            .collect();
        self.new.nodes.push(Node { op, inputs, outputs: outputs.clone(), id: origin.id });
        outputs
    }

    /// Lets readers of `old` read `new`.
    pub fn replace(&mut self, old: ValueId, new: ValueId) {
        self.at[old.index()] = Some(new);
        if let Some(name) = &self.old.value(old).name {
            self.new.values[new.index()].name.get_or_insert_with(|| name.clone());
        }
    }

    /// The new graph with the old one's results.
    pub fn finish(mut self) -> Graph {
        let outputs = self.old.outputs.iter();
        self.new.outputs =
            outputs.map(|o| Output { name: o.name.clone(), value: self.get(o.value) }).collect();
        let updates = self.old.updates.iter();
        self.new.updates = updates
            .map(|u| Update { state: self.get(u.state), value: self.get(u.value) })
            .collect();
        self.new
    }
}
