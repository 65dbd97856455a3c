//! Networks in fixed point: whole numbers that stand for parts of a power of two, as libfixedfann runs them.
//!
//! Fixed point is for execution only. Sigmoids are six straight pieces; functions that have none cannot be used.
//! Sums wrap where they overflow, as they do on the machines libfixedfann runs on.

use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::files::Description;
use crate::layout::{Layout, Wiring};

/// A network in fixed point.
#[derive(Clone, Debug)]
pub struct FixedNetwork {
    pub(crate) description: Description<i32>,
    pub(crate) layout: Layout,
    sigmoid: Pieces,
    symmetric: Pieces,
    values: Vec<i32>,
}

/// The ends of the straight pieces of a sigmoid.
#[derive(Clone, Copy, Debug)]
struct Pieces {
    results: [i32; 6],
    values: [i32; 6],
    lowest: i32,
}

impl FixedNetwork {
    pub(crate) fn of(file: &str, description: Description<i32>) -> Result<FixedNetwork> {
        let layout = description.layout(file)?;
        let multiplier = 1i32 << description.decimal_point;
        let values = vec![multiplier; layout.neurons];
        let (sigmoid, symmetric) = (sigmoid(multiplier), symmetric(multiplier));
        Ok(FixedNetwork { description, layout, sigmoid, symmetric, values })
    }

    /// The bits behind the point.
    pub fn decimal_point(&self) -> u32 {
        self.description.decimal_point
    }

    /// What stands for 1: two to the power of [`decimal_point`](FixedNetwork::decimal_point).
    pub fn multiplier(&self) -> i32 {
        1 << self.description.decimal_point
    }

    /// How many inputs a sample has.
    pub fn num_input(&self) -> usize {
        self.layout.num_input()
    }

    /// How many outputs a sample has.
    pub fn num_output(&self) -> usize {
        self.layout.num_output()
    }

    /// All weights.
    pub fn weights(&self) -> &[i32] {
        &self.description.weights
    }

    /// The outputs for some inputs, both times the [`multiplier`](FixedNetwork::multiplier).
    ///
    /// # Errors
    /// [`Error::InputNoMatch`], and [`Error::CantUseActivation`] where a neuron has a function without straight
    /// pieces.
    pub fn run(&mut self, input: &[i32]) -> Result<&[i32]> {
        let inputs = self.num_input();
        if input.len() != inputs {
            return Err(Error::InputNoMatch { network: inputs, data: input.len() });
        }
        self.values[..inputs].copy_from_slice(input);
        for neuron in self.layout.layers[0].size..self.layout.neurons {
            let connections = self.layout.connections_of(neuron);
            if !connections.is_empty() {
                let sum = self.sum(neuron, connections);
                self.values[neuron] = self.value(neuron, sum)?;
            }
        }
        Ok(&self.values[self.layout.output().first..][..self.layout.num_output()])
    }

    fn sum(&self, neuron: usize, connections: std::ops::Range<usize>) -> i32 {
        let point = self.description.decimal_point;
        let first = match self.layout.layers.iter().find(|layer| neuron < layer.end()) {
            Some(layer) => layer.first_source,
            None => 0,
        };
        let mut sum = 0i32;
        for (i, at) in connections.enumerate() {
            let source = match &self.layout.wiring {
                Wiring::Full => first + i,
                Wiring::Listed { sources, .. } => sources[at] as usize,
            };
            let product = self.description.weights[at].wrapping_mul(self.values[source]);
            sum = sum.wrapping_add(product >> point);
        }
        sum
    }

    fn value(&self, neuron: usize, sum: i32) -> Result<i32> {
        use Activation::*;
        let (one, steepness) = (self.multiplier(), self.description.steepness[neuron]);
        Ok(match self.description.functions[neuron] {
            Sigmoid | SigmoidStepwise => self.sigmoid.value(sum, steepness, one),
            SigmoidSymmetric | SigmoidSymmetricStepwise => {
                self.symmetric.value(sum, steepness, one)
            }
            Threshold => {
                if sum < 0 {
                    0
                } else {
                    one
                }
            }
            ThresholdSymmetric => {
                if sum < 0 {
                    -one
                } else {
                    one
                }
            }
            Linear => sum,
            LinearPiece => sum.clamp(0, one),
            LinearPieceSymmetric => sum.clamp(-one, one),
            Gaussian | GaussianSymmetric | GaussianStepwise | Elliot | ElliotSymmetric
            | SinSymmetric | CosSymmetric | Sin | Cos => return Err(Error::CantUseActivation),
        })
    }
}

impl Pieces {
    fn value(&self, sum: i32, steepness: i32, one: i32) -> i32 {
        let ends = self.values.map(|v| v.checked_div(steepness).unwrap_or(0));
        if sum < ends[0] {
            return self.lowest;
        }
        match (1..6).find(|i| sum < ends[*i]) {
            None => one,
            Some(i) => {
                let rise = self.results[i].wrapping_sub(self.results[i - 1]);
                let along = sum.wrapping_sub(ends[i - 1]);
                let width = ends[i].wrapping_sub(ends[i - 1]);
                let piece = rise.wrapping_mul(along).checked_div(width).unwrap_or(0);
                piece.wrapping_add(self.results[i - 1])
            }
        }
    }
}

/// A C cast of a number that may not fit, as x86 does it.
fn cast(x: f64) -> i32 {
    if x > -2_147_483_649.0 && x < 2_147_483_648.0 { x as i32 } else { i32::MIN }
}

/// The parts of 1 at which the pieces of a sigmoid end: 0.005, 0.05, 0.25, and the same from the other side.
fn sigmoid(one: i32) -> Pieces {
    let part = |divisor: f64| cast(f64::from(one) / divisor + 0.5);
    let low = [200.0, 20.0, 4.0].map(|divisor| part(divisor).max(1));
    let high = [4.0, 20.0, 200.0].map(|divisor| (one - part(divisor)).min(one - 1));
    let results = [low[0], low[1], low[2], high[0], high[1], high[2]];
    let values = results.map(|result| {
        let odds = one as f32 / result as f32 - 1.0;
        let one = f64::from(one as f32);
        cast(f64::from(odds).ln() * one / -2.0 * one)
    });
    Pieces { results, values, lowest: 0 }
}

/// The same from -1 to 1.
fn symmetric(one: i32) -> Pieces {
    let whole = f64::from(one);
    let low = [100.0, 10.0, 2.0].map(|divisor| cast(whole / divisor - whole - 0.5).max(1 - one));
    let high = [(2.0, 0.5), (10.0, 0.5), (100.0, 1.0)]
        .map(|(divisor, up)| (one - cast(whole / divisor + up)).min(one - 1));
    let results = [low[0], low[1], low[2], high[0], high[1], high[2]];
    let values = results.map(|result| {
        let odds = (one as f32 - result as f32) / (result as f32 + one as f32);
        cast(f64::from(odds).ln() * f64::from(one as f32) / -2.0 * f64::from(one as f32))
    });
    Pieces { results, values, lowest: -one }
}
