//! Reductions along the middle axis of `[outer, n, inner]`, and over whole slices.
//!
//! A result is the same bits whatever `inner` is, whichever lane it is in, and on AVX2 and
//! AVX-512 alike, for all of them follow the one order of `order.rs`. Start reading there.

mod cumulative;
mod dot;
pub(crate) mod order;

pub use cumulative::{cumulative_sum, cumulative_sum_on};
pub use dot::{dot, dot_on, sum, sum_of_squares, sum_of_squares_on, sum_on};

use crate::maths;
use crate::simd::{Isa, Simd, run_on};
use crate::sizes::elements;
use order::{Add, Body, Combine, Each, Over, Place, Walk, fold};

/// How elements are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    /// Sum; 0 of none.
    Sum,
    /// Sum divided by the number of elements; NaN of none.
    Mean,
    /// Product; 1 of none.
    Prod,
    /// Largest, NaN if one is; -inf of none.
    Max,
    /// Smallest, NaN if one is; inf of none.
    Min,
}

impl Reduce {
    /// What no elements reduce to, up to the division of a mean.
    pub fn start(self) -> f32 {
        match self {
            Reduce::Sum | Reduce::Mean => Add::START,
            Reduce::Prod => Multiply::START,
            Reduce::Max => Larger::START,
            Reduce::Min => Smaller::START,
        }
    }

    /// Two partial results as one, up to the division of a mean.
    pub fn combine(self, a: f32, b: f32) -> f32 {
        match self {
            Reduce::Sum | Reduce::Mean => Add.one(a, b),
            Reduce::Prod => Multiply.one(a, b),
            Reduce::Max => Larger.one(a, b),
            Reduce::Min => Smaller.one(a, b),
        }
    }
}

/// `dst[o, i] = how over j of src[o, j, i]`.
///
/// # Panics
/// When a length does not fit the sizes.
pub fn reduce(how: Reduce, outer: usize, n: usize, inner: usize, src: &[f32], dst: &mut [f32]) {
    reduce_on(Isa::current(), how, [outer, n, inner], src, dst);
}

/// [`reduce`] on a given instruction set.
///
/// # Panics
/// As [`reduce`].
pub fn reduce_on(isa: Isa, how: Reduce, sizes: [usize; 3], src: &[f32], dst: &mut [f32]) {
    let [outer, n, inner] = sizes;
    assert_eq!(src.len(), elements(sizes), "reduce: src is not {sizes:?}");
    assert_eq!(dst.len(), elements([outer, inner]), "reduce: dst is not [{outer}, {inner}]");
    match how {
        Reduce::Sum => run_on(isa, Over(sizes, Run { src, dst, c: Add })),
        Reduce::Mean => {
            run_on(isa, Over(sizes, Run { src, dst: &mut *dst, c: Add }));
            dst.iter_mut().for_each(|x| *x /= n as f32);
        }
        Reduce::Prod => run_on(isa, Over(sizes, Run { src, dst, c: Multiply })),
        Reduce::Max => run_on(isa, Over(sizes, Run { src, dst, c: Larger })),
        Reduce::Min => run_on(isa, Over(sizes, Run { src, dst, c: Smaller })),
    }
}

struct Run<'a, C> {
    src: &'a [f32],
    dst: &'a mut [f32],
    c: C,
}

impl<C: Combine> Body for Run<'_, C> {
    #[inline(always)]
    unsafe fn run<S: Simd, W: Walk<S>>(&mut self, s: S, walk: W, place: Place) {
        let Place { offset, result, lanes } = place;
        // SAFETY: the lengths were checked against the sizes the walks are made from.
        unsafe {
            let value = fold(s, walk, Each(self.src.as_ptr().add(offset)), self.c);
            s.store_first(self.dst.as_mut_ptr().add(result), lanes, value);
        }
    }
}

#[derive(Clone, Copy)]
struct Multiply;

impl Combine for Multiply {
    const START: f32 = 1.0;

    #[inline(always)]
    fn combine<S: Simd>(self, s: S, a: S::F, b: S::F) -> S::F {
        s.mul(a, b)
    }

    #[inline(always)]
    fn one(self, a: f32, b: f32) -> f32 {
        a * b
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Larger;

impl Combine for Larger {
    const START: f32 = f32::NEG_INFINITY;

    #[inline(always)]
    fn combine<S: Simd>(self, s: S, a: S::F, b: S::F) -> S::F {
        maths::max(s, a, b)
    }

    #[inline(always)]
    fn one(self, a: f32, b: f32) -> f32 {
        if a > b || a.is_nan() { a } else { b }
    }
}

#[derive(Clone, Copy)]
struct Smaller;

impl Combine for Smaller {
    const START: f32 = f32::INFINITY;

    #[inline(always)]
    fn combine<S: Simd>(self, s: S, a: S::F, b: S::F) -> S::F {
        maths::min(s, a, b)
    }

    #[inline(always)]
    fn one(self, a: f32, b: f32) -> f32 {
        if a < b || a.is_nan() { a } else { b }
    }
}

#[cfg(test)]
mod tests;
