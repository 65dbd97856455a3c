//! Fuses chains of element-wise operations into one pass over memory.
//!
//! Groups grow along the order of the nodes. A node joins the group of an operand when both have
//! one shape and it does not depend on the group through a node outside it. Broadcasts and uniform constants dissolve into the groups that read them.

use super::rebuild::Rebuild;
use crate::ops::{Constant, Expr, Fused};
use crate::{Graph, Node, NodeId, Op, ValueId};
use std::collections::HashMap;
use whimbrel_tensor::Shape;

/// Steps beyond this no longer fit the block registers of one program.
const MAX_STEPS: usize = 24;

/// The graph with element-wise chains fused.
pub fn fuse_elementwise(graph: &Graph) -> Graph {
    let users = graph.users();
    let groups = Groups::form(graph);
    let dissolved = graph.node_ids().map(|id| dissolves(graph, &groups, &users, id)).collect();
    let mut emitter = Emitter {
        graph,
        users: &users,
        done: vec![false; graph.nodes().len()],
        groups,
        dissolved,
        rebuild: Rebuild::new(graph),
    };
    for id in graph.node_ids() {
        emitter.emit(id);
    }
    emitter.rebuild.finish()
}

/// Which group each node belongs to, and the members of each group in order.
struct Groups {
    of: Vec<Option<usize>>,
    members: Vec<Vec<NodeId>>,
}

impl Groups {
    fn form(graph: &Graph) -> Groups {
        let mut groups = Groups { of: vec![None; graph.nodes().len()], members: Vec::new() };
        for id in graph.node_ids() {
            let Some(shape) = elementwise_shape(graph, graph.node(id)) else { continue };
            let mut candidates: Vec<usize> =
                producers(graph, id).filter_map(|p| groups.of[p.index()]).collect();
            candidates.sort_unstable();
            let fits = |&group: &usize| {
                let members = &groups.members[group];
                elementwise_shape(graph, graph.node(members[0])) == Some(shape)
                    && members.len() < MAX_STEPS
                    && !groups.reached_around(graph, group, id)
            };
            // Joining the latest group keeps values alive for the shortest time.
            let group = candidates.iter().rev().copied().find(fits).unwrap_or_else(|| {
                groups.members.push(Vec::new());
                groups.members.len() - 1
            });
            groups.of[id.index()] = Some(group);
            groups.members[group].push(id);
        }
        groups
    }

    /// Whether `id` depends on `group` through a node outside it; joining would close a circle.
    fn reached_around(&self, graph: &Graph, group: usize, id: NodeId) -> bool {
        let outside = |p: &NodeId| self.of[p.index()] != Some(group);
        let mut stack: Vec<NodeId> = producers(graph, id).filter(outside).collect();
        let mut seen = vec![false; id.index()];
        while let Some(next) = stack.pop() {
            let together = match self.of[next.index()] {
                Some(other) => &self.members[other][..],
                None => std::slice::from_ref(&next),
            };
            for member in together {
                if std::mem::replace(&mut seen[member.index()], true) {
                    continue;
                }
                for producer in producers(graph, *member) {
                    if !outside(&producer) {
                        return true;
                    }
                    stack.push(producer);
                }
            }
        }
        false
    }
}

fn elementwise_shape(graph: &Graph, node: &Node) -> Option<Shape> {
    match node.op {
        Op::Unary(_) | Op::Binary(_) | Op::Select(_) => Some(graph.ty(node.outputs[0]).shape),
        _ => None,
    }
}

fn producers(graph: &Graph, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    graph.node(id).inputs.iter().map(|&value| graph.value(value).producer)
}

/// Writes the new graph on demand: a node or group after all it reads.
struct Emitter<'a> {
    graph: &'a Graph,
    users: &'a [Vec<NodeId>],
    groups: Groups,
    dissolved: Vec<bool>,
    done: Vec<bool>,
    rebuild: Rebuild<'a>,
}

impl Emitter<'_> {
    fn emit(&mut self, id: NodeId) {
        // An explicit stack: chains of recurrent graphs are deeper than the call stack likes.
        let mut stack = vec![id];
        while let Some(&next) = stack.last() {
            let group = self.groups.of[next.index()];
            let members = match group {
                Some(group) => self.groups.members[group].clone(),
                None => vec![next],
            };
            let waiting: Vec<NodeId> = members
                .iter()
                .flat_map(|&m| producers(self.graph, m))
                .filter(|p| !self.done[p.index()] && !members.contains(p))
                .collect();
            if !waiting.is_empty() {
                stack.extend(waiting);
                continue;
            }
            stack.pop();
            if !std::mem::replace(&mut self.done[next.index()], true) {
                for member in &members {
                    self.done[member.index()] = true;
                }
                match group {
                    Some(_) => emit(self.graph, &mut self.rebuild, &members, self.users),
                    None if self.dissolved[next.index()] => {}
                    None => self.rebuild.copy(self.graph.node(next)),
                }
            }
        }
    }
}

/// Whether a node is a broadcast or uniform constant read only by element-wise groups.
fn dissolves(graph: &Graph, groups: &Groups, users: &[Vec<NodeId>], id: NodeId) -> bool {
    let node = graph.node(id);
    let output = node.outputs[0];
    let kind = match &node.op {
        Op::Broadcast(_) => true,
        Op::Constant(constant) => constant.uniform().is_some(),
        _ => false,
    };
    let result = graph.outputs().iter().any(|o| o.value == output)
        || graph.updates().iter().any(|u| u.value == output);
    let absorbed =
        |user: &NodeId| groups.of[user.index()].is_some() || dissolves(graph, groups, users, *user);
    kind && !result
        && !users[output.index()].is_empty()
        && users[output.index()].iter().all(absorbed)
}

/// Writes one group as a fused node, or copies a group of one that fusion would not change.
fn emit(graph: &Graph, rebuild: &mut Rebuild, members: &[NodeId], users: &[Vec<NodeId>]) {
    let last = graph.node(members[members.len() - 1]);
    let mut writer = Writer { graph, steps: Vec::new(), inputs: Vec::new(), at: HashMap::new() };
    for id in members {
        let node = graph.node(*id);
        let operands: Vec<_> = node.inputs.iter().map(|&v| writer.operand(v)).collect();
        let step = match (&node.op, &operands[..]) {
            (Op::Unary(unary), &[a]) => Expr::Unary(unary.op, a),
            (Op::Binary(binary), &[a, b]) => Expr::Binary(binary.op, a, b),
            (_, &[m, a, b]) => Expr::Select(m, a, b),
            _ => continue,
        };
        writer.steps.push(step);
        writer.at.insert(node.outputs[0], writer.steps.len() - 1);
    }
    let escapes = |value: ValueId| {
        users[value.index()].iter().any(|user| !members.contains(user))
            || graph.outputs().iter().any(|o| o.value == value)
            || graph.updates().iter().any(|u| u.value == value)
    };
    let results: Vec<ValueId> =
        members.iter().map(|&m| graph.node(m).outputs[0]).filter(|&v| escapes(v)).collect();
    let fused = Fused {
        shape: graph.ty(last.outputs[0]).shape,
        steps: writer.steps,
        results: results.iter().map(|v| writer.at[v]).collect(),
    };
    let inputs = writer.inputs.iter().map(|&v| rebuild.get(v)).collect();
    let made = rebuild.add(Op::Fused(fused), inputs, graph.types(&results), last);
    for (&old, new) in results.iter().zip(made) {
        rebuild.replace(old, new);
    }
}

/// The steps of one group while they are written.
struct Writer<'a> {
    graph: &'a Graph,
    steps: Vec<Expr>,
    inputs: Vec<ValueId>,
    at: HashMap<ValueId, usize>,
}

impl Writer<'_> {
    /// The step that stands for an operand, looking through broadcasts to what they repeat.
    fn operand(&mut self, value: ValueId) -> usize {
        if let Some(&at) = self.at.get(&value) {
            return at;
        }
        let mut source = value;
        while let Op::Broadcast(_) = self.graph.op_of(source) {
            source = self.graph.node(self.graph.value(source).producer).inputs[0];
        }
        let step = match self.graph.op_of(source) {
            Op::Constant(constant @ Constant { .. }) if constant.uniform().is_some() => {
                Expr::Constant(constant.uniform().unwrap_or_default())
            }
            _ => {
                let known = self.inputs.iter().position(|&v| v == source);
                Expr::Input(known.unwrap_or_else(|| {
                    self.inputs.push(source);
                    self.inputs.len() - 1
                }))
            }
        };
        self.steps.push(step);
        self.at.insert(value, self.steps.len() - 1);
        self.steps.len() - 1
    }
}
