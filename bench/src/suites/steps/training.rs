//! A training step: gather, forecast, mean absolute error, gradients, Adam.

use super::Failure;
use super::limit;
use super::parameters;
use crate::fill;
use crate::machine::Work;
use crate::models::{HORIZON, INPUT, Model};
use whimbrel_engine::{EngineError, Options, Session, Slot};
use whimbrel_graph::ops::{Adam, Role};
use whimbrel_graph::{Builder, Graph, Init, Type};
use whimbrel_nn::{NnError, Scope};

/// Windows the batches are gathered from; `peers/steps.py` has the same numbers.
const WINDOWS: usize = 10_000;
/// Distance of one window of a batch to the next; prime to `WINDOWS`.
const STRIDE: usize = 7919;
const RATE: f32 = 1e-3;
const SEED: i32 = 1;

/// A model being trained.
pub struct Training {
    session: Session,
    index: Slot,
    rate: Slot,
    count: Slot,
    rng: Option<Slot>,
    loss: Slot,
    batches: Vec<Vec<i32>>,
    steps: usize,
    work: Work,
}

impl Training {
    /// A model with filled parameters before its first step.
    pub fn new(
        model: &Model,
        batch: usize,
        threads: usize,
        dropout: bool,
    ) -> Result<Training, Failure> {
        let dropout = dropout && model.drops_out();
        let graph = graph(model, batch, dropout)?;
        let work = limit::training(&graph, batch).map_err(EngineError::from)?;
        let options = Options { threads, ..Options::default() };
        let mut session = Session::with_options(std::slice::from_ref(&graph), &options)?;
        parameters::fill(&mut session, &graph)?;
        session.write_state("windows", &fill::values(101, WINDOWS * INPUT))?;
        session.write_state("targets", &fill::values(102, WINDOWS * HORIZON))?;
        let order: Vec<i32> = (0..WINDOWS).map(|i| (i * STRIDE % WINDOWS) as i32).collect();
        Ok(Training {
            index: session.input(0, "index")?,
            rate: session.input(0, "lr")?,
            count: session.input(0, "step")?,
            rng: if dropout { Some(session.input(0, "rng")?) } else { None },
            loss: session.output(0, "loss")?,
            session,
            batches: order.chunks_exact(batch).map(<[i32]>::to_vec).collect(),
            steps: 0,
            work,
        })
    }

    /// One step.
    pub fn step(&mut self) -> Result<(), EngineError> {
        let batch = &self.batches[self.steps % self.batches.len()];
        self.steps += 1;
        self.session.write_slot_i32(self.index, "index", batch)?;
        self.session.write_slot(self.rate, "lr", &[RATE])?;
        self.session.write_slot(self.count, "step", &[self.steps as f32])?;
        if let Some(rng) = self.rng {
            self.session.write_slot_i32(rng, "rng", &[SEED, self.steps as i32])?;
        }
        self.session.run()
    }

    /// The losses of the next `steps` steps.
    pub fn losses(&mut self, steps: usize) -> Result<Vec<f32>, EngineError> {
        let mut losses = vec![0.0; steps];
        for loss in &mut losses {
            self.step()?;
            self.session.read_slot_into(self.loss, std::slice::from_mut(loss))?;
        }
        Ok(losses)
    }

    /// Every state value, one after another: parameters, what Adam keeps of them, and the tables.
    pub fn state(&self) -> Result<Vec<f32>, EngineError> {
        let values = self.session.state_names().map(|name| self.session.read_state(name));
        Ok(values.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// What a step cannot avoid doing.
    pub fn work(&self) -> Work {
        self.work
    }
}

/// The graph of a training step.
pub fn graph(model: &Model, batch: usize, dropout: bool) -> Result<Graph, NnError> {
    let g = Builder::new();
    let index = g.batch("index", Type::i32([batch]))?;
    let windows = g.state("windows", [WINDOWS, INPUT], Init::Zeros, Role::Table)?;
    let targets = g.state("targets", [WINDOWS, HORIZON], Init::Zeros, Role::Table)?;
    let mut scope = Scope::training(&g);
    if dropout {
        scope = scope.with_random(g.input("rng", Type::i32([2]))?);
    }
    let forecast = model.forecast(windows.gather(index)?, &scope)?;
    let loss = forecast.sub(targets.gather(index)?)?.abs()?.mean()?;
    let parameters = g.parameters();
    let gradients = g.gradients(loss, &parameters)?;
    let (rate, count) = (g.input("lr", [])?, g.input("step", [])?);
    g.adam(Adam::default(), &parameters, &gradients, rate, count)?;
    g.output("loss", loss);
    Ok(g.finish()?)
}
