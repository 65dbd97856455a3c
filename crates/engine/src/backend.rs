//! What a back end is: something that compiles graphs and holds their memory.

use crate::{EngineError, Profile};
use whimbrel_graph::{Cost, Graph, Op, Type};
use whimbrel_plan::{Buffer, Usage};
use whimbrel_tensor::arena::Writes;

/// Compiles graphs for one kind of hardware.
pub trait Backend {
    /// Its name in messages.
    fn name(&self) -> &'static str;
    /// Whether it can run an operation.
    fn supports(&self, op: &Op) -> bool;
    /// Seconds a node takes on one unit of the hardware, roughly.
    fn seconds(&self, cost: Cost) -> f64;
    /// Compiles graphs that share their state by name.
    fn compile(&self, graphs: &[Graph]) -> Result<Box<dyn Executable>, EngineError>;
    /// What the same graphs would occupy and do once compiled; takes none of that memory.
    fn plan(&self, graphs: &[Graph]) -> Result<Planned, EngineError>;
}

/// What compiled graphs would occupy and do.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Each graph, in the order given.
    pub reports: Vec<Report>,
    /// Bytes of the one arena: state, and the working region of the graph that needs most.
    pub arena_bytes: usize,
}

/// A value that can be bound or read between runs, by its place in the back end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(pub usize);

/// What a compiled graph occupies and does.
#[derive(Clone, Debug)]
pub struct Report {
    /// Bytes by class.
    pub usage: Usage,
    /// Instructions of one run.
    pub instructions: usize,
    /// Groups of instructions between barriers.
    pub stages: usize,
    /// Arithmetic and traffic of one run.
    pub cost: Cost,
    /// Blocks the batch is cut into, and items in each.
    pub blocks: usize,
    /// The instructions in order.
    pub lines: Vec<Line>,
    /// The memory it uses, in the arena that all graphs of the session share.
    pub buffers: Vec<Buffer>,
}

/// One instruction of a report.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it does.
    pub name: String,
    /// Pieces it is cut into.
    pub pieces: usize,
    /// Arithmetic and traffic.
    pub cost: Cost,
}

/// The inputs of floats of a graph whose last axis is the batch.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Their names, in the order of the graph.
    pub names: Vec<String>,
    /// Items in the batch.
    pub size: usize,
    /// Blocks they are filled in.
    pub blocks: usize,
}

/// Fills a block, given its number and what it has of each batch input.
pub type FillBlock<'f> = dyn Fn(usize, Writes<'_>) + Sync + 'f;

/// Compiled graphs with their memory.
pub trait Executable: Send {
    /// Runs graph number `graph`.
    fn run(&mut self, graph: usize) -> Result<(), EngineError>;
    /// Runs graph number `graph`, recording when each piece of each instruction ran.
    fn profile(&mut self, graph: usize, profile: &mut Profile) -> Result<(), EngineError>;
    /// The slot of a named state value.
    fn state(&self, name: &str) -> Option<Slot>;
    /// The slot of a named input of a graph.
    fn input(&self, graph: usize, name: &str) -> Option<Slot>;
    /// The slot of a named output of a graph.
    fn output(&self, graph: usize, name: &str) -> Option<Slot>;
    /// The type of a slot.
    fn ty(&self, slot: Slot) -> Type;
    /// Fills a slot from elements in row-major order.
    fn write(&mut self, slot: Slot, data: &[f32]);
    /// Fills a slot of integers.
    fn write_i32(&mut self, slot: Slot, data: &[i32]);
    /// The batch inputs of a graph; none where there is no such graph.
    fn batch(&self, graph: usize) -> Option<&Batch>;
    /// Has every block of the batch inputs of a graph filled once, several at a time.
    fn fill(&mut self, graph: usize, block: &FillBlock<'_>) -> Result<(), EngineError>;
    /// Copies a slot's elements in row-major order.
    fn read(&self, slot: Slot, data: &mut [f32]);
    /// Bytes of the arena: state, and the working region of the graph that needs most.
    fn arena_bytes(&self) -> usize;
    /// What a compiled graph occupies and does.
    fn report(&self, graph: usize) -> &Report;
}
