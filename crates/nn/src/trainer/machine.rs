//! Machine: the compiled graphs of a training, run on batches.

use super::batch::Batch;
use super::feed::{Counts, Feed};
use super::graphs::{Gradients, evaluating, state_names, training};
use super::inputs::write_inputs;
use super::scores::Scoring;
use super::{RowForm, Scores, Targets, TrainError, Trainer};
use crate::optimisers::{average_of, is_sum};
use whimbrel_engine::{EngineError, Options, Session, Slot};
use whimbrel_graph::Graph;

/// The session of a training and where its graphs take and give values.
pub(super) struct Machine {
    pub session: Session,
    /// The state that predictions need; the rest is the optimiser's.
    pub weights: Vec<String>,
    /// What the inputs are called, if that is known.
    pub input_names: Vec<String>,
    /// Whether the optimiser averages the weights; then evaluations use the averages.
    averaged: bool,
    /// For the last batch of a step, or its only one.
    steps: Vec<Pass>,
    /// For the batches before it.
    gathering: Vec<Pass>,
    evaluations: Vec<Pass>,
    seed: i32,
    /// Room for the inputs of a batch that are indices.
    indices: Vec<i32>,
}

/// A graph compiled for batches of one size.
#[derive(Clone, Copy)]
struct Pass {
    graph: usize,
    size: usize,
    x: Slot,
    y: Slot,
    loss: Slot,
    /// What only some graphs have.
    weight: Option<Slot>,
    lr: Option<Slot>,
    step: Option<Slot>,
    share: Option<Slot>,
    later: Option<Slot>,
    random: Option<Slot>,
}

/// What a batch is in a training.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub lr: f64,
    /// The step, counted from 1.
    pub step: usize,
    /// The number of the batch in the training, counted from 1: the same as the step, unless steps have
    /// several.
    pub number: usize,
    /// The part of the step's rows that it has.
    pub share: f64,
    pub first: bool,
    pub last: bool,
}

impl Turn {
    /// The only batch of a step.
    pub(super) fn alone(lr: f64, step: usize) -> Turn {
        Turn { lr, step, number: step, share: 1.0, first: true, last: true }
    }
}

/// The sizes of batches that `rows` are cut into: whole ones, and what is left.
fn sizes(rows: usize, batch: usize) -> Vec<usize> {
    let whole = batch.min(rows);
    [whole, rows.checked_rem(whole).unwrap_or(0)].into_iter().filter(|&size| size > 0).collect()
}

/// How the graphs of a training are compiled.
pub(super) fn options(trainer: &Trainer) -> Options {
    Options { seed: trainer.seed, threads: trainer.threads, ..Options::default() }
}

/// The graphs of a training, and the size of batches each is for: first the steps, then the gathering
/// of gradients, then the evaluations.
pub(super) struct Graphs {
    pub all: Vec<Graph>,
    steps: Vec<usize>,
    gathering: Vec<usize>,
    evaluations: Vec<usize>,
    averaged: bool,
}

impl Graphs {
    /// Those for so many rows; the first is a step on a whole batch.
    pub(super) fn of(
        trainer: &Trainer,
        form: RowForm,
        counts: Counts,
    ) -> Result<Graphs, TrainError> {
        let steps = sizes(counts.learn, trainer.batch_size);
        let evaluations = sizes(counts.validate, trainer.batch_size);
        let several = trainer.accumulate > 1 && counts.learn > trainer.batch_size;
        let gathering = if several { vec![trainer.batch_size] } else { Vec::new() };
        let follow = if several { Gradients::FollowGathered } else { Gradients::Follow };
        let averaged = trainer.optimiser.ema.is_some() && !steps.is_empty();
        let mut all = Vec::new();
        for &size in &steps {
            all.push(training(trainer, form, size, follow)?);
        }
        for &size in &gathering {
            all.push(training(trainer, form, size, Gradients::Gather)?);
        }
        for &size in &evaluations {
            all.push(evaluating(trainer, form, size, averaged)?);
        }
        Ok(Graphs { all, steps, gathering, evaluations, averaged })
    }
}

impl Machine {
    /// Compiles the graphs for so many rows; without rows to learn from it only evaluates. `prediction`
    /// tells the weights.
    pub(super) fn new(
        trainer: &Trainer,
        form: RowForm,
        counts: Counts,
        prediction: &Graph,
    ) -> Result<Machine, TrainError> {
        let graphs = Graphs::of(trainer, form, counts)?;
        let session = Session::with_options(&graphs.all, &options(trainer))?;
        let passes = |first: usize, sizes: &[usize]| -> Result<Vec<Pass>, EngineError> {
            let numbered = sizes.iter().enumerate();
            numbered.map(|(i, &size)| Pass::new(&session, first + i, size)).collect()
        };
        let Graphs { steps, gathering, evaluations, averaged, .. } = graphs;
        Ok(Machine {
            weights: state_names(prediction),
            input_names: trainer.input_names.clone(),
            averaged,
            steps: passes(0, &steps)?,
            gathering: passes(steps.len(), &gathering)?,
            evaluations: passes(steps.len() + gathering.len(), &evaluations)?,
            session,
            // Random numbers are keyed by 32 bits, so both halves of the seed take part.
            seed: (trainer.seed ^ (trainer.seed >> 32)) as i32,
            indices: Vec::new(),
        })
    }

    /// Learns from a batch; gives its loss.
    pub(super) fn learn(&mut self, batch: &Batch, turn: Turn) -> Result<f32, TrainError> {
        let passes = if turn.last { &self.steps } else { &self.gathering };
        let pass = pass_for(passes, batch.rows);
        let numbers = [
            (pass.lr, turn.lr as f32),
            (pass.step, turn.step as f32),
            (pass.share, turn.share as f32),
            (pass.later, f32::from(!turn.first)),
        ];
        for (slot, number) in numbers {
            slot.map_or(Ok(()), |slot| self.session.write_slot(slot, "number", &[number]))?;
        }
        if let Some(slot) = pass.random {
            self.session.write_slot_i32(slot, "random", &[self.seed, turn.number as i32])?;
        }
        self.run(batch, pass)
    }

    /// Whether a checkpoint needs a state value: gradients are gathered within a step.
    pub(super) fn keeps(name: &str) -> bool {
        !is_sum(name)
    }

    /// The scores of the rows of the validation.
    pub(super) fn evaluate(
        &mut self,
        trainer: &Trainer,
        feed: &Feed,
    ) -> Result<Scores, TrainError> {
        let form = feed.form();
        let mut scoring = None;
        let size = self.evaluations.first().map_or(1, |pass| pass.size);
        feed.validate(size, |batch| {
            let pass = pass_for(&self.evaluations, batch.rows);
            let loss = self.run(batch, pass)?;
            let output = self.session.output(pass.graph, "prediction")?;
            let predictions = self.session.read_slot(output);
            let outputs = predictions.len() / batch.rows;
            let scoring =
                scoring.get_or_insert_with(|| Scoring::new(trainer, form.target, outputs));
            scoring.add_loss(loss, batch.weight());
            match &batch.targets {
                Targets::Values { values, .. } => scoring.add_values(&predictions, values),
                Targets::Classes(classes) => scoring.add_classes(&predictions, classes),
            }
            Ok(())
        })?;
        Ok(scoring.unwrap_or_else(|| Scoring::new(trainer, form.target, 0)).finish())
    }

    /// The weight that evaluations use in the place of one: its average, where there is one.
    pub(super) fn evaluated(&self, weight: &str) -> Result<Vec<f32>, EngineError> {
        let average = self.averaged.then(|| average_of(weight));
        match average.filter(|average| self.session.state(average).is_ok()) {
            Some(average) => self.session.read_state(&average),
            None => self.session.read_state(weight),
        }
    }

    /// The first weight with a number that is not finite, or whose average has one.
    pub(super) fn not_finite(&self) -> Result<Option<&str>, EngineError> {
        let finite = |numbers: Vec<f32>| numbers.iter().all(|x| x.is_finite());
        for name in &self.weights {
            let averaged = !self.averaged || finite(self.evaluated(name)?);
            if !averaged || !finite(self.session.read_state(name)?) {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// Runs a graph on a batch; gives its loss.
    fn run(&mut self, batch: &Batch, pass: Pass) -> Result<f32, TrainError> {
        write_inputs(&mut self.session, pass.x, &batch.inputs, &mut self.indices)?;
        match &batch.targets {
            Targets::Values { values, .. } => self.session.write_slot(pass.y, "y", values)?,
            Targets::Classes(classes) => self.session.write_slot_i32(pass.y, "y", classes)?,
        }
        if let Some(slot) = pass.weight {
            self.session.write_slot(slot, "weight", &batch.weights)?;
        }
        self.session.run_graph(pass.graph)?;
        let mut loss = [0.0];
        self.session.read_slot_into(pass.loss, &mut loss)?;
        Ok(loss[0])
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
            weight: session.input(graph, "weight").ok(),
            lr: session.input(graph, "lr").ok(),
            step: session.input(graph, "step").ok(),
            share: session.input(graph, "share").ok(),
            later: session.input(graph, "later").ok(),
            random: session.input(graph, "random").ok(),
        })
    }
}
