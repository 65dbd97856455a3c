//! Scaling that belongs to a network: inputs and outputs to a mean of 0 and a deviation of 1, then to a range.

use crate::data::{Samples, TrainData};
use crate::error::{Error, Result};
use crate::network::Network;
use crate::real::Real;

/// How one side of a network is scaled; each list has a number for each input or output.
#[derive(Clone, Debug, PartialEq)]
pub struct SideScaling {
    /// What is taken away.
    pub mean: Vec<f32>,
    /// By what is divided.
    pub deviation: Vec<f32>,
    /// What -1 becomes.
    pub new_min: Vec<f32>,
    /// Half the width of the range.
    pub factor: Vec<f32>,
}

/// How inputs and outputs are scaled.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// The inputs.
    pub input: SideScaling,
    /// The outputs.
    pub output: SideScaling,
}

impl SideScaling {
    pub(crate) fn none(width: usize) -> SideScaling {
        SideScaling {
            mean: vec![0.0; width],
            deviation: vec![1.0; width],
            new_min: vec![-1.0; width],
            factor: vec![1.0; width],
        }
    }

    /// The scaling of these rows to a range; plain where there are none.
    fn of<T: Real>(rows: &[T], width: usize, len: usize, min: f32, max: f32) -> SideScaling {
        let mut side = SideScaling::none(width);
        if len == 0 {
            return side;
        }
        for column in 0..width {
            let values = || rows.iter().skip(column).step_by(width).map(|x| x.f32());
            let mean = values().fold(0.0, |sum, x| sum + x) / len as f32;
            let spread = values().fold(0.0, |sum, x| sum + (x - mean) * (x - mean));
            side.mean[column] = mean;
            side.deviation[column] = f64::from(spread / len as f32).sqrt() as f32;
        }
        side.new_min.fill(min);
        side.factor.fill((max - min) / 2.0);
        side
    }

    fn scale<T: Real>(&self, vector: &mut [T]) {
        let params =
            self.mean.iter().zip(&self.deviation).zip(self.factor.iter().zip(&self.new_min));
        for (x, ((mean, deviation), (factor, min))) in vector.iter_mut().zip(params) {
            let unit = (*x - T::of_f32(*mean)) / T::of_f32(*deviation) + T::ONE;
            *x = unit * T::of_f32(*factor) + T::of_f32(*min);
        }
    }

    fn descale<T: Real>(&self, vector: &mut [T]) {
        let params =
            self.mean.iter().zip(&self.deviation).zip(self.factor.iter().zip(&self.new_min));
        for (x, ((mean, deviation), (factor, min))) in vector.iter_mut().zip(params) {
            let unit = (*x - T::of_f32(*min)) / T::of_f32(*factor) - T::ONE;
            *x = unit * T::of_f32(*deviation) + T::of_f32(*mean);
        }
    }
}

impl Scaling {
    pub(crate) fn none(inputs: usize, outputs: usize) -> Scaling {
        Scaling { input: SideScaling::none(inputs), output: SideScaling::none(outputs) }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + 16 * (self.input.mean.len() + self.output.mean.len())
    }
}

impl<T: Real> Network<T> {
    /// The scaling, if there is one.
    pub fn scaling(&self) -> Option<&Scaling> {
        self.scaling.as_deref()
    }

    /// Fits the scaling of the inputs to data, so that a deviation of 1 spans the range.
    ///
    /// # Errors
    /// [`Error::TrainDataMismatch`] where the data do not fit the network.
    pub fn set_input_scaling<'a>(
        &mut self,
        data: impl Into<Samples<'a, T>>,
        min: f32,
        max: f32,
    ) -> Result<()> {
        let data = self.fitting(data.into())?;
        let side = SideScaling::of(data.inputs(), data.num_input(), data.len(), min, max);
        self.scaling_or_none().input = side;
        Ok(())
    }

    /// Fits the scaling of the outputs to data.
    ///
    /// # Errors
    /// [`Error::TrainDataMismatch`] where the data do not fit the network.
    pub fn set_output_scaling<'a>(
        &mut self,
        data: impl Into<Samples<'a, T>>,
        min: f32,
        max: f32,
    ) -> Result<()> {
        let data = self.fitting(data.into())?;
        let side = SideScaling::of(data.outputs(), data.num_output(), data.len(), min, max);
        self.scaling_or_none().output = side;
        Ok(())
    }

    /// Fits both, inputs and outputs each to its range.
    ///
    /// # Errors
    /// [`Error::TrainDataMismatch`] where the data do not fit the network.
    pub fn set_scaling<'a>(
        &mut self,
        data: impl Into<Samples<'a, T>>,
        input: (f32, f32),
        output: (f32, f32),
    ) -> Result<()> {
        let data = data.into();
        self.set_input_scaling(data, input.0, input.1)?;
        self.set_output_scaling(data, output.0, output.1)
    }

    /// Makes the scaling one that changes nothing but by FANN's default range.
    pub fn clear_scaling(&mut self) {
        *self.scaling_or_none() = Scaling::none(self.num_input(), self.num_output());
    }

    /// Scales inputs before they are run.
    ///
    /// # Errors
    /// [`Error::ScaleNotPresent`] without scaling.
    pub fn scale_input(&self, input: &mut [T]) -> Result<()> {
        self.present()?.input.scale(input);
        Ok(())
    }

    /// Scales outputs before they are trained.
    ///
    /// # Errors
    /// [`Error::ScaleNotPresent`] without scaling.
    pub fn scale_output(&self, output: &mut [T]) -> Result<()> {
        self.present()?.output.scale(output);
        Ok(())
    }

    /// Undoes [`scale_input`](Network::scale_input).
    ///
    /// # Errors
    /// [`Error::ScaleNotPresent`] without scaling.
    pub fn descale_input(&self, input: &mut [T]) -> Result<()> {
        self.present()?.input.descale(input);
        Ok(())
    }

    /// Undoes [`scale_output`](Network::scale_output), also for what a run gives.
    ///
    /// # Errors
    /// [`Error::ScaleNotPresent`] without scaling.
    pub fn descale_output(&self, output: &mut [T]) -> Result<()> {
        self.present()?.output.descale(output);
        Ok(())
    }

    /// Scales all rows.
    ///
    /// # Errors
    /// [`Error::ScaleNotPresent`] without scaling, and where the data do not fit the network.
    pub fn scale_data(&self, data: &mut TrainData<T>) -> Result<()> {
        let scaling = self.present()?;
        self.check(data.samples())?;
        let (inputs, outputs) = (data.num_input(), data.num_output());
        data.inputs_mut().chunks_exact_mut(inputs).for_each(|row| scaling.input.scale(row));
        data.outputs_mut().chunks_exact_mut(outputs).for_each(|row| scaling.output.scale(row));
        Ok(())
    }

    /// Undoes [`scale_data`](Network::scale_data).
    ///
    /// # Errors
    /// [`Error::ScaleNotPresent`] without scaling, and where the data do not fit the network.
    pub fn descale_data(&self, data: &mut TrainData<T>) -> Result<()> {
        let scaling = self.present()?;
        self.check(data.samples())?;
        let (inputs, outputs) = (data.num_input(), data.num_output());
        data.inputs_mut().chunks_exact_mut(inputs).for_each(|row| scaling.input.descale(row));
        data.outputs_mut().chunks_exact_mut(outputs).for_each(|row| scaling.output.descale(row));
        Ok(())
    }

    fn present(&self) -> Result<&Scaling> {
        self.scaling.as_deref().ok_or(Error::ScaleNotPresent)
    }

    fn scaling_or_none(&mut self) -> &mut Scaling {
        let (inputs, outputs) = (self.num_input(), self.num_output());
        self.scaling.get_or_insert_with(|| Box::new(Scaling::none(inputs, outputs)))
    }

    fn fitting<'a>(&self, data: Samples<'a, T>) -> Result<Samples<'a, T>> {
        self.check(data).map(|()| data).map_err(|_| Error::TrainDataMismatch)
    }
}
