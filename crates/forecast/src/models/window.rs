//! Window: what a model sees of a batch of windows.

use whimbrel_graph::{GraphError, Var};

/// A batch of look-backs with what belongs to them, as values of a graph.
#[derive(Clone, Copy, Debug)]
pub struct Window<'g> {
    /// The values of the look-back, `[input_size, batch]`.
    pub y: Var<'g>,
    /// 1 where a value of the look-back is known, else 0, `[input_size, batch]`; none where all are.
    pub mask: Option<Var<'g>>,
    /// Columns known up to now, `[input_size, columns, batch]`.
    pub historic: Option<Var<'g>>,
    /// Columns known ahead, `[input_size + horizon, columns, batch]`.
    pub future: Option<Var<'g>>,
    /// Numbers of a series that never change, `[columns, batch]`.
    pub fixed: Option<Var<'g>>,
    /// Steps to forecast.
    pub horizon: usize,
    /// Numbers the loss needs for each step.
    pub outputs: usize,
}

impl<'g> Window<'g> {
    /// A window of values alone, one number for each step ahead.
    pub fn of(y: Var<'g>, horizon: usize) -> Window<'g> {
        let (mask, historic, future, fixed) = (None, None, None, None);
        Window { y, mask, historic, future, fixed, horizon, outputs: 1 }
    }

    /// Steps looked back over.
    pub fn input_size(&self) -> usize {
        self.y.shape()[0]
    }

    /// Windows in the batch.
    pub fn batch(&self) -> usize {
        self.y.shape()[1]
    }

    /// The last value of the look-back, `[1, batch]`.
    pub fn last(&self) -> Result<Var<'g>, GraphError> {
        self.y.slice(0, self.input_size() - 1, self.input_size())
    }

    /// All that is known of a window in one column: values, historic, future, fixed.
    pub(super) fn flat(&self) -> Result<Var<'g>, GraphError> {
        let mut columns = vec![self.y];
        for steps in [self.historic, self.future].into_iter().flatten() {
            columns.push(flatten(steps)?);
        }
        columns.extend(self.fixed);
        join(&columns, 0)
    }

    /// All that is known at each step of the look-back, `[input_size, channels, batch]`: value,
    /// historic, fixed, future.
    pub(super) fn channels(&self) -> Result<Var<'g>, GraphError> {
        let (time, batch) = (self.input_size(), self.batch());
        let mut channels = vec![self.y.reshape([time, 1, batch])?];
        channels.extend(self.historic);
        if let Some(fixed) = self.fixed {
            channels.push(fixed.broadcast([time, fixed.shape()[0], batch])?);
        }
        if let Some(future) = self.future {
            channels.push(future.slice(0, 0, time)?);
        }
        join(&channels, 1)
    }

    /// States `[horizon, channels, batch]` beside what is known of the steps ahead.
    pub(super) fn with_future(&self, states: Var<'g>) -> Result<Var<'g>, GraphError> {
        let time = self.input_size();
        match self.future {
            Some(future) => Var::concat(&[states, future.slice(0, time, time + self.horizon)?], 1),
            None => Ok(states),
        }
    }

    /// The numbers of all steps, `[horizon * outputs, batch]` or alike, as a forecast.
    pub(super) fn forecast(&self, numbers: Var<'g>) -> Result<Var<'g>, GraphError> {
        numbers.reshape([self.horizon, self.outputs, self.batch()])
    }
}

/// Time and channels as one axis.
pub(super) fn flatten(x: Var<'_>) -> Result<Var<'_>, GraphError> {
    x.reshape([x.shape()[0] * x.shape()[1], x.shape()[2]])
}

/// Values one after another; one alone stays as it is.
pub(super) fn join<'g>(parts: &[Var<'g>], axis: usize) -> Result<Var<'g>, GraphError> {
    match parts {
        [only] => Ok(*only),
        parts => Var::concat(parts, axis),
    }
}
