//! Inference: windows bound, forecasts read.

use super::Failure;
use super::limit;
use super::parameters;
use crate::fill;
use crate::machine::Work;
use crate::models::{HORIZON, INPUT, Model};
use whimbrel_engine::{EngineError, Options, Session, Slot};
use whimbrel_graph::{Builder, Graph};
use whimbrel_nn::{NnError, Scope};

/// A model with windows to forecast.
pub struct Inference {
    session: Session,
    x: Slot,
    y: Slot,
    windows: Vec<f32>,
    forecasts: Vec<f32>,
    work: Work,
}

impl Inference {
    /// A model with filled parameters and the first `batch` windows.
    pub fn new(model: &Model, batch: usize, threads: usize) -> Result<Inference, Failure> {
        let graph = graph(model, batch)?;
        let work = limit::inference(&graph, batch).map_err(EngineError::from)?;
        let options = Options { threads, ..Options::default() };
        let mut session = Session::with_options(std::slice::from_ref(&graph), &options)?;
        parameters::fill(&mut session, &graph)?;
        Ok(Inference {
            x: session.input(0, "x")?,
            y: session.output(0, "y")?,
            session,
            windows: transposed(&fill::values(101, batch * INPUT), batch),
            forecasts: vec![0.0; HORIZON * batch],
            work,
        })
    }

    /// One call.
    pub fn predict(&mut self) -> Result<(), EngineError> {
        self.session.write_slot(self.x, "x", &self.windows)?;
        self.session.run()?;
        self.session.read_slot_into(self.y, &mut self.forecasts)
    }

    /// The forecasts of a call, window by window.
    pub fn forecasts(&mut self) -> Result<Vec<f32>, EngineError> {
        self.predict()?;
        Ok(transposed(&self.forecasts, HORIZON))
    }

    /// What a call cannot avoid doing.
    pub fn work(&self) -> Work {
        self.work
    }
}

/// What a forecast of `batch` windows cannot avoid doing.
pub fn work(model: &Model, batch: usize) -> Result<Work, Failure> {
    Ok(limit::inference(&graph(model, batch)?, batch).map_err(EngineError::from)?)
}

/// A matrix of `rows` rows, columns first.
fn transposed(matrix: &[f32], rows: usize) -> Vec<f32> {
    let columns = matrix.len() / rows;
    (0..matrix.len()).map(|at| matrix[at % rows * columns + at / rows]).collect()
}

fn graph(model: &Model, batch: usize) -> Result<Graph, NnError> {
    let g = Builder::new();
    let x = g.batch("x", [INPUT, batch])?;
    g.output("y", model.forecast(x, &Scope::predicting(&g))?);
    Ok(g.finish()?)
}
