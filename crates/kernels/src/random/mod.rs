//! Random numbers that depend on nothing but seed, step, key and position.
//!
//! The element of item `i` and row `r` of a `[rows, items]` array comes from word `r mod 4` of
//! Philox with counter `(i, r / 4, step, key >> 32)` and key `(seed, key mod 2^32)`: four rows of
//! an item share one call, items lie side by side in the lanes, and any cut of the array draws
//! the same numbers.

mod philox;

pub use philox::philox;

use crate::maths;
use crate::simd::{Isa, Kernel, Simd, run_on};
use philox::{LANES, philox_lanes};

/// What the numbers are like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Even over `[0, 1)`: the upper 24 bits of a word over 2^24.
    Uniform,
    /// Normal with mean 0 and variance 1, by Box and Muller from the uniform numbers `u` and `v`
    /// of words 0 and 1, or 2 and 3: `sqrt(-2 log(1 - u))` times the cosine (even row) or sine
    /// (odd row) of `2 pi v`.
    Normal,
    /// 1 where the uniform number is below `p`, else 0.
    Bernoulli {
        /// The probability of 1.
        p: f32,
    },
}

/// Which numbers are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// The seed of the run.
    pub seed: u32,
    /// The step of the run.
    pub step: u32,
    /// Tells apart the random values of one step.
    pub key: u64,
}

/// Where in the whole array the numbers belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The first row.
    pub row: usize,
    /// The first item.
    pub item: usize,
    /// Items in a row.
    pub lanes: usize,
}

/// Fills `dst`, rows of `place.lanes` items, with the numbers of that place.
///
/// # Panics
/// When `dst` is not made of whole rows.
pub fn fill(distribution: Distribution, stream: Stream, place: Place, dst: &mut [f32]) {
    fill_on(Isa::current(), distribution, stream, place, dst);
}

/// [`fill`] on a given instruction set.
///
/// # Panics
/// As [`fill`].
pub fn fill_on(
    isa: Isa,
    distribution: Distribution,
    stream: Stream,
    place: Place,
    dst: &mut [f32],
) {
    if dst.is_empty() {
        return;
    }
    assert!(
        place.lanes > 0 && dst.len().is_multiple_of(place.lanes),
        "random: {} elements are not rows of {}",
        dst.len(),
        place.lanes
    );
    run_on(isa, Fill { distribution, stream, place, dst });
}

struct Fill<'a> {
    distribution: Distribution,
    stream: Stream,
    place: Place,
    dst: &'a mut [f32],
}

/// Four rows of so many items.
type Group = [[f32; LANES]; 4];

impl Kernel for Fill<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Fill { distribution, stream, place, dst } = self;
        let rows = dst.len() / place.lanes;
        let key = [stream.seed, stream.key as u32];
        let mut group = [[0.0; LANES]; 4];
        for quad in place.row / 4..(place.row + rows).div_ceil(4) {
            let counter = [0, quad as u32, stream.step, (stream.key >> 32) as u32];
            for first in (0..place.lanes).step_by(LANES) {
                let counter = [(place.item + first) as u32, counter[1], counter[2], counter[3]];
                uniform(counter, key, &mut group);
                match distribution {
                    Distribution::Uniform => {}
                    Distribution::Normal => normal(s, &mut group),
                    Distribution::Bernoulli { p } => {
                        for row in &mut group {
                            row.iter_mut().for_each(|u| *u = f32::from(u8::from(*u < p)));
                        }
                    }
                }
                let lanes = LANES.min(place.lanes - first);
                for (word, numbers) in group.iter().enumerate() {
                    // Rows of the group outside the place wrap around or lie past the end.
                    let row = (quad * 4 + word).wrapping_sub(place.row);
                    if row < rows {
                        let at = row * place.lanes + first;
                        dst[at..at + lanes].copy_from_slice(&numbers[..lanes]);
                    }
                }
            }
        }
    }
}

/// Uniform numbers of consecutive items, the first with this counter.
#[inline(always)]
fn uniform(counter: [u32; 4], key: [u32; 2], group: &mut Group) {
    let words = philox_lanes(counter, key);
    for (row, words) in group.iter_mut().zip(&words) {
        for (u, word) in row.iter_mut().zip(words) {
            *u = (word >> 8) as i32 as f32 * (1.0 / 16_777_216.0);
        }
    }
}

/// Turns pairs of uniform rows into normal ones.
#[inline(always)]
fn normal<S: Simd>(s: S, group: &mut Group) {
    for pair in [0, 2] {
        for at in (0..LANES).step_by(S::LANES) {
            // SAFETY: a multiple of every vector's lanes lies in each row.
            unsafe {
                let u = s.load(group[pair].as_ptr().add(at));
                let v = s.load(group[pair + 1].as_ptr().add(at));
                // 1 - u is exact and not 0.
                let log = maths::log(s, s.sub(s.splat(1.0), u));
                let radius = s.sqrt(s.mul(s.splat(-2.0), log));
                let (sin, cos) = maths::sin_cos_of_turns(s, v);
                s.store(group[pair].as_mut_ptr().add(at), s.mul(radius, cos));
                s.store(group[pair + 1].as_mut_ptr().add(at), s.mul(radius, sin));
            }
        }
    }
}

#[cfg(test)]
mod tests;
