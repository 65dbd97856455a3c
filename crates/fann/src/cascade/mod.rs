//! Cascade training: the network grows, one neuron at a time.
//!
//! The outputs are trained until they stand still. Then candidates of many functions and steepnesses, connected to
//! everything before the outputs, are trained to follow the error that is left; the best is installed as a layer of
//! its own, and so on. Only weights of outputs or of candidates change at a time, so that the values of all other
//! neurons are computed once for all samples (`memory`).

mod candidates;
mod install;
mod memory;
mod outputs;

use crate::data::Samples;
use crate::error::{Error, Result};
use crate::layout::Wiring;
use crate::network::Network;
use crate::parameters::{Algorithm, NetworkType};
use crate::real::Real;
use memory::Memory;
use std::ops::ControlFlow;

impl<T: Real> Network<T> {
    /// Grows a shortcut network, by at most `max_neurons`, until the error is as small as desired; the stop function
    /// says which error. Returns the epochs taken, of outputs and candidates.
    ///
    /// ```
    /// use whimbrel_fann::{Activation, Network, StopFunction, TrainData};
    /// # fn main() -> Result<(), whimbrel_fann::Error> {
    /// let xor = TrainData::<f32>::from_rows(&[
    ///     (&[-1.0, -1.0], &[-1.0]),
    ///     (&[-1.0, 1.0], &[1.0]),
    ///     (&[1.0, -1.0], &[1.0]),
    ///     (&[1.0, 1.0], &[-1.0]),
    /// ])?;
    /// let mut network = Network::<f32>::shortcut(&[2, 1])?;
    /// network.set_activation_function_output(Activation::SigmoidSymmetric);
    /// network.training.train_stop_function = StopFunction::Bit;
    /// network.cascade_train_on_data(&xor, 10, 0.0)?;
    /// network.test_data(&xor)?;
    /// assert_eq!(network.bit_fail(), 0);
    /// assert!(network.num_layers() > 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::CantUseTrainAlg`] where the network is not a fully connected shortcut network, or the algorithm is
    /// incremental or batch; the data do not fit the network; there is no memory.
    pub fn cascade_train_on_data<'a>(
        &mut self,
        data: impl Into<Samples<'a, T>>,
        max_neurons: u32,
        desired_error: f32,
    ) -> Result<u32> {
        let silent = |_: &mut Network<T>, _| ControlFlow::Continue(());
        self.cascade_train_on_data_with(data, max_neurons, 0, desired_error, silent)
    }

    /// [`cascade_train_on_data`](Network::cascade_train_on_data) that reports: `report` is called with the network and
    /// the epochs so far whenever outputs were trained and `neurons_between_reports` were added, at the first time and
    /// at the last. It may break the training off, and must not change weights.
    ///
    /// # Errors
    /// As [`cascade_train_on_data`](Network::cascade_train_on_data).
    pub fn cascade_train_on_data_with<'a>(
        &mut self,
        data: impl Into<Samples<'a, T>>,
        max_neurons: u32,
        neurons_between_reports: u32,
        desired_error: f32,
        mut report: impl FnMut(&mut Network<T>, u32) -> ControlFlow<()>,
    ) -> Result<u32> {
        let samples = data.into();
        self.check(samples)?;
        self.check_cascade()?;
        let mut memory = Memory::new(self, samples)?;
        let mut epochs = 0u32;
        for i in 1..=max_neurons {
            epochs = epochs.saturating_add(self.train_outputs(&mut memory, desired_error)?);
            let reached = self.desired_error_reached(desired_error);
            let ends = reached || i == max_neurons || i == 1;
            let due = neurons_between_reports > 0 && (ends || i % neurons_between_reports == 0);
            if due && report(self, epochs).is_break() || reached {
                break;
            }
            if self.cascade.num_candidates() == 0 {
                break;
            }
            epochs = epochs.saturating_add(self.train_candidate(&mut memory)?);
        }
        epochs = epochs.saturating_add(self.train_outputs(&mut memory, 0.0)?);
        Ok(epochs)
    }

    /// Trains candidates and installs the best.
    fn train_candidate(&mut self, memory: &mut Memory<T>) -> Result<u32> {
        let (best, epochs) = self.train_candidates(memory)?;
        self.install(&best)?;
        memory.add_neuron(&best.weights, best.function, best.steepness)?;
        Ok(epochs)
    }

    fn check_cascade(&self) -> Result<()> {
        let algorithm = self.training.training_algorithm;
        let trains = !matches!(algorithm, Algorithm::Incremental | Algorithm::Batch);
        let shortcut = self.network_type() == NetworkType::Shortcut;
        if trains && shortcut && self.layout.wiring == Wiring::Full {
            return Ok(());
        }
        Err(Error::CantUseTrainAlg)
    }
}
