//! Machine: the compiled graphs of a training, run on rows.

use super::examples::gather;
use super::graphs::{evaluating, predicting, state_names, training};
use super::scores::Scoring;
use super::split::Split;
use super::{Examples, Scores, Targets, TrainError, Trainer};
use whimbrel_engine::cpu::Cpu;
use whimbrel_engine::{EngineError, Options, Session, Slot};
use whimbrel_graph::Graph;

/// The session of a training and where its graphs take and give values.
pub(super) struct Machine {
    pub session: Session,
    /// The state that predictions need; the rest is the optimiser's.
    pub weights: Vec<String>,
    steps: Vec<Pass>,
    evaluations: Vec<Pass>,
    seed: i32,
    inputs: Vec<f32>,
    values: Vec<f32>,
    classes: Vec<i32>,
}

/// A graph compiled for batches of one size.
#[derive(Clone, Copy)]
struct Pass {
    graph: usize,
    size: usize,
    x: Slot,
    y: Slot,
    loss: Slot,
}

/// The sizes of batches that `rows` are cut into: whole ones, and what is left.
fn sizes(rows: usize, batch: usize) -> Vec<usize> {
    let whole = batch.min(rows);
    [whole, rows.checked_rem(whole).unwrap_or(0)].into_iter().filter(|&size| size > 0).collect()
}

impl Machine {
    /// Compiles the graphs for the rows of a split; without rows to learn from it only evaluates.
    pub(super) fn new(
        trainer: &Trainer,
        examples: &Examples,
        split: &Split,
    ) -> Result<Machine, TrainError> {
        Machine::with(trainer, examples, split, Session::with_options)
    }

    /// The same with weights that are all zeros: to tell what a training needs, without touching its
    /// memory.
    pub(super) fn unfilled(
        trainer: &Trainer,
        examples: &Examples,
        split: &Split,
    ) -> Result<Machine, TrainError> {
        Machine::with(trainer, examples, split, |graphs, options| {
            Session::uninitialised(&Cpu::new(options), graphs)
        })
    }

    fn with(
        trainer: &Trainer,
        examples: &Examples,
        split: &Split,
        compile: impl FnOnce(&[Graph], &Options) -> Result<Session, EngineError>,
    ) -> Result<Machine, TrainError> {
        let prediction = predicting(&trainer.network, examples.features(), 1)?;
        expect_classes(examples, &prediction)?;
        let steps = sizes(split.learn.len(), trainer.batch_size);
        let evaluations = sizes(split.validate.len(), trainer.batch_size);
        let mut graphs = Vec::new();
        for &size in &steps {
            graphs.push(training(trainer, examples, size)?);
        }
        for &size in &evaluations {
            graphs.push(evaluating(trainer, examples, size)?);
        }
        let options =
            Options { seed: trainer.seed, threads: trainer.threads, ..Options::default() };
        let session = compile(&graphs, &options)?;
        let passes = |first: usize, sizes: &[usize]| -> Result<Vec<Pass>, EngineError> {
            let numbered = sizes.iter().enumerate();
            numbered.map(|(i, &size)| Pass::new(&session, first + i, size)).collect()
        };
        Ok(Machine {
            weights: state_names(&prediction),
            steps: passes(0, &steps)?,
            evaluations: passes(steps.len(), &evaluations)?,
            session,
            // Random numbers are keyed by 32 bits, so both halves of the seed take part.
            seed: (trainer.seed ^ (trainer.seed >> 32)) as i32,
            inputs: Vec::new(),
            values: Vec::new(),
            classes: Vec::new(),
        })
    }

    /// One step, counted from 1; gives its loss.
    pub(super) fn learn(
        &mut self,
        examples: &Examples,
        rows: &[u32],
        lr: f64,
        step: usize,
    ) -> Result<f32, TrainError> {
        let pass = pass_for(&self.steps, rows.len());
        for (name, value) in [("lr", lr as f32), ("step", step as f32)] {
            let slot = self.session.input(pass.graph, name)?;
            self.session.write_slot(slot, name, &[value])?;
        }
        // Only a network with dropout has it.
        if let Ok(slot) = self.session.input(pass.graph, "random") {
            self.session.write_slot_i32(slot, "random", &[self.seed, step as i32])?;
        }
        self.run(examples, rows, pass)
    }

    /// The scores of `rows`.
    pub(super) fn evaluate(
        &mut self,
        examples: &Examples,
        rows: &[u32],
    ) -> Result<Scores, TrainError> {
        let mut scoring = None;
        let size = self.evaluations.first().map_or(1, |pass| pass.size);
        for rows in rows.chunks(size) {
            let pass = pass_for(&self.evaluations, rows.len());
            let loss = self.run(examples, rows, pass)?;
            let output = self.session.output(pass.graph, "prediction")?;
            let predictions = self.session.read_slot(output);
            let outputs = predictions.len() / rows.len();
            let scoring = scoring.get_or_insert_with(|| Scoring::new(examples.targets(), outputs));
            scoring.add_loss(loss, rows.len());
            match examples.targets() {
                Targets::Values { .. } => scoring.add_values(&predictions, &self.values),
                Targets::Classes(_) => scoring.add_classes(&predictions, &self.classes),
            }
        }
        let nothing = || Scoring::new(examples.targets(), 0);
        Ok(scoring.unwrap_or_else(nothing).finish())
    }

    /// Runs a graph on a batch; gives its loss.
    fn run(&mut self, examples: &Examples, rows: &[u32], pass: Pass) -> Result<f32, TrainError> {
        examples.gather_inputs(rows, &mut self.inputs);
        self.session.write_slot(pass.x, "x", &self.inputs)?;
        match examples.targets() {
            Targets::Values { width, values } => {
                gather(values, *width, rows, &mut self.values);
                self.session.write_slot(pass.y, "y", &self.values)?;
            }
            Targets::Classes(classes) => {
                self.classes.clear();
                self.classes.extend(rows.iter().map(|&row| classes[row as usize]));
                self.session.write_slot_i32(pass.y, "y", &self.classes)?;
            }
        }
        self.session.run_graph(pass.graph)?;
        let mut loss = [0.0];
        self.session.read_slot_into(pass.loss, &mut loss)?;
        Ok(loss[0])
    }
}

/// Refuses classes the network has no output for.
fn expect_classes(examples: &Examples, prediction: &Graph) -> Result<(), TrainError> {
    let Targets::Classes(classes) = examples.targets() else { return Ok(()) };
    let outputs: usize =
        prediction.outputs().iter().map(|output| prediction.ty(output.value).numel()).sum();
    let largest = classes.iter().copied().max().unwrap_or(0);
    match usize::try_from(largest).is_ok_and(|class| class >= outputs) {
        true => Err(TrainError::Data {
            problem: format!("there is a class {largest}, but the network has {outputs} outputs"),
            remedy: "give the last layer one output for each class, counted from 0",
        }),
        false => Ok(()),
    }
}

/// The pass for batches of a size; the first is for whole ones.
fn pass_for(passes: &[Pass], size: usize) -> Pass {
    passes.iter().find(|pass| pass.size == size).copied().unwrap_or(passes[0])
}

impl Pass {
    fn new(session: &Session, graph: usize, size: usize) -> Result<Pass, EngineError> {
        Ok(Pass {
            graph,
            size,
            x: session.input(graph, "x")?,
            y: session.input(graph, "y")?,
            loss: session.output(graph, "loss")?,
        })
    }
}
