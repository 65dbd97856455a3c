//! Training of the outputs alone.

use super::memory::Memory;
use crate::activation::Activation;
use crate::error::Result;
use crate::network::Network;
use crate::parameters::ErrorFunction;
use crate::real::{LANES, Real};
use crate::training::{Tally, half_if_symmetric};
use whimbrel_kernels::simd::{Kernel, Simd, run};

impl<T: Real> Network<T> {
    /// Trains the outputs until the error is as small as desired or stands still. Returns the epochs.
    ///
    /// Weights that reach the desired error stay as they are.
    pub(super) fn train_outputs(
        &mut self,
        memory: &mut Memory<T>,
        desired_error: f32,
    ) -> Result<u32> {
        let (max, min) = (self.cascade.max_out_epochs, self.cascade.min_out_epochs);
        let fraction = self.cascade.output_change_fraction;
        self.state.need_steps(self.layout.connections, &self.training)?;
        self.state.forget(&self.training);
        let (mut target, mut backslide, mut stagnation) = (0.0, -1.0e20, max);
        let mut initial = 0.0;
        for i in 0..max.max(1) {
            let error = self.measure_outputs(memory);
            if self.desired_error_reached(desired_error) {
                return Ok(i + 1);
            }
            self.step_outputs(memory)?;
            if i == 0 {
                initial = error;
                continue;
            }
            let gain = initial - error;
            // A significant change sets a new goal, and grants new epochs to reach it.
            let changed = if target >= 0.0 {
                gain > target || gain < backslide
            } else {
                gain < target || gain > backslide
            };
            if changed {
                target = gain * (1.0 + fraction);
                backslide = gain * (1.0 - fraction);
                stagnation = i.saturating_add(self.cascade.output_stagnation_epochs);
            }
            if i >= stagnation && i >= min {
                return Ok(i + 1);
            }
        }
        Ok(max)
    }

    /// Computes the outputs and their errors, and tallies them.
    fn measure_outputs(&mut self, memory: &mut Memory<T>) -> f32 {
        let layer = *self.layout.output();
        let mut tally = Tally::default();
        let measure = Measure {
            weights: &self.block[layer.weights()],
            functions: &self.functions[layer.first..],
            steepness: &self.block[self.block.len() - self.layout.neurons..][layer.first..],
            sources: layer.sources,
            measure: self.training.train_error_function,
            memory,
        };
        run(measure);
        for row in 0..memory.samples {
            for (o, function) in self.functions[layer.first..].iter().enumerate() {
                let at = o * memory.blocks + row / LANES;
                let difference = memory.desired[at][row % LANES] - memory.outputs[at][row % LANES];
                tally.add(difference * half_if_symmetric(*function), self.training.bit_fail_limit);
            }
        }
        self.tally = tally;
        self.mse()
    }

    /// Lets the weights of the outputs follow their errors.
    fn step_outputs(&mut self, memory: &Memory<T>) -> Result<()> {
        let layer = *self.layout.output();
        let slopes = &mut self.state.slopes[layer.weights()];
        run(Slopes { slopes, sources: layer.sources, memory });
        self.take_step(layer.weights(), memory.samples)?;
        self.cool();
        Ok(())
    }

    /// Sets the outputs to what the weights now give, and the errors to plain differences, halved for symmetric
    /// functions: what candidates are to follow.
    pub(super) fn measure_rest(&mut self, memory: &mut Memory<T>) {
        let tally = self.tally;
        self.measure_outputs(memory);
        self.tally = tally;
        let first = self.layout.output().first;
        let used = memory.samples % LANES;
        for (o, function) in self.functions[first..].iter().enumerate() {
            let half = half_if_symmetric(*function);
            for block in 0..memory.blocks {
                let at = o * memory.blocks + block;
                let (wanted, given) = (&memory.desired[at], &memory.outputs[at]);
                memory.errors[at] = std::array::from_fn(|i| (wanted[i] - given[i]) * half);
                if used > 0 && block + 1 == memory.blocks {
                    memory.errors[at][used..].fill(T::ZERO);
                }
            }
        }
    }
}

struct Measure<'a, T> {
    weights: &'a [T],
    functions: &'a [Activation],
    steepness: &'a [T],
    sources: usize,
    measure: ErrorFunction,
    memory: &'a mut Memory<T>,
}

impl<T: Real> Kernel for Measure<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Memory { samples, blocks, values, desired, outputs, errors } = self.memory;
        let rows = outputs.chunks_exact_mut(*blocks).zip(errors.chunks_exact_mut(*blocks));
        let rows = rows.zip(desired.chunks_exact(*blocks)).enumerate();
        for (o, ((outputs, errors), desired)) in rows {
            let (function, steepness) = (self.functions[o], self.steepness[o]);
            let weights = &self.weights[o * self.sources..][..self.sources];
            let (values, scale) = (values.as_flattened(), half_if_symmetric(function));
            T::combine(s, weights, values, *blocks * LANES, errors.as_flattened_mut());
            for ((output, error), desired) in outputs.iter_mut().zip(errors.iter_mut()).zip(desired)
            {
                let kind = (function, steepness);
                let mut sums = *error;
                T::activate(s, kind, &mut sums, output);
                for i in 0..LANES {
                    error[i] = (desired[i] - output[i]) * scale;
                }
                T::judge(s, self.measure, kind, output, &sums, error);
            }
            let used = *samples % LANES;
            if used > 0
                && let Some(error) = errors.last_mut()
            {
                error[used..].fill(T::ZERO);
            }
        }
    }
}

struct Slopes<'a, T> {
    slopes: &'a mut [T],
    sources: usize,
    memory: &'a Memory<T>,
}

impl<T: Real> Kernel for Slopes<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Memory { blocks, values, errors, .. } = self.memory;
        let rows = self.slopes.chunks_exact_mut(self.sources).zip(errors.chunks_exact(*blocks));
        for (slopes, errors) in rows {
            T::add_products(s, T::ONE, errors.as_flattened(), values.as_flattened(), slopes);
        }
    }
}
