//! Epochs: once over the data with the algorithm chosen, again and again until the error is small enough.

use super::follow::Weights;
use super::tally::Tally;
use super::{batch, quickprop, rprop, sarprop};
use crate::data::Samples;
use crate::error::{Error, Result};
use crate::network::Network;
use crate::parameters::Algorithm;
use crate::real::Real;
use std::ops::{ControlFlow, Range};
use whimbrel_threads::Pool;

impl<T: Real> Network<T> {
    /// Trains once over the data with the algorithm chosen. Returns the mean square error, measured on the way.
    ///
    /// # Errors
    /// The data do not fit the network, or there is no memory.
    pub fn train_epoch<'a>(&mut self, data: impl Into<Samples<'a, T>>) -> Result<f32> {
        self.epoch(data.into(), None)
    }

    /// [`train_epoch`](Network::train_epoch) on a team of threads, with the same bits for any number of them.
    /// Incremental training takes one sample after another and uses one thread.
    ///
    /// # Errors
    /// As [`train_epoch`](Network::train_epoch).
    pub fn train_epoch_on<'a>(
        &mut self,
        pool: &Pool,
        data: impl Into<Samples<'a, T>>,
    ) -> Result<f32> {
        self.epoch(data.into(), Some(pool))
    }

    fn epoch(&mut self, samples: Samples<'_, T>, pool: Option<&Pool>) -> Result<f32> {
        self.check(samples)?;
        self.tally = Tally::default();
        if self.training.training_algorithm == Algorithm::Incremental {
            self.train_incremental(samples)?;
            return Ok(self.mse());
        }
        self.need_state()?;
        if self.is_few(&samples) {
            self.train_few(&samples)?;
        } else {
            self.add_slopes(samples, pool)?;
            self.take_step(0..self.layout.connections, samples.len())?;
            self.cool();
        }
        Ok(self.mse())
    }

    /// Makes room for what the algorithm remembers.
    pub(crate) fn need_state(&mut self) -> Result<()> {
        match self.training.training_algorithm {
            Algorithm::Incremental | Algorithm::Batch => Ok(()),
            _ => self.state.need_steps(self.layout.connections, &self.training),
        }
    }

    /// Lets some weights follow their slopes, by the algorithm chosen.
    pub(crate) fn take_step(&mut self, range: Range<usize>, samples: usize) -> Result<()> {
        let mse = self.mse();
        let state = &mut self.state;
        let weights = &mut self.block[range.clone()];
        let slopes = &mut state.slopes[range.clone()];
        let algorithm = self.training.training_algorithm;
        if algorithm == Algorithm::Batch {
            batch::step(&self.training, samples, weights, slopes);
            return Ok(());
        }
        let prev_steps = &mut state.prev_steps[range.clone()];
        let prev_slopes = &mut state.prev_slopes[range];
        let weights = Weights { weights, slopes, prev_steps, prev_slopes };
        match algorithm {
            Algorithm::Rprop => rprop::step(&self.training, weights),
            Algorithm::Quickprop => quickprop::step(&self.training, samples, weights),
            Algorithm::Sarprop => sarprop::step(&self.training, mse, &mut self.random, weights),
            Algorithm::Incremental | Algorithm::Batch => return Err(Error::CantUseTrainAlg),
        }
        Ok(())
    }

    /// Counts an epoch of SARPROP.
    pub(crate) fn cool(&mut self) {
        if self.training.training_algorithm == Algorithm::Sarprop {
            self.training.sarprop_epoch = self.training.sarprop_epoch.wrapping_add(1);
        }
    }

    /// Trains until the error is as small as desired, or `max_epochs` are over. Returns the epochs taken.
    ///
    /// What the desired error is follows from
    /// [`train_stop_function`](crate::TrainParameters::train_stop_function): the mean square error, or a number of
    /// failed bits.
    ///
    /// # Errors
    /// The data do not fit the network, or there is no memory.
    pub fn train_on_data<'a>(
        &mut self,
        data: impl Into<Samples<'a, T>>,
        max_epochs: u32,
        desired_error: f32,
    ) -> Result<u32> {
        self.train_on_data_with(
            data,
            max_epochs,
            0,
            desired_error,
            |_, _| ControlFlow::Continue(()),
        )
    }

    /// [`train_on_data`](Network::train_on_data) that reports: `report` is called with the network and the epochs so
    /// far after the first epoch, every `epochs_between_reports`, and at the end. It may break the training off.
    /// With 0 epochs between reports there are none.
    ///
    /// # Errors
    /// As [`train_on_data`](Network::train_on_data).
    pub fn train_on_data_with<'a>(
        &mut self,
        data: impl Into<Samples<'a, T>>,
        max_epochs: u32,
        epochs_between_reports: u32,
        desired_error: f32,
        mut report: impl FnMut(&mut Network<T>, u32) -> ControlFlow<()>,
    ) -> Result<u32> {
        let samples = data.into();
        for epoch in 1..=max_epochs {
            self.train_epoch(samples)?;
            let reached = self.desired_error_reached(desired_error);
            let ends = reached || epoch == max_epochs || epoch == 1;
            let due = epochs_between_reports > 0 && (ends || epoch % epochs_between_reports == 0);
            if due && report(self, epoch).is_break() || reached {
                return Ok(epoch);
            }
        }
        Ok(max_epochs)
    }
}
