//! Rewriting by copying: a pass walks the old graph and writes the new one through [`Rebuild`].

use crate::graph::{Node, Output, Update, Value};
use crate::ops::{Broadcast, Constant};
use crate::{Graph, NodeId, Op, Type, ValueId};
use std::ops::Range;
use whimbrel_tensor::Shape;

/// The new graph so far, and where old values are in it.
pub struct Rebuild<'a> {
    old: &'a Graph,
    new: Graph,
    at: Vec<Option<ValueId>>,
    /// Results that are other values than the old ones.
    outputs: Vec<Option<ValueId>>,
    /// New values of states that are other values than the old ones.
    updates: Vec<Option<ValueId>>,
}

impl<'a> Rebuild<'a> {
    pub fn new(old: &'a Graph) -> Rebuild<'a> {
        let nodes = Vec::with_capacity(old.nodes.len());
        let values = Vec::with_capacity(old.values.len());
        let new = Graph { nodes, values, next_id: old.next_id, ..Graph::default() };
        let outputs = vec![None; old.outputs.len()];
        let updates = vec![None; old.updates.len()];
        Rebuild { old, new, at: vec![None; old.values.len()], outputs, updates }
    }

    /// Where an old value is; its producer must have been copied or replaced before.
    pub fn get(&self, old: ValueId) -> ValueId {
        self.at[old.index()].unwrap_or(ValueId(u32::MAX))
    }

    /// The new graph so far.
    pub fn graph(&self) -> &Graph {
        &self.new
    }

    /// Copies a node as it is, over the new places of its operands.
    pub fn copy(&mut self, node: &Node) {
        let inputs = node.inputs.iter().map(|&i| self.get(i)).collect();
        let old = self.old;
        let types = node.outputs.iter().map(|&id| old.ty(id));
        let made = self.write(node.op.clone(), inputs, types, node, node.id);
        for (&old, new) in node.outputs.iter().zip(made) {
            self.replace(old, ValueId(new));
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
        self.write(op, inputs, types, origin, origin.id).map(ValueId).collect()
    }

    /// Adds a node with an identity of its own, and the source line of `origin`.
    pub fn add_new(
        &mut self,
        op: Op,
        inputs: Vec<ValueId>,
        types: Vec<Type>,
        origin: &Node,
    ) -> Vec<ValueId> {
        let id = self.new.next_id;
        self.new.next_id += 1;
        self.write(op, inputs, types, origin, id).map(ValueId).collect()
    }

    /// Adds a number that is the same all over `shape`: a constant and, if need be, a broadcast.
    pub fn uniform(&mut self, mut number: Constant, shape: Shape, origin: &Node) -> ValueId {
        if shape.numel() == 1 {
            number.shape = shape;
        }
        let ty = Type::f32(number.shape);
        let constant = self.add_new(Op::Constant(number), Vec::new(), vec![ty], origin)[0];
        if ty.shape == shape {
            return constant;
        }
        let op = Op::Broadcast(Broadcast { shape });
        self.add_new(op, vec![constant], vec![Type::f32(shape)], origin)[0]
    }

    /// Adds a node. Gives the places of its results, which follow one another.
    fn write(
        &mut self,
        op: Op,
        inputs: Vec<ValueId>,
        types: impl IntoIterator<Item = Type>,
        origin: &Node,
        id: u64,
    ) -> Range<u32> {
        let producer = NodeId(self.new.nodes.len() as u32);
        let at = self.old.value(origin.outputs[0]).at;
        let first = self.new.values.len() as u32;
        let made = types.into_iter().map(|ty| Value { ty, producer, name: None, at });
        self.new.values.extend(made);
        let made = first..self.new.values.len() as u32;
        self.new.nodes.push(Node { op, inputs, outputs: made.clone().map(ValueId).collect(), id });
        made
    }

    /// Lets readers of `old` read `new`.
    pub fn replace(&mut self, old: ValueId, new: ValueId) {
        self.at[old.index()] = Some(new);
        if let Some(name) = &self.old.value(old).name {
            self.new.values[new.index()].name.get_or_insert_with(|| name.clone());
        }
    }

    /// Lets result number `i` be the new value `value`.
    pub fn output(&mut self, i: usize, value: ValueId) {
        self.outputs[i] = Some(value);
    }

    /// Lets update number `i` be to the new value `value`.
    pub fn update(&mut self, i: usize, value: ValueId) {
        self.updates[i] = Some(value);
    }

    /// The new graph with the old one's results.
    pub fn finish(mut self) -> Graph {
        let outputs = self.old.outputs.iter().zip(&self.outputs);
        self.new.outputs = outputs
            .map(|(o, other)| Output {
                name: o.name.clone(),
                value: other.unwrap_or_else(|| self.get(o.value)),
            })
            .collect();
        let updates = self.old.updates.iter().zip(&self.updates);
        self.new.updates = updates
            .map(|(u, other)| Update {
                state: self.get(u.state),
                value: other.unwrap_or_else(|| self.get(u.value)),
            })
            .collect();
        self.new
    }
}
