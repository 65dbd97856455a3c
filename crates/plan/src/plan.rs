//! The plan of one graph: an order of its nodes and a place in memory for every value.
//!
//! State and constants live in a region of their own that outlasts runs; everything else shares
//! the working region by lifetime. Views of a value (reshape, contiguous slices) share its place;
//! results of operations that can work in place take over the place of an operand that dies.

use crate::lanes::Lanes;
use crate::schedule::{readers, schedule};
use crate::usage::classes;
use crate::{Buffer, Class, Lifetime, Overlap, Usage, place, validate};
use whimbrel_graph::{Graph, Node, NodeId, Op, ValueId};

/// What the back end says of storage.
pub trait Storage {
    /// Words (4 bytes) a value occupies, all blocks together.
    fn words(&self, value: ValueId) -> usize;
    /// Pairs (operand, result) of a node that may share a place when the operand dies there.
    fn in_place(&self, node: &Node) -> Vec<(usize, usize)>;
    /// Words of scratch memory a node needs while it runs.
    fn scratch(&self, node: &Node) -> usize;
}

/// Which memory a place is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Outlasts runs: state and constants. The offset is given by the session.
    State,
    /// Shared by lifetime within a run.
    Work,
}

/// Where a value is: one span of words for each block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which memory.
    pub region: Region,
    /// The value whose storage this is: itself, or the one it is a view of.
    pub root: ValueId,
    /// Words from the start of the root's storage (state) or of the region (work).
    pub offset: usize,
    /// Words of one block.
    pub len: usize,
    /// Words from one block to the next.
    pub stride: usize,
}

/// An order and places for all values of a graph.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Nodes in the order they run; leaves and views are left out.
    pub order: Vec<NodeId>,
    /// Words of the working region.
    pub words: usize,
    /// Bytes by class.
    pub usage: Usage,
    /// All memory the graph uses, by value; values that take over a place come after one another.
    pub buffers: Vec<Buffer>,
    /// How the batch is cut.
    pub lanes: Lanes,
    places: Vec<Option<Place>>,
    scratch: Vec<Option<Place>>,
}

impl Plan {
    /// Where a value is; `None` for values that are never made.
    pub fn place(&self, value: ValueId) -> Option<Place> {
        self.places.get(value.index()).copied().flatten()
    }

    /// The scratch memory of a node, if it asked for some.
    pub fn scratch(&self, node: NodeId) -> Option<Place> {
        self.scratch.get(node.index()).copied().flatten()
    }

    /// Plans `graph`.
    pub fn new(graph: &Graph, lanes: Lanes, storage: &dyn Storage) -> Result<Plan, Overlap> {
        let order = schedule(graph, &|v| 4 * storage.words(v)).order;
        let buffers = Buffers::of(graph, &lanes, storage, &order);
        let placement = place(&buffers.lifetimes);
        validate(&buffers.lifetimes, &placement)?;
        let places = graph
            .values()
            .iter()
            .enumerate()
            .map(|(i, _)| {
                let value = ValueId(i as u32);
                let home = buffers.homes[i]?;
                let region = if home.buffer.is_some() { Region::Work } else { Region::State };
                let base = home.buffer.map_or(0, |b| placement.offsets[b] / 4);
                let blocks = lanes.blocks_of(value);
                let len = home.words / blocks;
                let stride = storage.words(home.root) / lanes.blocks_of(home.root);
                Some(Place { region, root: home.root, offset: base + home.offset, len, stride })
            })
            .collect();
        let scratch = graph.node_ids().map(|id| {
            let buffer = buffers.scratch[id.index()]?;
            let len = storage.scratch(graph.node(id));
            let offset = placement.offsets[buffer] / 4;
            Some(Place { region: Region::Work, root: ValueId(u32::MAX), offset, len, stride: 0 })
        });
        let described = buffers.describe(graph, &lanes, storage, &order, &placement.offsets);
        Ok(Plan {
            order: order.into_iter().filter(|id| runs(graph, &lanes, graph.node(*id))).collect(),
            words: placement.total / 4,
            usage: Usage::of(&described, placement.total, placement.lower_bound),
            buffers: described,
            places,
            scratch: scratch.collect(),
            lanes,
        })
    }
}

/// Whether a node does anything; leaves and views do not.
fn runs(graph: &Graph, lanes: &Lanes, node: &Node) -> bool {
    !is_leaf(node) && view_of(graph, lanes, node).is_none()
}

fn is_leaf(node: &Node) -> bool {
    matches!(node.op, Op::Input(_) | Op::State(_) | Op::Constant(_))
}

/// For a node whose result is a view of its operand: the offset in words into each block.
pub fn view_of(graph: &Graph, lanes: &Lanes, node: &Node) -> Option<usize> {
    match &node.op {
        Op::Reshape(_) | Op::StopGradient(_) => Some(0),
        Op::Slice(slice) => {
            let shape = graph.ty(node.inputs[0]).shape;
            let outer: usize = shape[..slice.axis].iter().product();
            let inner: usize = shape[slice.axis + 1..].iter().product();
            // Blocks of a part would lie further apart than they are long, which sums over all
            // blocks cannot step through.
            let whole = lanes.blocks_of(node.inputs[0]) == 1;
            (outer == 1 && whole).then(|| slice.start * inner)
        }
        _ => None,
    }
}

/// Where a value lives before offsets are known.
#[derive(Clone, Copy)]
struct Home {
    /// Buffer of the working region; none for state and constants.
    buffer: Option<usize>,
    root: ValueId,
    offset: usize,
    words: usize,
}

/// The buffers of the working region with their lifetimes.
struct Buffers {
    homes: Vec<Option<Home>>,
    scratch: Vec<Option<usize>>,
    lifetimes: Vec<Lifetime>,
    /// For each value, the last position that reads it.
    last_use: Vec<u32>,
}

impl Buffers {
    fn of(graph: &Graph, lanes: &Lanes, storage: &dyn Storage, order: &[NodeId]) -> Buffers {
        let end = order.len() as u32;
        let mut buffers = Buffers {
            homes: vec![None; graph.values().len()],
            scratch: vec![None; graph.nodes().len()],
            lifetimes: Vec::new(),
            last_use: last_uses(graph, lanes, order),
        };
        let updated = updated_in_place(graph, storage, order);
        for (at, &id) in order.iter().enumerate() {
            let (at, node) = (at as u32, graph.node(id));
            match &node.op {
                Op::Input(_) => buffers.new_home(storage, node.outputs[0], 0, end),
                Op::State(_) | Op::Constant(_) => {
                    let root = node.outputs[0];
                    let words = storage.words(root);
                    buffers.homes[root.index()] =
                        Some(Home { buffer: None, root, offset: 0, words });
                }
                _ => match (view_of(graph, lanes, node), buffers.homes_of(node)) {
                    (Some(skip), Some(home)) => {
                        let view = node.outputs[0];
                        let (offset, words) = (home.offset + skip, storage.words(view));
                        buffers.homes[view.index()] = Some(Home { offset, words, ..home });
                    }
                    _ => buffers.make(storage, node, at, &updated),
                },
            }
            let words = storage.scratch(node);
            if words > 0 {
                buffers.scratch[id.index()] = Some(buffers.lifetimes.len());
                buffers.lifetimes.push(Lifetime { bytes: 4 * words, first: at, last: at });
            }
        }
        buffers
    }

    fn homes_of(&self, node: &Node) -> Option<Home> {
        self.homes[node.inputs.first()?.index()]
    }

    fn new_home(&mut self, storage: &dyn Storage, value: ValueId, first: u32, last: u32) {
        let words = storage.words(value);
        let buffer = Some(self.lifetimes.len());
        self.lifetimes.push(Lifetime { bytes: 4 * words, first, last });
        self.homes[value.index()] = Some(Home { buffer, root: value, offset: 0, words });
    }

    /// Gives the results of a node their homes: the state they update, the place of an operand
    /// that dies here, or a new buffer.
    fn make(&mut self, storage: &dyn Storage, node: &Node, at: u32, updated: &[Option<ValueId>]) {
        let pairs = storage.in_place(node);
        for (i, &output) in node.outputs.iter().enumerate() {
            let last = self.last_use[output.index()].max(at);
            let state = updated[output.index()];
            if let Some(state) = state.filter(|&state| self.is_read_once(node, state)) {
                self.homes[output.index()] = self.homes[state.index()];
                continue;
            }
            let taken = pairs.iter().filter(|pair| pair.1 == i).find_map(|&(operand, _)| {
                let operand = node.inputs[operand];
                let home = self.homes[operand.index()]?;
                let buffer = home.buffer?;
                let whole = home.offset == 0 && home.words == storage.words(home.root);
                let dies = self.lifetimes[buffer].last == at;
                let fits = home.words == storage.words(output);
                let free = node.outputs[..i]
                    .iter()
                    .all(|o| self.homes[o.index()].is_none_or(|h| h.buffer != Some(buffer)));
                let alone = self.is_read_once(node, home.root);
                (whole && dies && fits && free && alone).then_some(home)
            });
            match taken {
                Some(home) => {
                    self.homes[output.index()] = Some(Home { root: output, ..home });
                    if let Some(buffer) = home.buffer {
                        self.lifetimes[buffer].last = last;
                    }
                }
                None => self.new_home(storage, output, at, last),
            }
        }
    }

    /// Whether only one operand of a node lies in the storage of `root`. A second one, a view or the
    /// same value again, would be read while a result is written over it.
    fn is_read_once(&self, node: &Node, root: ValueId) -> bool {
        let lies_there = |v: &&ValueId| self.homes[v.index()].is_some_and(|h| h.root == root);
        node.inputs.iter().filter(lies_there).count() == 1
    }

    /// All buffers with their names, classes and the steps that use them.
    fn describe(
        &self,
        graph: &Graph,
        lanes: &Lanes,
        storage: &dyn Storage,
        order: &[NodeId],
        offsets: &[usize],
    ) -> Vec<Buffer> {
        let classes = classes(graph, order, |v| Some(self.homes[v.index()]?.root));
        // Nodes that run up to each position of the order.
        let counts = order.iter().scan(0, |count, &id| {
            *count += usize::from(runs(graph, lanes, graph.node(id)));
            Some(*count)
        });
        let counts: Vec<usize> = counts.collect();
        let steps = counts.last().copied().unwrap_or(0);
        let step = |at: u32| counts.get(at as usize).map_or(steps, |&c| c).saturating_sub(1);
        let mut described = Vec::new();
        for (at, &id) in order.iter().enumerate() {
            let node = graph.node(id);
            let first = if is_leaf(node) { 0 } else { step(at as u32) };
            for &value in &node.outputs {
                let Some(home) = self.homes[value.index()].filter(|home| home.root == value) else {
                    continue;
                };
                let name = match &graph.value(value).name {
                    Some(name) => name.clone(),
                    None => format!("{value:?} of {}", node.op),
                };
                let (class, kept) = classes[value.index()];
                let outlasts = home.buffer.is_none() || matches!(node.op, Op::Input(_));
                described.push(Buffer {
                    value: Some(value),
                    name,
                    class,
                    kept,
                    offset: home.buffer.map_or(0, |buffer| offsets[buffer]),
                    bytes: 4 * storage.words(value),
                    first,
                    last: if outlasts {
                        step(u32::MAX)
                    } else {
                        step(self.last_use[value.index()]).max(first)
                    },
                });
            }
            if let Some(buffer) = self.scratch[id.index()] {
                described.push(Buffer {
                    value: None,
                    name: format!("scratch of {}", node.op),
                    class: Class::Scratch,
                    kept: false,
                    offset: offsets[buffer],
                    bytes: self.lifetimes[buffer].bytes,
                    first,
                    last: first,
                });
            }
        }
        described
    }
}

/// For each value, the last position at which it or a view of it is read; results of the graph are
/// read after the end.
fn last_uses(graph: &Graph, lanes: &Lanes, order: &[NodeId]) -> Vec<u32> {
    let end = order.len() as u32;
    let mut last = vec![0; graph.values().len()];
    for output in graph.outputs() {
        last[output.value.index()] = end;
    }
    for update in graph.updates() {
        last[update.value.index()] = end;
    }
    for (at, &id) in order.iter().enumerate().rev() {
        let node = graph.node(id);
        let until = match view_of(graph, lanes, node) {
            Some(_) => last[node.outputs[0].index()].max(at as u32),
            None => at as u32,
        };
        for input in &node.inputs {
            last[input.index()] = last[input.index()].max(until);
        }
    }
    last
}

/// For each value, the state it may overwrite as it is made: the update of a state by a node that
/// reads the state only where it can work in place, and after all others that read it.
fn updated_in_place(
    graph: &Graph,
    storage: &dyn Storage,
    order: &[NodeId],
) -> Vec<Option<ValueId>> {
    let users = graph.users();
    let mut position = vec![0; graph.nodes().len()];
    for (at, id) in order.iter().enumerate() {
        position[id.index()] = at;
    }
    let mut updated = vec![None; graph.values().len()];
    for update in graph.updates() {
        let writer = graph.value(update.value).producer;
        let node = graph.node(writer);
        if is_leaf(node) {
            continue;
        }
        let result = node.outputs.iter().position(|&o| o == update.value);
        let pairs = storage.in_place(node);
        let reads = node.inputs.iter().enumerate().filter(|(_, v)| **v == update.state);
        let in_place = reads.clone().count() <= 1
            && reads.clone().all(|(i, _)| result.is_some_and(|r| pairs.contains(&(i, r))));
        let is_output = graph.outputs().iter().any(|o| o.value == update.value);
        let is_last = readers(graph, &users, update.state)
            .iter()
            .all(|reader| position[reader.index()] <= position[writer.index()]);
        if in_place && reads.count() == 1 && !is_output && is_last {
            updated[update.value.index()] = Some(update.state);
        }
    }
    updated
}
