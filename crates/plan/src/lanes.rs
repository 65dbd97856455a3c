//! Cutting the batch: which values are split into blocks of lanes.
//!
//! A graph whose batch items are independent can run block by block: a value of shape
//! `[.., batch]` is then stored as `[blocks][..][lanes]`, each block contiguous. The last axis may
//! also be a multiple of the batch, other axes merged with it from the outside. Values are linked
//! through the operations that carry the batch in their last axis; a set of linked values is split
//! when it reaches a batch input and no operation needs one of them whole. Otherwise nothing is
//! split, which is always right.

use crate::Sets;
use whimbrel_graph::{Graph, Op, Operation, ValueId};
use whimbrel_tensor::Shape;

/// How the batch of one graph is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// Blocks the batch is cut into.
    pub blocks: usize,
    /// Batch items in a block.
    pub lanes: usize,
    split: Vec<bool>,
}

impl Lanes {
    /// Nothing is cut.
    pub fn whole(graph: &Graph) -> Lanes {
        Lanes { blocks: 1, lanes: 0, split: vec![false; graph.values().len()] }
    }

    /// Cuts the batch of `graph` into blocks of `lanes`, if it has one batch size, a multiple of
    /// `lanes`, and its items stay independent.
    pub fn cut(graph: &Graph, lanes: usize) -> Lanes {
        let whole = Lanes::whole(graph);
        let Some(batch) = batch_size(graph) else { return whole };
        if lanes == 0 || batch % lanes != 0 || batch == lanes {
            return whole;
        }
        match carried(graph) {
            Some(split) => Lanes { blocks: batch / lanes, lanes, split },
            None => whole,
        }
    }

    /// Whether a value is stored block by block.
    pub fn is_split(&self, value: ValueId) -> bool {
        self.split[value.index()]
    }

    /// Number of blocks a value is stored in.
    pub fn blocks_of(&self, value: ValueId) -> usize {
        if self.is_split(value) { self.blocks } else { 1 }
    }

    /// The shape of one block of a value; of the whole value if it is not split.
    pub fn block_shape(&self, graph: &Graph, value: ValueId) -> Shape {
        let shape = graph.ty(value).shape;
        let Some(last) = shape.rank().checked_sub(1) else { return shape };
        shape.with(last, shape[last] / self.blocks_of(value)).unwrap_or(shape)
    }
}

/// The batch size all batch inputs share.
pub fn batch_size(graph: &Graph) -> Option<usize> {
    let mut sizes = graph.nodes().iter().filter_map(|node| match &node.op {
        Op::Input(input) if input.batch => input.ty.shape.last().copied(),
        _ => None,
    });
    let first = sizes.next()?;
    sizes.all(|size| size == first).then_some(first)
}

/// Values whose last axis is the batch; `None` if some operation mixes its items.
fn carried(graph: &Graph) -> Option<Vec<bool>> {
    let mut sets = Sets::new(graph.values().len());
    for node in graph.nodes() {
        let operands: Vec<_> = node.inputs.iter().chain(&node.outputs).copied().collect();
        let carries = carries(graph, node);
        let mut linked = operands.iter().zip(&carries).filter(|(_, carried)| **carried);
        if let Some((first, _)) = linked.next() {
            for (value, _) in linked {
                sets.join(first.index(), value.index());
            }
        }
    }
    let mut reached = vec![false; graph.values().len()];
    for node in graph.nodes() {
        if matches!(&node.op, Op::Input(input) if input.batch) {
            reached[sets.root(node.outputs[0].index())] = true;
        }
    }
    let split: Vec<bool> = (0..reached.len()).map(|v| reached[sets.root(v)]).collect();
    let mixed = graph.nodes().iter().any(|node| {
        let operands = node.inputs.iter().chain(&node.outputs);
        operands.zip(carries(graph, node)).any(|(value, carried)| !carried && split[value.index()])
    });
    let batch = batch_size(graph)?;
    let misfit = graph
        .values()
        .iter()
        .zip(&split)
        .any(|(value, split)| *split && value.ty.shape.last() != Some(&batch));
    // State is stored whole, and takes a new value as it lies.
    let kept = graph.updates().iter().any(|update| split[update.value.index()]);
    (!mixed && !misfit && !kept).then_some(split)
}

fn carries(graph: &Graph, node: &whimbrel_graph::Node) -> Vec<bool> {
    match &node.op {
        Op::Input(input) => vec![input.batch],
        // A constant may be read as whole or repeated for each block only if it is stored whole.
        Op::Constant(_) => vec![false],
        op => op.carries_batch(&graph.types(&node.inputs), &graph.types(&node.outputs)),
    }
}
