//! Filling the batch inputs of a graph: a piece for each block, on the thread that is at home with it.

use super::memory::StateMap;
use crate::EngineError;
use crate::backend::{Batch, FillBlock};
use whimbrel_graph::{Graph, Op};
use whimbrel_plan::{Plan, batch_size};
use whimbrel_tensor::DType;
use whimbrel_tensor::arena::{Access, Arena, Span, Stages};
use whimbrel_threads::Pool;

/// The batch inputs of a graph, as one stage that writes them.
pub struct Filling {
    pub batch: Batch,
    stages: Stages,
}

impl Filling {
    /// Of graph number `g`.
    pub fn new(
        g: usize,
        graph: &Graph,
        plan: &Plan,
        state: &StateMap,
    ) -> Result<Filling, EngineError> {
        let mut batch =
            Batch { names: Vec::new(), size: batch_size(graph).unwrap_or(0), blocks: 1 };
        let mut spans: Vec<Vec<Span>> = Vec::new();
        for value in graph.inputs() {
            let Op::Input(input) = graph.op_of(value) else { continue };
            let floats = input.batch && input.ty.dtype == DType::F32;
            let Some(place) = plan.place(value).filter(|_| floats && batch.size > 0) else {
                continue;
            };
            batch.blocks = plan.lanes.blocks_of(value);
            batch.names.push(input.name.clone());
            let first = state.span(g, place);
            let span = |block| Span::new(first.offset + block * place.stride, first.len);
            spans.resize(batch.blocks, Vec::new());
            (0..).zip(&mut spans).for_each(|(block, spans)| spans.push(span(block)));
        }
        let pieces = spans.into_iter().map(|spans| vec![Access::new([], spans)]).collect();
        let stages = Stages::prove(state.words() + plan.words, vec![pieces])
            .map_err(|conflict| EngineError::Conflict(conflict.to_string()))?;
        Ok(Filling { batch, stages })
    }

    /// Has every block filled once.
    pub fn run(
        &self,
        arena: &mut Arena,
        pool: &Pool,
        block: &FillBlock<'_>,
    ) -> Result<(), EngineError> {
        let open = arena.open(&self.stages).map_err(|e| EngineError::Arena(e.to_string()))?;
        pool.pieces(self.stages.pieces(0), |piece| {
            if let Some(mut guard) = open.enter(0, piece) {
                block(piece, guard.step(0).split().1);
            }
        });
        Ok(())
    }
}
