//! The CPU back end: every operation lowered to an instruction over one arena.
//!
//! `compile` fixes layouts (`layout`), plans memory, lowers each node (one file per operation) and
//! groups the instructions into stages that threads walk together (`stages`, `run`).
//!
//! Adding an operation: a file here with `lower`, one line in `lowered`.

mod ahead;
mod assemble;
mod attention;
mod cast;
mod company;
mod conv1d;
mod copy;
mod cumsum;
mod dense;
mod dot;
mod elementwise;
mod filling;
mod gather;
mod gradient;
mod halves;
mod instruction;
mod layout;
mod lowering;
mod memory;
mod normalise;
mod pool1d;
mod product;
mod random;
mod recurrent;
mod reduce;
mod reverse;
mod run;
mod stages;
mod touch;
mod update;

pub use lowering::WORTH_SHARING;

use crate::backend::{Backend, Executable, Planned, Report};
use crate::{EngineError, Options};
use gradient::ShareGradients;
use halves::Halves;
use instruction::Instruction;
use layout::Layouts;
use lowering::Lowering;
use memory::{CpuExecutable, Lowered, StateMap};
use std::sync::Arc;
use whimbrel_graph::ops::{Adam, Dense, Dot, Sgd};
use whimbrel_graph::{Cost, Graph, Node, Op, ValueId, passes};
use whimbrel_plan::{Buffer, Lanes, Place, Plan, Storage, batch_size};
use whimbrel_threads::Pool;

/// The back end for this machine's cores.
pub struct Cpu {
    pool: Arc<Pool>,
    /// Whether graphs may run on fewer threads than there are.
    adaptive: bool,
    lanes: Option<usize>,
    passes_until: Option<String>,
}

impl Cpu {
    /// A back end with a team of threads of its own.
    pub fn new(options: &Options) -> Cpu {
        let pool = match options.threads {
            0 => Pool::with_default_size(),
            n => Pool::new(n),
        };
        let passes_until = options.passes_until.clone();
        let adaptive = options.threads == 0;
        Cpu { pool: Arc::new(pool), adaptive, lanes: options.lanes, passes_until }
    }

    /// All of compiling but the memory.
    fn lower(&self, graphs: &[Graph]) -> Result<Lowered, EngineError> {
        let until = self.passes_until.as_deref();
        let graphs: Vec<Graph> =
            graphs.iter().map(|g| passes::run(g, until)).collect::<Result<_, _>>()?;
        let layouts = Layouts::of(&graphs);
        let state = StateMap::new(&graphs, &layouts)?;
        let mut plans = Vec::new();
        for (graph, layouts) in graphs.iter().zip(&layouts) {
            let lanes = match (self.lanes, batch_size(graph)) {
                (Some(lanes), Some(_)) => Lanes::cut(graph, lanes),
                (None, Some(batch)) => Lanes::cut(graph, choose_lanes(graph, batch)),
                (_, None) => Lanes::whole(graph),
            };
            let threads = self.pool.size();
            let storage = CpuStorage { graph, layouts, lanes: lanes.clone(), threads };
            plans.push(Plan::new(graph, lanes, &storage)?);
        }
        let threads = self.pool.size();
        let mut compiled = Vec::new();
        for (g, ((graph, layouts), plan)) in graphs.iter().zip(&layouts).zip(&plans).enumerate() {
            let spans = |place: Place| state.span(g, place);
            let mut instructions: Vec<Instruction> = Vec::new();
            let mut starts = Vec::new();
            for &id in &plan.order {
                starts.push(instructions.len());
                let before = &instructions[..];
                let lowering =
                    Lowering { graph, plan, layouts, spans: &spans, before, threads, id };
                if let Some(lower) = lowered(&graph.node(id).op) {
                    let lowered = lower(&lowering)?.into_iter();
                    instructions.extend(lowered.filter(|i| !i.pieces.is_empty()));
                }
            }
            instructions.extend(copy::late_updates(graph, plan, layouts, &spans));
            let arena_words = state.words() + plan.words;
            starts.push(instructions.len());
            let report = report_of(plan, |v| state.start(g, plan, v), &starts);
            compiled.push(stages::group(instructions, threads, arena_words, report)?);
        }
        Ok(Lowered { graphs, layouts, plans, state, compiled })
    }
}

impl Backend for Cpu {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn supports(&self, op: &Op) -> bool {
        lowered(op).is_some() || matches!(op, Op::Input(_) | Op::State(_) | Op::Constant(_))
    }

    fn seconds(&self, cost: Cost) -> f64 {
        lowering::seconds(cost)
    }

    fn compile(&self, graphs: &[Graph]) -> Result<Box<dyn Executable>, EngineError> {
        let (pool, adaptive) = (self.pool.clone(), self.adaptive);
        Ok(Box::new(CpuExecutable::new(self.lower(graphs)?, pool, adaptive)?))
    }

    fn plan(&self, graphs: &[Graph]) -> Result<Planned, EngineError> {
        let lowered = self.lower(graphs)?;
        let arena_bytes = 4 * lowered.words();
        let reports = lowered.compiled.into_iter().map(|compiled| compiled.report).collect();
        Ok(Planned { reports, arena_bytes })
    }
}

/// Items in a block: enough for the register tile to run full, few enough to stay in cache. Graphs
/// that go through time step by step have no other work to share than blocks, so they are cut
/// finer; attention, which has some, less so. Decided by shapes alone: sums over the batch go block by block.
fn choose_lanes(graph: &Graph, batch: usize) -> usize {
    let any = |is: fn(&Op) -> bool| graph.nodes().iter().any(|node| is(&node.op));
    let recurrent = any(|op| matches!(op, Op::Lstm(_) | Op::Gru(_) | Op::Rnn(_)));
    let attends = any(|op| matches!(op, Op::Attention(_)));
    let largest = match batch {
        32..=64 if recurrent || attends => 16,
        0..=64 => batch,
        65..=128 if recurrent => 32,
        _ => 64,
    };
    (16..=largest).rev().find(|lanes| batch.is_multiple_of(*lanes)).unwrap_or(batch)
}

/// The report of a plan, its instructions still to come. `start` gives where a value is, or without
/// one the working region, in words of the arena; `starts` the first instruction of each step of the
/// plan and, at the end, how many there are.
fn report_of(plan: &Plan, start: impl Fn(Option<ValueId>) -> usize, starts: &[usize]) -> Report {
    let buffers = plan.buffers.iter().map(|buffer| {
        let within = if buffer.value.is_none() { buffer.offset } else { 0 };
        let at = |step: usize| starts.get(step).copied().unwrap_or(0);
        let first = at(buffer.first);
        let last = at(buffer.last + 1).saturating_sub(1).max(first);
        Buffer { offset: 4 * start(buffer.value) + within, first, last, ..buffer.clone() }
    });
    Report {
        usage: plan.usage,
        instructions: 0,
        stages: 0,
        cost: Cost::default(),
        blocks: plan.lanes.blocks,
        lines: Vec::new(),
        buffers: buffers.collect(),
    }
}

/// How a node becomes instructions.
type Lower = fn(&Lowering) -> Result<Vec<Instruction>, EngineError>;

/// The lowering of an operation; `None` for leaves and operations without a kernel.
fn lowered(op: &Op) -> Option<Lower> {
    Some(match op {
        Op::Unary(_) | Op::Binary(_) | Op::Select(_) | Op::Fused(_) => elementwise::lower,
        Op::Broadcast(_) => copy::lower_broadcast,
        Op::Reshape(_) | Op::StopGradient(_) => copy::lower_view,
        Op::Permute(_) => copy::lower_permute,
        Op::Slice(_) => copy::lower_slice,
        Op::Concat(_) => copy::lower_concat,
        Op::Reduce(_) => reduce::lower,
        Op::Dot(_) => dot::lower,
        Op::Dense(_) => dot::lower_dense,
        Op::Gather(_) => gather::lower,
        Op::Conv1d(_) | Op::Conv1dGradInput(_) | Op::Conv1dGradWeight(_) => conv1d::lower,
        Op::Attention(_) | Op::AttentionGrad(_) => attention::lower,
        Op::Lstm(_) | Op::LstmGrad(_) => recurrent::lower,
        Op::Gru(_) | Op::GruGrad(_) => recurrent::lower,
        Op::Rnn(_) | Op::RnnGrad(_) => recurrent::lower,
        Op::AdamRate(_) => update::lower_rate,
        Op::Adam(_) | Op::Sgd(_) => update::lower,
        Op::Softmax(_) | Op::LogSoftmax(_) | Op::LayerNorm(_) => normalise::lower,
        Op::CrossEntropy(_) | Op::CrossEntropyGrad(_) => normalise::lower,
        Op::Pool1d(_) | Op::Pool1dGrad(_) => pool1d::lower,
        Op::ScatterAdd(_) => gather::lower_scatter,
        Op::Pad(_) => copy::lower_pad,
        Op::Cumsum(_) => cumsum::lower,
        Op::Reverse(_) => reverse::lower,
        Op::Cast(_) => cast::lower,
        Op::Iota(_) => cast::lower_iota,
        Op::Random(_) => random::lower,
        _ => return None,
    })
}

/// The back end's side of memory planning.
struct CpuStorage<'a> {
    graph: &'a Graph,
    layouts: &'a Layouts,
    lanes: Lanes,
    threads: usize,
}

impl CpuStorage<'_> {
    fn product_scratch(&self, dot: Dot, operands: &[ValueId]) -> usize {
        let (lhs, rhs) = (operands[0], operands[1]);
        product::scratch(self.graph, &self.lanes, self.threads, dot, lhs, rhs)
    }

    /// Of an update by a product: its gradient where it is made first.
    fn update_scratch(&self, node: &Node, dot: Dot) -> usize {
        let words = self.words(node.inputs[0]);
        let factors = [node.inputs[node.inputs.len() - 2], node.inputs[node.inputs.len() - 1]];
        if !self.layouts.in_panels(node.inputs[0]) {
            return words + self.product_scratch(dot, &factors);
        }
        let shares = ShareGradients::of_dense(self.graph, &self.lanes, factors, words);
        shares.map_or(0, |shares| words * (shares + 1))
    }
}

impl Storage for CpuStorage<'_> {
    fn words(&self, value: ValueId) -> usize {
        self.layouts.words(self.graph, value)
    }

    fn in_place(&self, node: &Node) -> Vec<(usize, usize)> {
        match &node.op {
            Op::Adam(_) => vec![(0, 0), (1, 1), (2, 2)],
            Op::Sgd(sgd) => (0..sgd.states()).map(|i| (i, i)).collect(),
            Op::Lstm(_) => vec![(0, 2)],
            Op::Unary(_) | Op::Binary(_) | Op::Select(_) | Op::Fused(_) => {
                let shape = self.graph.ty(node.outputs[0]).shape;
                let full = |i: &usize| self.graph.ty(node.inputs[*i]).shape == shape;
                let operands = (0..node.inputs.len()).filter(full);
                operands.flat_map(|i| (0..node.outputs.len()).map(move |o| (i, o))).collect()
            }
            _ => Vec::new(),
        }
    }

    fn scratch(&self, node: &Node) -> usize {
        let packing = layout::weight_operand(&node.op).map(|i| node.inputs[i]);
        let packing = packing.filter(|w| !self.layouts.in_panels(*w));
        let packing = packing.map_or(0, |w| layout::panel_words(self.graph.ty(w).shape));
        let own = match &node.op {
            Op::Dot(dot) | Op::Dense(Dense { dot, .. })
                if dot::reads_panels(self.layouts, *dot, node) =>
            {
                let factors = [node.inputs[0], node.inputs[1]];
                let halves = Halves::of(self.graph, &self.lanes, *dot, factors);
                halves.map_or(0, |halves| halves.scratch())
            }
            Op::Dot(_) if self.layouts.in_panels(node.outputs[0]) => 0,
            Op::Dot(dot) | Op::Dense(Dense { dot, .. }) => self.product_scratch(*dot, &node.inputs),
            Op::Adam(Adam { grad: Some(dot), .. }) | Op::Sgd(Sgd { grad: Some(dot), .. }) => {
                self.update_scratch(node, *dot)
            }
            Op::LayerNorm(_) => normalise::scratch(self.graph, node),
            op @ Op::AttentionGrad(_) => attention::scratch(op, self.words(node.inputs[3])),
            Op::Reduce(_) => reduce::scratch(self.graph, &self.lanes, node),
            Op::Conv1dGradWeight(_) => {
                let weight = node.outputs[0];
                let words = layout::panel_words(self.graph.ty(weight).shape);
                let factors = [node.inputs[1], node.inputs[0]];
                let blocks = ShareGradients::of_blocks(self.graph, &self.lanes, factors, words);
                conv1d::scratch(words, blocks, self.layouts.in_panels(weight))
            }
            op @ (Op::LstmGrad(_) | Op::GruGrad(_) | Op::RnnGrad(_)) => {
                let weight = self.graph.ty(node.inputs[0]).shape;
                recurrent::scratch(op, weight, self.words(node.inputs[1]))
            }
            _ => 0,
        };
        packing + own
    }
}

/// The one instruction of a node, with pieces and kernel.
fn instruction(
    at: &Lowering,
    pieces: Vec<whimbrel_tensor::arena::Access>,
    kernel: instruction::Kernel,
) -> Vec<Instruction> {
    vec![Instruction { name: at.op().to_string(), cost: at.cost(), pieces, kernel }]
}
