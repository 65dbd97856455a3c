//! Whole slices to one number: sum, sum of squares, dot product.

use super::order::{Add, Along, CHAINS, Each, Walk, fold};
use crate::simd::{Isa, Kernel, Simd, run_on};

/// The sum of a slice.
pub fn sum(x: &[f32]) -> f32 {
    sum_on(Isa::current(), x)
}

/// [`sum`] on a given instruction set.
pub fn sum_on(isa: Isa, x: &[f32]) -> f32 {
    run_on(isa, Sum(x))
}

/// The sum of `x[i]^2`, each square rounded into its chain once.
pub fn sum_of_squares(x: &[f32]) -> f32 {
    dot(x, x)
}

/// [`sum_of_squares`] on a given instruction set.
pub fn sum_of_squares_on(isa: Isa, x: &[f32]) -> f32 {
    dot_on(isa, x, x)
}

/// The sum of `a[i] * b[i]`, each product fused into its chain.
///
/// # Panics
/// When the lengths differ.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    dot_on(Isa::current(), a, b)
}

/// [`dot`] on a given instruction set.
///
/// # Panics
/// When the lengths differ.
pub fn dot_on(isa: Isa, a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len(), "dot: lengths differ");
    run_on(isa, Dot(a, b))
}

struct Sum<'a>(&'a [f32]);

impl Kernel for Sum<'_> {
    type Output = f32;
    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> f32 {
        // SAFETY: the walk is the slice.
        first(s, unsafe { fold(s, Along { n: self.0.len() }, Each(self.0.as_ptr()), Add) })
    }
}

struct Dot<'a>(&'a [f32], &'a [f32]);

impl Kernel for Dot<'_> {
    type Output = f32;
    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> f32 {
        let (a, b) = (self.0.as_ptr(), self.1.as_ptr());
        let walk = Along { n: self.0.len() };
        let vectors = <Along as Walk<S>>::VECTORS;
        let (whole, partial) = (Walk::<S>::whole(walk), Walk::<S>::partial(walk));
        let mut chains = [s.splat(0.0); CHAINS];
        let mut step = 0;
        // SAFETY: the slices have the same length, which the walk covers. Dead lanes of the
        // partial step are 0 in both factors and leave their chain as it is.
        unsafe {
            while step + vectors <= whole {
                for (i, chain) in chains.iter_mut().enumerate().take(vectors) {
                    let a = walk.load(s, a, step + i, S::LANES);
                    let b = walk.load(s, b, step + i, S::LANES);
                    *chain = s.fma(a, b, *chain);
                }
                step += vectors;
            }
            for (i, chain) in chains.iter_mut().enumerate().take(vectors) {
                let lanes = match step + i {
                    at if at < whole => S::LANES,
                    at if at == whole => partial,
                    _ => 0,
                };
                if lanes > 0 {
                    let a = walk.load(s, a, step + i, lanes);
                    let b = walk.load(s, b, step + i, lanes);
                    *chain = s.fma(a, b, *chain);
                }
            }
        }
        first(s, walk.join(s, chains, Add))
    }
}

/// The first lane.
#[inline(always)]
fn first<S: Simd>(s: S, v: S::F) -> f32 {
    let mut lane = 0.0;
    // SAFETY: one element is stored.
    unsafe { s.store_first(&mut lane, 1, v) };
    lane
}
