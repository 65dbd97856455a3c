//! Random: numbers that depend on nothing but seed, step, key and position.
//!
//! Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3") turns a counter
//! into four words. The counter is made of position and step, so that threads, blocks of lanes and
//! the batch size do not change what an item gets, and a step can be run again.

use super::{Backward, Cost, Gradients, Operation, operands};
use crate::{Array, Builder, GraphError, Op, Type, Var};
use whimbrel_tensor::{DType, Shape};

/// What the numbers are like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Even over `[0, 1)`, multiples of 2^-24.
    Uniform,
    /// Normal with mean 0 and variance 1.
    Normal,
    /// 1 with probability `p`, else 0.
    Bernoulli {
        /// The probability of 1.
        p: f32,
    },
}

/// (rng i32 `[2]`: seed, step) to numbers of the given shape.
///
/// The element of item `i` (index along the last axis) and row `r` (row-major index along the
/// others) comes from word `r % 4` of Philox with counter `(i, r / 4, step, key >> 32)` and key
/// `(seed, key & 0xffffffff)`. A uniform number is the word's upper 24 bits over 2^24; a mask is 1
/// where that is below p. Normal numbers come in pairs from words 0 and 1 or 2 and 3:
/// `sqrt(-2 log(1 - u0))` times the cosine (even row) or sine (odd row) of `2 pi u1`.
#[derive(Clone, Debug, PartialEq)]
pub struct Random {
    /// What the numbers are like.
    pub distribution: Distribution,
    /// The shape of the result.
    pub shape: Shape,
    /// Tells apart the random values of one graph. Passes keep it.
    pub key: u64,
}

/// Philox 4x32 with ten rounds.
pub fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    let wide = |a: u32, b: u32| {
        let product = u64::from(a) * u64::from(b);
        ((product >> 32) as u32, product as u32)
    };
    for _ in 0..10 {
        let (high0, low0) = wide(0xD251_1F53, counter[0]);
        let (high1, low1) = wide(0xCD9E_8D57, counter[2]);
        counter = [high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    counter
}

impl Random {
    /// The element of one row and item.
    pub fn element(&self, seed: u32, step: u32, row: usize, item: usize) -> f64 {
        let counter = [item as u32, (row / 4) as u32, step, (self.key >> 32) as u32];
        let words = philox(counter, [seed, self.key as u32]);
        let uniform = |word: usize| f64::from(words[word] >> 8) / f64::from(1 << 24);
        let word = row % 4;
        match self.distribution {
            Distribution::Uniform => uniform(word),
            Distribution::Bernoulli { p } if uniform(word) < f64::from(p) => 1.0,
            Distribution::Bernoulli { .. } => 0.0,
            Distribution::Normal => {
                let pair = word & !1;
                let radius = (-2.0 * (-uniform(pair)).ln_1p()).sqrt();
                let (sin, cos) = (std::f64::consts::TAU * uniform(pair + 1)).sin_cos();
                radius * if word == pair { cos } else { sin }
            }
        }
    }
}

impl Operation for Random {
    fn name(&self) -> &'static str {
        match self.distribution {
            Distribution::Uniform => "random_uniform",
            Distribution::Normal => "random_normal",
            Distribution::Bernoulli { .. } => "random_mask",
        }
    }

    fn detail(&self) -> String {
        match self.distribution {
            Distribution::Bernoulli { p } => format!("key {} p {p}", self.key),
            _ => format!("key {}", self.key),
        }
    }

    fn infer(&self, inputs: &[Type]) -> Result<Vec<Type>, String> {
        let [rng] = operands(inputs)?;
        if rng.dtype != DType::I32 || rng.shape[..] != [2] {
            return Err("takes seed and step as i32[2]".into());
        }
        match self.distribution {
            Distribution::Bernoulli { p } if !(0.0..=1.0).contains(&p) => {
                Err(format!("{p} is not a probability"))
            }
            _ => Ok(vec![Type::f32(self.shape)]),
        }
    }

    fn eval(&self, inputs: &[&Array]) -> Vec<Array> {
        let [seed, step] = [0, 1].map(|i| inputs[0].data[i] as i64 as u32);
        let items = self.shape.last().copied().unwrap_or(1);
        let element = |at| self.element(seed, step, at / items, at % items);
        vec![Array { shape: self.shape, data: (0..self.shape.numel()).map(element).collect() }]
    }

    fn grad<'g>(&self, _: &Backward<'g>) -> Gradients<'g> {
        Ok(vec![None])
    }

    fn cost(&self, _: &[Type], outputs: &[Type]) -> Cost {
        Cost { flops: 20.0 * outputs[0].numel() as f64, bytes: outputs[0].bytes() as f64 }
    }

    fn carries_batch(&self, _: &[Type], _: &[Type]) -> Vec<bool> {
        vec![false, true]
    }
}

impl Builder {
    /// Random numbers from `rng`, i32 `[2]` of seed and step. Each call draws numbers of its own.
    #[track_caller]
    pub fn random<'g>(
        &'g self,
        distribution: Distribution,
        shape: impl Into<Shape>,
        rng: Var<'g>,
    ) -> Result<Var<'g>, GraphError> {
        let key = self.with(|graph| graph.next_id);
        let op = Random { distribution, shape: shape.into(), key };
        Ok(self.apply(Op::Random(op), &[rng])?[0])
    }
}

impl<'g> Var<'g> {
    /// This value with each element made 0 with probability `p`, the others scaled by
    /// `1 / (1 - p)`. `rng` is i32 `[2]` of seed and step.
    #[track_caller]
    pub fn dropout(self, p: f32, rng: Var<'g>) -> Result<Var<'g>, GraphError> {
        if p == 0.0 {
            return Ok(self);
        }
        let (g, keep) = (self.builder(), 1.0 - p);
        let mask = g.random(Distribution::Bernoulli { p: keep }, self.shape(), rng)?;
        let scale = if keep == 0.0 { 0.0 } else { 1.0 / keep };
        self.mul(mask)?.mul(g.scalar(scale))
    }
}
