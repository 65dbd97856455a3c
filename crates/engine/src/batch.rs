//! Filling a batch block by block, on the threads that will run the blocks.

use crate::backend::Batch;
use crate::{EngineError, Session};
use std::ops::Range;

/// The inputs of a graph whose last axis is the batch, in the order they were asked for.
#[derive(Clone, Debug)]
pub struct BatchInputs<const N: usize> {
    graph: usize,
    size: usize,
    blocks: usize,
    /// Those that the graph takes, in its own order, and their place among the names that were asked for.
    names: Vec<String>,
    order: Vec<usize>,
}

impl<const N: usize> BatchInputs<N> {
    /// Items in the batch.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Blocks the batch is filled in, all of them as large.
    pub fn blocks(&self) -> usize {
        self.blocks
    }
}

/// Some items of a batch that are to be filled in.
#[derive(Debug)]
pub struct Block<'a, const N: usize> {
    /// Which block of the batch it is.
    pub number: usize,
    /// Which items.
    pub items: Range<usize>,
    /// What they have of each input, `[.., items]`; nothing of one that the graph does not take.
    pub inputs: [&'a mut [f32]; N],
}

impl Session {
    /// The inputs of floats that hold something for each item of the batch, to be filled by
    /// [`fill`](Session::fill). The graph need not take all of `names`, but takes no others.
    pub fn batch_inputs<const N: usize>(
        &self,
        graph: usize,
        names: [&str; N],
    ) -> Result<BatchInputs<N>, EngineError> {
        let batch = self.batch(graph)?;
        let place = |name: &String| names.iter().position(|known| known == name);
        let unknown = |name: &String| EngineError::UnknownName {
            kind: "part of the batch",
            name: name.clone(),
            known: names.join(", "),
        };
        let order = batch.names.iter().map(|name| place(name).ok_or_else(|| unknown(name)));
        let order = order.collect::<Result<_, _>>()?;
        let Batch { ref names, size, blocks } = *batch;
        Ok(BatchInputs { graph, size, blocks, names: names.clone(), order })
    }

    /// What a graph takes of a batch.
    fn batch(&self, graph: usize) -> Result<&Batch, EngineError> {
        let batch = self.executable().batch(graph).filter(|batch| batch.size > 0);
        batch.ok_or(EngineError::NoBatch { graph })
    }

    /// Fills batch inputs in the memory where they are read: `fill` is given every block once, several at a
    /// time, and writes all of it. The inputs are bound for the next run of their graph.
    pub fn fill<const N: usize>(
        &mut self,
        inputs: &BatchInputs<N>,
        fill: impl Fn(Block<'_, N>) + Sync,
    ) -> Result<(), EngineError> {
        let Batch { names, size, blocks } = self.batch(inputs.graph)?;
        if (*size, *blocks, names) != (inputs.size, inputs.blocks, &inputs.names) {
            return Err(EngineError::NoBatch { graph: inputs.graph });
        }
        let lanes = inputs.size / inputs.blocks.max(1);
        self.executable_mut().fill(inputs.graph, &|number, words| {
            let mut parts = std::array::from_fn(|_| Default::default());
            for (&place, words) in inputs.order.iter().zip(words) {
                parts[place] = words;
            }
            fill(Block { number, items: number * lanes..(number + 1) * lanes, inputs: parts });
        })
    }
}
