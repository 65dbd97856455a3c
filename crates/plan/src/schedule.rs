//! The order nodes run in, chosen for a low peak of bytes alive at once.
//!
//! Several orders are made and the lowest kept: the order the graph was written in, and a greedy
//! one that always runs the ready node which frees most. A state's update runs after every other
//! reader of the state, so that it can happen in place; unless such a reader needs the update.

use whimbrel_graph::{Graph, NodeId, Op, ValueId};

/// An order of the nodes and the peak of bytes alive in it.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The nodes in the order they run.
    pub order: Vec<NodeId>,
    /// Largest sum of bytes of values alive at once, inputs and state not counted.
    pub peak_bytes: usize,
}

/// The best order found; `bytes` is what each value occupies.
pub fn schedule(graph: &Graph, bytes: &dyn Fn(ValueId) -> usize) -> Schedule {
    let links = Links::of(graph, bytes);
    let candidates =
        [links.greedy(graph, |_| 0), links.greedy(graph, |links| links), links.written(graph)];
    let mut best: Option<Schedule> = None;
    for order in candidates {
        let peak_bytes = links.peak(graph, &order);
        if best.as_ref().is_none_or(|b| peak_bytes < b.peak_bytes) {
            best = Some(Schedule { order, peak_bytes });
        }
    }
    best.unwrap_or(Schedule { order: Vec::new(), peak_bytes: 0 })
}

/// Nodes that read a value where it lies: directly, or through what may be a view of it.
pub fn readers(graph: &Graph, users: &[Vec<NodeId>], value: ValueId) -> Vec<NodeId> {
    let mut found = users[value.index()].clone();
    let mut next = 0;
    while let Some(&id) = found.get(next) {
        let node = graph.node(id);
        if let Op::Reshape(_) | Op::StopGradient(_) | Op::Slice(_) = node.op {
            found.extend(&users[node.outputs[0].index()]);
        }
        next += 1;
    }
    found
}

/// Who waits for whom, and what each value weighs.
struct Links {
    /// Nodes that must run before each node.
    before: Vec<Vec<NodeId>>,
    after: Vec<Vec<NodeId>>,
    uses: Vec<u32>,
    bytes: Vec<usize>,
}

impl Links {
    fn of(graph: &Graph, bytes: &dyn Fn(ValueId) -> usize) -> Links {
        let count = graph.nodes().len();
        let mut links = Links {
            before: vec![Vec::new(); count],
            after: vec![Vec::new(); count],
            uses: graph.use_counts(),
            bytes: vec![0; graph.values().len()],
        };
        for id in graph.node_ids() {
            for &input in &graph.node(id).inputs {
                links.link(graph.value(input).producer, id);
            }
            if !matches!(graph.node(id).op, Op::Input(_) | Op::State(_) | Op::Constant(_)) {
                for &output in &graph.node(id).outputs {
                    links.bytes[output.index()] = bytes(output);
                }
            }
        }
        let users = graph.users();
        for update in graph.updates() {
            let writer = graph.value(update.value).producer;
            links.bytes[update.value.index()] = 0;
            for reader in readers(graph, &users, update.state) {
                if !links.leads(writer, reader) {
                    links.link(reader, writer);
                }
            }
        }
        links
    }

    /// Whether `then` is `first`, or has to wait for it.
    fn leads(&self, first: NodeId, then: NodeId) -> bool {
        let mut seen = vec![false; self.after.len()];
        let mut stack = vec![first];
        while let Some(id) = stack.pop() {
            if id == then {
                return true;
            }
            if !std::mem::replace(&mut seen[id.index()], true) {
                stack.extend(&self.after[id.index()]);
            }
        }
        false
    }

    fn link(&mut self, first: NodeId, then: NodeId) {
        if !self.before[then.index()].contains(&first) {
            self.before[then.index()].push(first);
            self.after[first.index()].push(then);
        }
    }

    /// Always the ready node that leaves the fewest bytes alive; ties go to the earliest written,
    /// or, with `urgency`, to the node most others wait for.
    fn greedy(&self, graph: &Graph, urgency: impl Fn(usize) -> usize) -> Vec<NodeId> {
        let mut waiting: Vec<usize> = self.before.iter().map(Vec::len).collect();
        let mut left = self.uses.clone();
        let mut ready: Vec<NodeId> =
            graph.node_ids().filter(|id| waiting[id.index()] == 0).collect();
        let mut order = Vec::with_capacity(graph.nodes().len());
        while !ready.is_empty() {
            let growth = |id: &NodeId| {
                let node = graph.node(*id);
                let made: usize = node.outputs.iter().map(|o| self.bytes[o.index()]).sum();
                let mut inputs = node.inputs.clone();
                inputs.sort_unstable();
                let runs = inputs.chunk_by(|a, b| a == b);
                let freed: usize = runs
                    .filter(|run| left[run[0].index()] as usize == run.len())
                    .map(|run| self.bytes[run[0].index()])
                    .sum();
                let waiters = self.after[id.index()].len();
                (made as i64 - freed as i64, usize::MAX - urgency(waiters), id.0)
            };
            let best = ready.iter().enumerate().min_by_key(|(_, id)| growth(id)).map_or(0, |b| b.0);
            let id = ready.swap_remove(best);
            for &input in &graph.node(id).inputs {
                left[input.index()] -= 1;
            }
            for &next in &self.after[id.index()] {
                waiting[next.index()] -= 1;
                if waiting[next.index()] == 0 {
                    ready.push(next);
                }
            }
            order.push(id);
        }
        order
    }

    /// The order the graph was written in, each update moved behind the last reader of its state.
    fn written(&self, graph: &Graph) -> Vec<NodeId> {
        let mut order = Vec::with_capacity(graph.nodes().len());
        let mut done = vec![false; graph.nodes().len()];
        for id in graph.node_ids() {
            let mut stack = vec![id];
            while let Some(&next) = stack.last() {
                let waiting = self.before[next.index()].iter().find(|b| !done[b.index()]);
                match waiting {
                    Some(&first) => stack.push(first),
                    None => {
                        stack.pop();
                        if !std::mem::replace(&mut done[next.index()], true) {
                            order.push(next);
                        }
                    }
                }
            }
        }
        order
    }

    fn peak(&self, graph: &Graph, order: &[NodeId]) -> usize {
        let mut left = self.uses.clone();
        let (mut alive, mut peak) = (0, 0);
        for &id in order {
            let node = graph.node(id);
            alive += node.outputs.iter().map(|o| self.bytes[o.index()]).sum::<usize>();
            peak = peak.max(alive);
            for input in &node.inputs {
                left[input.index()] -= 1;
                if left[input.index()] == 0 {
                    alive -= self.bytes[input.index()];
                }
            }
            for output in node.outputs.iter().filter(|o| left[o.index()] == 0) {
                alive -= self.bytes[output.index()];
            }
        }
        peak
    }
}
