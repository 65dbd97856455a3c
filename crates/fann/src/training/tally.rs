//! The error over the samples seen: mean square error and failed bits.

use crate::activation::Activation;
use crate::data::Samples;
use crate::error::{Error, Result};
use crate::network::Network;
use crate::parameters::StopFunction;
use crate::real::Real;

/// Sums of errors. FANN keeps them in single precision whatever the number type.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    /// The sum of squares.
    pub squares: f32,
    /// How many outputs are in it.
    pub count: u32,
    /// How many of them failed.
    pub bit_fail: u32,
}

/// By what the differences at outputs of this function count.
#[inline(always)]
pub(crate) fn half_if_symmetric<T: Real>(function: Activation) -> T {
    T::of_f32(if function.is_symmetric() { 0.5 } else { 1.0 })
}

impl Tally {
    /// Adds an output's error, halved already where the function is symmetric.
    #[inline(always)]
    pub fn add<T: Real>(&mut self, error: T, limit: T) {
        self.squares += (error * error).f32();
        self.bit_fail += u32::from(error.abs() >= limit);
        self.count += 1;
    }

    /// Adds the errors of other samples.
    pub fn add_all(&mut self, others: Tally) {
        self.squares += others.squares;
        self.bit_fail += others.bit_fail;
        self.count += others.count;
    }

    pub fn mse(&self) -> f32 {
        if self.count == 0 { 0.0 } else { self.squares / self.count as f32 }
    }
}

impl<T: Real> Network<T> {
    /// The mean square error of the samples tested or trained since the last reset.
    pub fn mse(&self) -> f32 {
        self.tally.mse()
    }

    /// The sum of squares under [`mse`](Network::mse).
    pub fn square_error(&self) -> f32 {
        self.tally.squares
    }

    /// How many outputs were off by more than the limit since the last reset.
    pub fn bit_fail(&self) -> u32 {
        self.tally.bit_fail
    }

    /// Forgets the errors so far.
    pub fn reset_mse(&mut self) {
        self.tally = Tally::default();
    }

    /// Whether the error is as small as desired, by the stop function in use.
    pub fn desired_error_reached(&self, desired_error: f32) -> bool {
        match self.training.train_stop_function {
            StopFunction::Mse => self.mse() <= desired_error,
            StopFunction::Bit => self.tally.bit_fail <= desired_error as u32,
        }
    }

    /// Runs one sample and adds its error.
    ///
    /// # Errors
    /// The numbers of inputs or outputs are not those of the network.
    pub fn test(&mut self, input: &[T], desired: &[T]) -> Result<&[T]> {
        if desired.len() != self.num_output() {
            return Err(Error::OutputNoMatch { network: self.num_output(), data: desired.len() });
        }
        self.run(input)?;
        let first = self.layout.output().first;
        for (i, wanted) in desired.iter().enumerate() {
            let error = *wanted - self.output()[i];
            let error = error * half_if_symmetric(self.functions[first + i]);
            self.tally.add(error, self.training.bit_fail_limit);
        }
        Ok(self.output())
    }

    /// The mean square error over all samples; resets first.
    ///
    /// # Errors
    /// The data do not fit the network.
    pub fn test_data<'a>(&mut self, data: impl Into<Samples<'a, T>>) -> Result<f32> {
        let data = data.into();
        self.check(data)?;
        self.reset_mse();
        for row in 0..data.len() {
            self.test(data.input(row), data.output(row))?;
        }
        Ok(self.mse())
    }

    /// Whether data have the inputs and outputs of the network.
    ///
    /// # Errors
    /// [`Error::InputNoMatch`] and [`Error::OutputNoMatch`].
    pub fn check<'a>(&self, data: impl Into<Samples<'a, T>>) -> Result<()> {
        let data = data.into();
        let (network, given) = (self.num_input(), data.num_input());
        if network != given {
            return Err(Error::InputNoMatch { network, data: given });
        }
        let (network, given) = (self.num_output(), data.num_output());
        if network != given {
            return Err(Error::OutputNoMatch { network, data: given });
        }
        Ok(())
    }
}
