//! Fuses chains of element-wise operations into one pass over memory.
//!
//! [`groups`] decides which nodes go together, [`write`] turns a group into the steps of one fused
//! node. Broadcasts, uniform constants and what [`sink`] names dissolve into the groups that read
//! them. Here the new
//! graph is written, each node or group after all it reads.

mod groups;
mod sink;
mod write;

use super::rebuild::Rebuild;
use crate::{Graph, NodeId, Op};
use groups::Groups;
use write::{Readers, Writing};

/// The graph with element-wise chains fused.
pub fn fuse_elementwise(graph: &Graph) -> Graph {
    let readers = Readers::of(graph);
    let sunk = sink::sinking(graph, &readers);
    let groups = Groups::form(graph, &sunk);
    let dissolved = dissolved(graph, &groups, &readers, &sunk);
    let (done, rebuild) = (sunk.clone(), Rebuild::new(graph));
    let mut emitter = Emitter { graph, readers, groups, sunk, dissolved, done, rebuild };
    for id in graph.node_ids() {
        emitter.emit(id);
    }
    emitter.rebuild.finish()
}

/// Nodes that make a value.
fn producers(graph: &Graph, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    graph.node(id).inputs.iter().map(|&value| graph.value(value).producer)
}

/// The nodes a node reads once those that sink have dissolved into it.
fn reads(graph: &Graph, sunk: &[bool], id: NodeId) -> Vec<NodeId> {
    let (mut reads, mut open) = (Vec::new(), vec![id]);
    while let Some(next) = open.pop() {
        for producer in producers(graph, next) {
            if sunk[producer.index()] { open.push(producer) } else { reads.push(producer) }
        }
    }
    reads
}

/// Which nodes are broadcasts or uniform constants that only groups and such nodes read, or which
/// have sunk.
fn dissolved(graph: &Graph, groups: &Groups, readers: &Readers, sunk: &[bool]) -> Vec<bool> {
    let mut dissolved = sunk.to_vec();
    // From last to first: readers are decided before what they read.
    for id in graph.node_ids().collect::<Vec<_>>().into_iter().rev() {
        let node = graph.node(id);
        let kind = match &node.op {
            Op::Broadcast(_) => true,
            Op::Constant(constant) => constant.uniform().is_some(),
            _ => false,
        };
        if sunk[id.index()] {
            continue;
        }
        let nodes = readers.nodes(node.outputs[0]);
        let absorbed = |user: &NodeId| groups.of(*user).is_some() || dissolved[user.index()];
        dissolved[id.index()] = kind
            && !readers.is_result(node.outputs[0])
            && !nodes.is_empty()
            && nodes.iter().all(absorbed);
    }
    dissolved
}

/// Writes the new graph on demand: a node or group after all it reads.
struct Emitter<'a> {
    graph: &'a Graph,
    readers: Readers,
    groups: Groups,
    sunk: Vec<bool>,
    dissolved: Vec<bool>,
    done: Vec<bool>,
    rebuild: Rebuild<'a>,
}

impl Emitter<'_> {
    fn emit(&mut self, id: NodeId) {
        // An explicit stack: chains of recurrent graphs are deeper than the call stack likes.
        let mut stack = vec![id];
        while let Some(&next) = stack.last() {
            if self.done[next.index()] {
                stack.pop();
                continue;
            }
            let group = self.groups.of(next);
            let members = match group {
                Some(group) => self.groups.members(group),
                None => std::slice::from_ref(&next),
            };
            let waiting = stack.len();
            for &member in members {
                let inside = |p: &NodeId| group.is_some() && self.groups.of(*p) == group;
                let read = reads(self.graph, &self.sunk, member).into_iter();
                stack.extend(read.filter(|p| !inside(p) && !self.done[p.index()]));
            }
            if stack.len() > waiting {
                continue;
            }
            stack.pop();
            for member in members {
                self.done[member.index()] = true;
            }
            match group {
                Some(_) => {
                    let writing =
                        Writing { graph: self.graph, readers: &self.readers, sunk: &self.sunk };
                    writing.write(&mut self.rebuild, members);
                }
                None if self.dissolved[next.index()] => {}
                None => self.rebuild.copy(self.graph.node(next)),
            }
        }
    }
}
