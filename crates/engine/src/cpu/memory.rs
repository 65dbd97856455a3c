//! The memory of a session on the CPU: one arena, state first, then the working region that all
//! plans share; and how elements in row-major order map to it.

use super::company::Company;
use super::filling::Filling;
use super::layout::{Layouts, matrices};
use super::run;
use super::stages::Compiled;
use crate::backend::{Batch, Executable, FillBlock, Report, Slot};
use crate::{EngineError, Profile};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;
use whimbrel_graph::{Graph, Op, Type, ValueId};
use whimbrel_kernels::gemm::{pack, packed_len, unpack};
use whimbrel_plan::{Place, Plan, Region};
use whimbrel_tensor::arena::{Arena, Span, as_i32, as_i32_mut};
use whimbrel_threads::Pool;

/// Where state values and constants are, by graph and value.
pub struct StateMap {
    offsets: Vec<HashMap<ValueId, usize>>,
    constants: Vec<(usize, Vec<f32>)>,
    names: HashMap<String, (usize, ValueId)>,
    words: usize,
}

impl StateMap {
    /// Lays out the state of graphs that share it by name.
    pub fn new(graphs: &[Graph], layouts: &[Layouts]) -> Result<StateMap, EngineError> {
        let mut map = StateMap {
            offsets: vec![HashMap::new(); graphs.len()],
            constants: Vec::new(),
            names: HashMap::new(),
            words: 0,
        };
        for (g, (graph, layout)) in graphs.iter().zip(layouts).enumerate() {
            for node in graph.nodes() {
                let value = node.outputs[0];
                let offset = match &node.op {
                    Op::State(state) => match map.names.get(&state.name) {
                        Some(&(other, known)) => {
                            let first = graphs[other].ty(known);
                            if first != state.ty {
                                let (first, second) = (Box::new(first), Box::new(state.ty));
                                let name = state.name.clone();
                                return Err(EngineError::StateMismatch { name, first, second });
                            }
                            map.offsets[other][&known]
                        }
                        None => {
                            map.names.insert(state.name.clone(), (g, value));
                            map.reserve(layout.words(graph, value))
                        }
                    },
                    Op::Constant(constant) => {
                        let offset = map.reserve(constant.shape.numel());
                        let data = match constant.data[..] {
                            [x] => vec![x; constant.shape.numel()],
                            _ => constant.data.clone(),
                        };
                        map.constants.push((offset, data));
                        offset
                    }
                    _ => continue,
                };
                map.offsets[g].insert(value, offset);
            }
        }
        Ok(map)
    }

    /// Words of all state, a multiple of a cache line.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The words of a place in the plan of graph number `graph`; of its first block, where it is
    /// cut.
    pub fn span(&self, graph: usize, place: Place) -> Span {
        let base = match place.region {
            Region::State => self.offsets[graph].get(&place.root).copied().unwrap_or(0),
            Region::Work => self.words,
        };
        Span::new(base + place.offset, place.len)
    }

    /// The first word of a value of graph number `graph`; without one, of the working region.
    pub fn start(&self, graph: usize, plan: &Plan, value: Option<ValueId>) -> usize {
        let place = value.and_then(|value| plan.place(value));
        place.map_or(self.words, |place| self.span(graph, place).offset)
    }

    fn reserve(&mut self, words: usize) -> usize {
        let at = self.words;
        self.words += words.next_multiple_of(16);
        at
    }
}

/// One bindable value: its span in the arena and how its elements lie there.
struct Binding {
    ty: Type,
    /// The span of each block.
    first: Span,
    stride: usize,
    blocks: usize,
    /// Elements of a row within one block; the whole value is one row where it is not cut.
    lanes: usize,
    panels: bool,
}

/// Graphs as instructions over an arena that is still to be taken.
pub struct Lowered {
    pub graphs: Vec<Graph>,
    pub layouts: Vec<Layouts>,
    pub plans: Vec<Plan>,
    pub state: StateMap,
    pub compiled: Vec<Compiled>,
}

impl Lowered {
    /// Words of the arena.
    pub fn words(&self) -> usize {
        self.state.words + self.plans.iter().map(|plan| plan.words).max().unwrap_or(0)
    }
}

/// Compiled graphs with their arena.
pub struct CpuExecutable {
    arena: Arena,
    compiled: Vec<Compiled>,
    bindings: Vec<Binding>,
    inputs: Vec<HashMap<String, Slot>>,
    outputs: Vec<HashMap<String, Slot>>,
    state: HashMap<String, Slot>,
    /// Per graph: how its batch inputs are filled.
    filling: Vec<Filling>,
    /// Per graph: index inputs and the rows of the tables they point into.
    indices: Vec<Vec<(String, Slot, usize)>>,
    pool: Arc<Pool>,
    /// Per graph, whether the team is worth its while; none where it was asked for.
    company: Option<Vec<Company>>,
}

impl CpuExecutable {
    /// Allocates the arena and fills in constants.
    pub fn new(
        lowered: Lowered,
        pool: Arc<Pool>,
        adaptive: bool,
    ) -> Result<CpuExecutable, EngineError> {
        let mut arena = Arena::new(lowered.words())?;
        let Lowered { graphs, layouts, plans, state, compiled } = lowered;
        for (offset, data) in &state.constants {
            arena.slice_mut(Span::new(*offset, data.len())).copy_from_slice(data);
        }
        let company = (adaptive && pool.size() > 1).then(|| vec![Company::new(); graphs.len()]);
        let mut executable = CpuExecutable {
            arena,
            compiled,
            bindings: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            state: HashMap::new(),
            filling: Vec::new(),
            indices: Vec::new(),
            pool,
            company,
        };
        for (g, graph) in graphs.iter().enumerate() {
            let mut bind =
                |value: ValueId| executable.bind(graph, &layouts[g], &plans[g], &state, g, value);
            let inputs = graph.inputs().map(|v| (graph.label(v), bind(v))).collect();
            let outputs = graph.outputs().iter().map(|o| (o.name.clone(), bind(o.value))).collect();
            let states: Vec<_> = graph.state().map(|v| (graph.label(v), bind(v))).collect();
            executable.filling.push(Filling::new(g, graph, &plans[g], &state)?);
            executable.indices.push(index_inputs(graph, &inputs));
            executable.inputs.push(inputs);
            executable.outputs.push(outputs);
            for (name, slot) in states {
                executable.state.entry(name).or_insert(slot);
            }
        }
        Ok(executable)
    }

    fn bind(
        &mut self,
        graph: &Graph,
        layouts: &Layouts,
        plan: &Plan,
        state: &StateMap,
        g: usize,
        value: ValueId,
    ) -> Slot {
        let ty = graph.ty(value);
        let blocks = plan.lanes.blocks_of(value);
        let (first, stride) = match plan.place(value) {
            None => (Span::new(0, 0), 0),
            Some(place) => (state.span(g, place), place.stride),
        };
        let panels = layouts.in_panels(value);
        let lanes = if blocks == 1 { first.len } else { plan.lanes.lanes };
        self.bindings.push(Binding { ty, first, stride, blocks, lanes, panels });
        Slot(self.bindings.len() - 1)
    }

    /// Indices must point into their tables: checked before a run, when they can still be refused.
    fn check_indices(&self, graph: usize) -> Result<(), EngineError> {
        for (name, slot, rows) in &self.indices[graph] {
            let binding = &self.bindings[slot.0];
            let outside = |i: &i32| *i < 0 || *i as usize >= *rows;
            for block in 0..binding.blocks {
                let indices = as_i32(self.arena.slice(binding.span(block)));
                if let Some(found) = indices.iter().position(outside) {
                    let (row, lane) = (found / binding.lanes, found % binding.lanes);
                    let at = binding.row_start(block, row) + lane;
                    let (name, index, rows) = (name.clone(), indices[found], *rows);
                    return Err(EngineError::IndexOutOfRange { name, at, index, rows });
                }
            }
        }
        Ok(())
    }
}

/// Inputs that index tables, with the rows of the smallest table each points into.
fn index_inputs(graph: &Graph, slots: &HashMap<String, Slot>) -> Vec<(String, Slot, usize)> {
    let mut found: Vec<(String, Slot, usize)> = Vec::new();
    for node in graph.nodes() {
        let (index, rows) = match (&node.op, &node.inputs[..]) {
            (Op::Gather(_), [table, index]) => (index, graph.ty(*table).shape[0]),
            (Op::ScatterAdd(scatter), [_, index]) => (index, scatter.rows),
            _ => continue,
        };
        let name = graph.label(*index);
        match (found.iter_mut().find(|f| f.0 == name), slots.get(&name)) {
            (Some(known), _) => known.2 = known.2.min(rows),
            (None, Some(&slot)) => found.push((name, slot, rows)),
            (None, None) => {}
        }
    }
    found
}

impl Executable for CpuExecutable {
    fn run(&mut self, graph: usize) -> Result<(), EngineError> {
        self.check_indices(graph)?;
        let compiled = &self.compiled[graph];
        let company = self.company.as_mut().map(|company| &mut company[graph]);
        let Some(company) = company.filter(|_| compiled.parallel) else {
            return run::run(compiled, &mut self.arena, &self.pool);
        };
        let start = Instant::now();
        match company.goes_alone() {
            true => run::run_alone(compiled, &mut self.arena)?,
            false => run::run(compiled, &mut self.arena, &self.pool)?,
        }
        company.learn(start.elapsed());
        Ok(())
    }

    fn profile(&mut self, graph: usize, profile: &mut Profile) -> Result<(), EngineError> {
        self.check_indices(graph)?;
        run::profile(&self.compiled[graph], &mut self.arena, &self.pool, profile)
    }

    fn state(&self, name: &str) -> Option<Slot> {
        self.state.get(name).copied()
    }

    fn input(&self, graph: usize, name: &str) -> Option<Slot> {
        self.inputs[graph].get(name).copied()
    }

    fn output(&self, graph: usize, name: &str) -> Option<Slot> {
        self.outputs[graph].get(name).copied()
    }

    fn ty(&self, slot: Slot) -> Type {
        self.bindings[slot.0].ty
    }

    fn write(&mut self, slot: Slot, data: &[f32]) {
        let binding = &self.bindings[slot.0];
        if binding.panels {
            let (count, outputs, inputs) = matrices(binding.ty.shape);
            let packed = self.arena.slice_mut(binding.first);
            for i in 0..count {
                let (rows, words) = (outputs * inputs, packed_len(outputs, inputs));
                let matrix = &data[i * rows..][..rows];
                pack(outputs, inputs, matrix, &mut packed[i * words..][..words]);
            }
            return;
        }
        for block in 0..binding.blocks {
            binding.fill_block(block, self.arena.slice_mut(binding.span(block)), data);
        }
    }

    fn write_i32(&mut self, slot: Slot, data: &[i32]) {
        let binding = &self.bindings[slot.0];
        for block in 0..binding.blocks {
            let words = as_i32_mut(self.arena.slice_mut(binding.span(block)));
            binding.fill_block(block, words, data);
        }
    }

    fn batch(&self, graph: usize) -> Option<&Batch> {
        Some(&self.filling.get(graph)?.batch)
    }

    fn fill(&mut self, graph: usize, block: &FillBlock<'_>) -> Result<(), EngineError> {
        let alone = self.company.as_ref().is_some_and(|company| company[graph].goes_alone());
        match alone || !self.compiled[graph].parallel {
            true => self.filling[graph].run(&mut self.arena, &Pool::new(1), block),
            false => self.filling[graph].run(&mut self.arena, &self.pool, block),
        }
    }

    fn read(&self, slot: Slot, data: &mut [f32]) {
        let binding = &self.bindings[slot.0];
        if binding.panels {
            let (count, outputs, inputs) = matrices(binding.ty.shape);
            let packed = self.arena.slice(binding.first);
            for i in 0..count {
                let (rows, words) = (outputs * inputs, packed_len(outputs, inputs));
                let matrix = &mut data[i * rows..][..rows];
                unpack(outputs, inputs, &packed[i * words..][..words], matrix);
            }
            return;
        }
        let lanes = binding.lanes;
        for block in 0..binding.blocks {
            let words = self.arena.slice(binding.span(block));
            for (row, src) in words.chunks_exact(lanes.max(1)).enumerate() {
                data[binding.row_start(block, row)..][..lanes].copy_from_slice(src);
            }
        }
    }

    fn arena_bytes(&self) -> usize {
        4 * self.arena.len()
    }

    fn report(&self, graph: usize) -> &Report {
        &self.compiled[graph].report
    }
}

impl Binding {
    /// The span of a block.
    fn span(&self, block: usize) -> Span {
        Span::new(self.first.offset + block * self.stride, self.first.len)
    }

    /// Where a row of a block begins in the whole value.
    fn row_start(&self, block: usize, row: usize) -> usize {
        (row * self.blocks + block) * self.lanes
    }

    /// Fills the words of a block with what it has of the whole value.
    fn fill_block<T: Copy>(&self, block: usize, words: &mut [T], data: &[T]) {
        for (row, dst) in words.chunks_exact_mut(self.lanes.max(1)).enumerate() {
            dst.copy_from_slice(&data[self.row_start(block, row)..][..self.lanes]);
        }
    }
}
