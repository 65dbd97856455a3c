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
use philox::philox_lanes;

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

/// The number of each lane of the widest vector.
const NUMBERS: [f32; 16] = [0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13., 14., 15.];

impl Kernel for Fill<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Fill { distribution, stream, place, dst } = self;
        let rows = dst.len() / place.lanes;
        let key = [stream.seed, stream.key as u32];
        let [step, stream] = [stream.step, (stream.key >> 32) as u32].map(|word| word as i32);
        // SAFETY: no vector has more lanes.
        let numbers = s.to_int(unsafe { s.load(NUMBERS.as_ptr()) });
        for quad in place.row / 4..(place.row + rows).div_ceil(4) {
            for first in (0..place.lanes).step_by(S::LANES) {
                let items = s.add_i(s.splat_i((place.item + first) as i32), numbers);
                let counters = [items, s.splat_i(quad as i32), s.splat_i(step), s.splat_i(stream)];
                let group = draw(s, distribution, philox_lanes(s, counters, key));
                let lanes = S::LANES.min(place.lanes - first);
                for (word, numbers) in group.into_iter().enumerate() {
                    // Rows of the group outside the place wrap around or lie past the end.
                    let row = (quad * 4 + word).wrapping_sub(place.row);
                    if row < rows {
                        let at = row * place.lanes + first;
                        let dst = &mut dst[at..at + lanes];
                        // SAFETY: `dst` has so many elements.
                        unsafe { s.store_first(dst.as_mut_ptr(), lanes, numbers) };
                    }
                }
            }
        }
    }
}

/// Numbers of four rows from their words.
#[inline(always)]
fn draw<S: Simd>(s: S, distribution: Distribution, [a, b, c, d]: [S::I; 4]) -> [S::F; 4] {
    let [a, b, c, d] = [uniform(s, a), uniform(s, b), uniform(s, c), uniform(s, d)];
    match distribution {
        Distribution::Uniform => [a, b, c, d],
        Distribution::Normal => {
            let ([a, b], [c, d]) = (normal(s, a, b), normal(s, c, d));
            [a, b, c, d]
        }
        Distribution::Bernoulli { p } => {
            let (p, one, zero) = (s.splat(p), s.splat(1.0), s.splat(0.0));
            [
                s.select(s.lt(a, p), one, zero),
                s.select(s.lt(b, p), one, zero),
                s.select(s.lt(c, p), one, zero),
                s.select(s.lt(d, p), one, zero),
            ]
        }
    }
}

/// The upper 24 bits of words over 2^24.
#[inline(always)]
fn uniform<S: Simd>(s: S, words: S::I) -> S::F {
    let upper = s.and_i(s.shr::<8>(words), s.splat_i(0x00ff_ffff));
    s.mul(s.to_float(upper), s.splat(1.0 / 16_777_216.0))
}

/// Two normal numbers from two uniform ones.
#[inline(always)]
fn normal<S: Simd>(s: S, u: S::F, v: S::F) -> [S::F; 2] {
    // 1 - u is exact and not 0.
    let log = maths::log(s, s.sub(s.splat(1.0), u));
    let radius = s.sqrt(s.mul(s.splat(-2.0), log));
    let (sin, cos) = maths::sin_cos_of_turns(s, v);
    [s.mul(radius, cos), s.mul(radius, sin)]
}

#[cfg(test)]
mod tests;
