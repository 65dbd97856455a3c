//! The session: compiled graphs over one parameter state, bound and read by name.

use crate::backend::{Backend, Executable, Planned, Report, Slot};
use crate::cpu::Cpu;
use crate::{EngineError, Profile, init};
use whimbrel_graph::{Graph, Op};
use whimbrel_tensor::DType;

/// How a session is made.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Seed of the first contents of parameters.
    pub seed: u64,
    /// Threads that share the work; 0 for the cores the process may use, as long as that is faster than
    /// one.
    pub threads: usize,
    /// Batch items in a block; none lets the plan choose.
    pub lanes: Option<usize>,
    /// Stop the passes after this one, for bisection.
    pub passes_until: Option<String>,
}

/// Compiled graphs with their state and memory.
pub struct Session {
    executable: Box<dyn Executable>,
    /// Inputs and outputs of each graph by name.
    graphs: Vec<Names>,
    state: Vec<(String, Slot)>,
}

struct Names {
    inputs: Vec<(String, Slot)>,
    outputs: Vec<(String, Slot)>,
}

impl Session {
    /// Compiles one graph for this machine with default options.
    pub fn new(graph: &Graph) -> Result<Session, EngineError> {
        Session::with_options(std::slice::from_ref(graph), &Options::default())
    }

    /// Compiles graphs that share state by name, and fills the state as the graphs say.
    pub fn with_options(graphs: &[Graph], options: &Options) -> Result<Session, EngineError> {
        Session::on(&Cpu::new(options), graphs, options)
    }

    /// Compiles for a given back end.
    pub fn on(
        backend: &dyn Backend,
        graphs: &[Graph],
        options: &Options,
    ) -> Result<Session, EngineError> {
        let mut session = Session::uninitialised(backend, graphs)?;
        let mut data = Vec::new();
        for graph in graphs {
            for value in graph.state() {
                let Op::State(state) = graph.op_of(value) else { continue };
                if state.ty.dtype != DType::F32 || state.init == whimbrel_graph::Init::Zeros {
                    continue;
                }
                data.resize(state.ty.numel(), 0.0);
                init::fill(state.init, options.seed, &state.name, &state.ty.shape, &mut data);
                session.write_state(&state.name, &data)?;
            }
        }
        Ok(session)
    }

    /// What a session of these graphs would occupy, told without its memory: it may be more than there
    /// is.
    pub fn plan(backend: &dyn Backend, graphs: &[Graph]) -> Result<Planned, EngineError> {
        expect_supported(backend, graphs)?;
        backend.plan(graphs)
    }

    /// Compiles without filling the state, which is all zeros.
    pub fn uninitialised(backend: &dyn Backend, graphs: &[Graph]) -> Result<Session, EngineError> {
        expect_supported(backend, graphs)?;
        let executable = backend.compile(graphs)?;
        let mut names = Vec::new();
        let mut state: Vec<(String, Slot)> = Vec::new();
        for (i, graph) in graphs.iter().enumerate() {
            let named = |found: Option<Slot>, name: String| found.map(|slot| (name, slot));
            let inputs = graph.inputs().filter_map(|v| {
                let name = graph.label(v);
                named(executable.input(i, &name), name)
            });
            let outputs = graph
                .outputs()
                .iter()
                .filter_map(|o| named(executable.output(i, &o.name), o.name.clone()));
            names.push(Names { inputs: inputs.collect(), outputs: outputs.collect() });
            for value in graph.state() {
                let name = graph.label(value);
                if state.iter().all(|(known, _)| *known != name) {
                    state.extend(named(executable.state(&name), name));
                }
            }
        }
        Ok(Session { executable, graphs: names, state })
    }

    /// Runs the first graph.
    pub fn run(&mut self) -> Result<(), EngineError> {
        self.run_graph(0)
    }

    /// Runs graph number `graph`, in the order given to the constructor.
    pub fn run_graph(&mut self, graph: usize) -> Result<(), EngineError> {
        self.executable.run(graph)
    }

    /// Binds an input of the first graph, elements in row-major order; it stays bound.
    pub fn write(&mut self, name: &str, data: &[f32]) -> Result<(), EngineError> {
        let slot = self.input(0, name)?;
        self.write_slot(slot, name, data)
    }

    /// Binds an input of integers of the first graph.
    pub fn write_i32(&mut self, name: &str, data: &[i32]) -> Result<(), EngineError> {
        let slot = self.input(0, name)?;
        self.write_slot_i32(slot, name, data)
    }

    /// Copies an output of the first graph.
    pub fn read(&self, name: &str) -> Result<Vec<f32>, EngineError> {
        Ok(self.read_slot(self.output(0, name)?))
    }

    /// The slot of an input, for binding without a look-up by name.
    pub fn input(&self, graph: usize, name: &str) -> Result<Slot, EngineError> {
        find(self.graphs.get(graph).map_or(&[], |n| &n.inputs[..]), "input", name)
    }

    /// The slot of an output.
    pub fn output(&self, graph: usize, name: &str) -> Result<Slot, EngineError> {
        find(self.graphs.get(graph).map_or(&[], |n| &n.outputs[..]), "output", name)
    }

    /// The slot of a state value.
    pub fn state(&self, name: &str) -> Result<Slot, EngineError> {
        find(&self.state, "state", name)
    }

    /// Names of all state values, in the order of their declaration.
    pub fn state_names(&self) -> impl Iterator<Item = &str> {
        self.state.iter().map(|(name, _)| name.as_str())
    }

    /// Fills a state value, elements in row-major order.
    pub fn write_state(&mut self, name: &str, data: &[f32]) -> Result<(), EngineError> {
        let slot = self.state(name)?;
        self.write_slot(slot, name, data)
    }

    /// Copies a state value.
    pub fn read_state(&self, name: &str) -> Result<Vec<f32>, EngineError> {
        Ok(self.read_slot(self.state(name)?))
    }

    /// Fills a slot; `name` is for the error.
    pub fn write_slot(&mut self, slot: Slot, name: &str, data: &[f32]) -> Result<(), EngineError> {
        self.check(slot, name, DType::F32, "f32", data.len())?;
        self.executable.write(slot, data);
        Ok(())
    }

    /// Fills a slot of integers; `name` is for the error.
    pub fn write_slot_i32(
        &mut self,
        slot: Slot,
        name: &str,
        data: &[i32],
    ) -> Result<(), EngineError> {
        self.check(slot, name, DType::I32, "i32", data.len())?;
        self.executable.write_i32(slot, data);
        Ok(())
    }

    /// Copies a slot.
    pub fn read_slot(&self, slot: Slot) -> Vec<f32> {
        let mut data = vec![0.0; self.executable.ty(slot).numel()];
        self.executable.read(slot, &mut data);
        data
    }

    /// Copies a slot into a buffer as long as the value.
    pub fn read_slot_into(&self, slot: Slot, data: &mut [f32]) -> Result<(), EngineError> {
        self.check(slot, "output", DType::F32, "f32", data.len())?;
        self.executable.read(slot, data);
        Ok(())
    }

    /// The type of a slot.
    pub fn ty(&self, slot: Slot) -> whimbrel_graph::Type {
        self.executable.ty(slot)
    }

    /// Memory and instructions of a compiled graph.
    pub fn report(&self, graph: usize) -> &Report {
        self.executable.report(graph)
    }

    /// Bytes of the one arena of all graphs: what a session occupies once it has run.
    pub fn arena_bytes(&self) -> usize {
        self.executable.arena_bytes()
    }

    /// Runs a graph `runs` times and records where the time goes.
    pub fn profile(&mut self, graph: usize, runs: usize) -> Result<Profile, EngineError> {
        let mut profile = Profile::new(self.report(graph).clone());
        for _ in 0..runs {
            self.executable.profile(graph, &mut profile)?;
        }
        Ok(profile)
    }

    pub(crate) fn executable(&self) -> &dyn Executable {
        &*self.executable
    }

    pub(crate) fn executable_mut(&mut self) -> &mut dyn Executable {
        &mut *self.executable
    }

    fn check(
        &self,
        slot: Slot,
        name: &str,
        dtype: DType,
        given: &'static str,
        len: usize,
    ) -> Result<(), EngineError> {
        let ty = self.executable.ty(slot);
        if ty.dtype != dtype {
            return Err(EngineError::WrongType { name: name.into(), ty: Box::new(ty), given });
        }
        if ty.numel() != len {
            let (name, expected, ty) = (name.into(), ty.numel(), Box::new(ty));
            return Err(EngineError::WrongLength { name, ty, expected, given: len });
        }
        Ok(())
    }
}

/// Refuses operations the back end has no kernel for.
fn expect_supported(backend: &dyn Backend, graphs: &[Graph]) -> Result<(), EngineError> {
    let mut nodes = graphs.iter().flat_map(|graph| graph.nodes());
    match nodes.find(|node| !backend.supports(&node.op)) {
        Some(node) => Err(EngineError::Unsupported {
            backend: backend.name(),
            op: node.op.to_string(),
            reason: "there is no kernel for it".into(),
        }),
        None => Ok(()),
    }
}

fn find(names: &[(String, Slot)], kind: &'static str, name: &str) -> Result<Slot, EngineError> {
    let found = names.iter().find(|(known, _)| known == name);
    found.map(|(_, slot)| *slot).ok_or_else(|| {
        let known: Vec<_> = names.iter().map(|(name, _)| name.as_str()).collect();
        EngineError::UnknownName { kind, name: name.into(), known: known.join(", ") }
    })
}
