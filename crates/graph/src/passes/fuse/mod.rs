//! Fuses chains of element-wise operations into one pass over memory.
//!
//! [`groups`] decides which nodes go together, [`write`] turns a group into the steps of one fused
//! node. Broadcasts and uniform constants dissolve into the groups that read them. Here the new
//! graph is written, each node or group after all it reads.

mod groups;
mod write;

use super::rebuild::Rebuild;
use crate::{Graph, NodeId, Op};
use groups::Groups;
use write::Readers;

/// The graph with element-wise chains fused.
pub fn fuse_elementwise(graph: &Graph) -> Graph {
    let groups = Groups::form(graph);
    let readers = Readers::of(graph);
    let dissolved = dissolved(graph, &groups, &readers);
    let done = vec![false; graph.nodes().len()];
    let rebuild = Rebuild::new(graph);
    let mut emitter = Emitter { graph, readers, groups, dissolved, done, rebuild };
    for id in graph.node_ids() {
        emitter.emit(id);
    }
    emitter.rebuild.finish()
}

/// Nodes that make a value.
fn producers(graph: &Graph, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    graph.node(id).inputs.iter().map(|&value| graph.value(value).producer)
}

/// Which nodes are broadcasts or uniform constants that only groups and such nodes read.
fn dissolved(graph: &Graph, groups: &Groups, readers: &Readers) -> Vec<bool> {
    let mut dissolved = vec![false; graph.nodes().len()];
    // From last to first: readers are decided before what they read.
    for id in graph.node_ids().collect::<Vec<_>>().into_iter().rev() {
        let node = graph.node(id);
        let kind = match &node.op {
            Op::Broadcast(_) => true,
            Op::Constant(constant) => constant.uniform().is_some(),
            _ => false,
        };
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
                let outside = producers(self.graph, member).filter(|p| !inside(p));
                stack.extend(outside.filter(|p| !self.done[p.index()]));
            }
            if stack.len() > waiting {
                continue;
            }
            stack.pop();
            for member in members {
                self.done[member.index()] = true;
            }
            match group {
                Some(_) => write::write(self.graph, &mut self.rebuild, members, &self.readers),
                None if self.dissolved[next.index()] => {}
                None => self.rebuild.copy(self.graph.node(next)),
            }
        }
    }
}
