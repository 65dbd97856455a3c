//! Which element-wise nodes are fused together.
//!
//! Groups grow along the order of the nodes: a node joins the group of an operand of its shape.
//! Every node outside groups and every group has a level, and what is read has a lower level than
//! its reader. So no group depends on itself through a node outside it, and a node joins without a
//! search: it may if its other operands lie below the group, or if nothing outside has read the
//! group yet, which then can be lifted above them.

use super::reads;
use super::sink::is_elementwise;
use crate::{Graph, Node, NodeId};
use whimbrel_tensor::Shape;

/// Members a group may have; longer programs gain nothing over two.
const MAX_MEMBERS: usize = 24;

/// The groups of one graph.
pub struct Groups {
    of: Vec<Option<usize>>,
    groups: Vec<Group>,
}

struct Group {
    members: Vec<NodeId>,
    shape: Shape,
    level: u32,
    read_outside: bool,
}

impl Groups {
    /// Groups of all element-wise nodes but those that have sunk.
    pub fn form(graph: &Graph, sunk: &[bool]) -> Groups {
        let nodes = graph.nodes().len();
        let mut forming = Groups { of: vec![None; nodes], groups: Vec::new() };
        // Levels of the nodes outside groups.
        let mut levels = vec![0; nodes];
        for id in graph.node_ids() {
            if sunk[id.index()] {
                continue;
            }
            let read = reads(graph, sunk, id);
            let shape = elementwise_shape(graph, graph.node(id));
            let joined = shape.and_then(|shape| forming.fitting(&levels, &read, shape));
            let level = forming.level_above(&levels, &read, joined);
            match (joined, shape) {
                (Some(group), _) => {
                    let group = &mut forming.groups[group];
                    group.level = group.level.max(level);
                    group.members.push(id);
                    forming.of[id.index()] = joined;
                }
                (None, Some(shape)) => {
                    forming.of[id.index()] = Some(forming.groups.len());
                    let members = vec![id];
                    forming.groups.push(Group { members, shape, level, read_outside: false });
                }
                (None, None) => levels[id.index()] = level,
            }
            for producer in read {
                if let Some(group) = forming.of(producer)
                    && forming.of(id) != Some(group)
                {
                    forming.groups[group].read_outside = true;
                }
            }
        }
        forming
    }

    /// The group a node belongs to.
    pub fn of(&self, id: NodeId) -> Option<usize> {
        self.of[id.index()]
    }

    /// The nodes of a group, in an order in which they can run.
    pub fn members(&self, group: usize) -> &[NodeId] {
        &self.groups[group].members
    }

    /// The group that a node with these operands joins. The latest keeps values alive for the
    /// shortest time.
    fn fitting(&self, levels: &[u32], read: &[NodeId], shape: Shape) -> Option<usize> {
        let mut candidates: Vec<_> = read.iter().filter_map(|p| self.of(*p)).collect();
        candidates.sort_unstable();
        candidates.into_iter().rev().find(|&candidate| {
            let group = &self.groups[candidate];
            group.shape == shape
                && group.members.len() < MAX_MEMBERS
                && (!group.read_outside
                    || self.level_above(levels, read, Some(candidate)) <= group.level)
        })
    }

    /// The lowest level above all that is read, not counting `group`.
    fn level_above(&self, levels: &[u32], read: &[NodeId], group: Option<usize>) -> u32 {
        let level = |&producer: &NodeId| match self.of(producer) {
            Some(own) if Some(own) == group => 0,
            Some(other) => self.groups[other].level + 1,
            None => levels[producer.index()] + 1,
        };
        read.iter().map(level).max().unwrap_or(0)
    }
}

fn elementwise_shape(graph: &Graph, node: &Node) -> Option<Shape> {
    is_elementwise(&node.op).then(|| graph.ty(node.outputs[0]).shape)
}
