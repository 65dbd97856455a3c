//! The values of all neurons before the outputs, for all samples, and what is desired of the outputs.
//!
//! Samples lie in blocks of lanes. Lanes without a sample hold 0 everywhere, the bias included, and so add nothing
//! to any slope.

use crate::activation::Activation;
use crate::data::Samples;
use crate::error::{Error, Result};
use crate::network::Network;
use crate::real::{Block, LANES, Real};
use whimbrel_kernels::simd::{Kernel, Simd, run};

pub(super) struct Memory<T> {
    /// How many samples there are.
    pub samples: usize,
    /// How many blocks they fill.
    pub blocks: usize,
    /// For each neuron before the outputs, its blocks.
    pub values: Vec<Block<T>>,
    /// For each output, its blocks.
    pub desired: Vec<Block<T>>,
    /// For each output, blocks of what it gives.
    pub outputs: Vec<Block<T>>,
    /// For each output, blocks of its error.
    pub errors: Vec<Block<T>>,
}

impl<T: Real> Memory<T> {
    pub fn new(network: &Network<T>, samples: Samples<'_, T>) -> Result<Memory<T>> {
        let blocks = samples.len().div_ceil(LANES);
        let outputs = network.num_output();
        let mut memory = Memory {
            samples: samples.len(),
            blocks,
            values: Vec::new(),
            desired: Vec::new(),
            outputs: vec![[T::ZERO; LANES]; outputs * blocks],
            errors: vec![[T::ZERO; LANES]; outputs * blocks],
        };
        for i in 0..samples.num_input() {
            columns(&mut memory.values, samples.len(), |row| samples.input(row)[i])?;
        }
        columns(&mut memory.values, samples.len(), |_| T::ONE)?;
        for i in 0..outputs {
            columns(&mut memory.desired, samples.len(), |row| samples.output(row)[i])?;
        }
        let hidden = network.layout.layers[0].size..network.layout.output().first;
        for neuron in hidden {
            let weights = &network.weights()[network.layout.connections_of(neuron)];
            memory.add_neuron(weights, network.functions[neuron], network.steepness()[neuron])?;
        }
        Ok(memory)
    }

    /// Adds the values of a neuron that takes the first neurons, as many as there are weights.
    pub fn add_neuron(&mut self, weights: &[T], function: Activation, steepness: T) -> Result<()> {
        let first = self.values.len();
        self.values.try_reserve(self.blocks).map_err(|_| Error::CantAllocateMem)?;
        self.values.resize(first + self.blocks, [T::ZERO; LANES]);
        let (values, own) = self.values.split_at_mut(first);
        run(Neuron { values, own, weights, function, steepness });
        self.clear_rest(first + self.blocks);
        Ok(())
    }

    /// Zeros the lanes without a sample of the block before `end`.
    fn clear_rest(&mut self, end: usize) {
        let used = self.samples % LANES;
        if used > 0
            && let Some(block) = self.values[..end].last_mut()
        {
            block[used..].fill(T::ZERO);
        }
    }
}

/// Adds the blocks of a column.
fn columns<T: Real>(
    blocks: &mut Vec<Block<T>>,
    rows: usize,
    value: impl Fn(usize) -> T,
) -> Result<()> {
    blocks.try_reserve(rows.div_ceil(LANES)).map_err(|_| Error::CantAllocateMem)?;
    for first in (0..rows).step_by(LANES) {
        let lane = |i: usize| if first + i < rows { value(first + i) } else { T::ZERO };
        blocks.push(std::array::from_fn(lane));
    }
    Ok(())
}

struct Neuron<'a, T> {
    values: &'a [Block<T>],
    own: &'a mut [Block<T>],
    weights: &'a [T],
    function: Activation,
    steepness: T,
}

impl<T: Real> Kernel for Neuron<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let mut sums = vec![T::ZERO; self.own.len() * LANES];
        let values = self.values.as_flattened();
        T::combine(s, self.weights, values, sums.len(), &mut sums);
        T::activate(s, (self.function, self.steepness), &mut sums, self.own.as_flattened_mut());
    }
}
