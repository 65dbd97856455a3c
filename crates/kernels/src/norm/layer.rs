//! Layer norm and RMS norm, forward.

use super::{Affine, reciprocal_deviation};
use crate::reduce::order::{Add, Body, Each, Over, Place, Term, Visit, Walk, fold, visit};
use crate::simd::{Isa, Simd, run_on};
use crate::sizes::elements;

/// `y = (x - mean) rstd` along the middle axis, then the affine part per element of that axis;
/// `rstd = 1 / sqrt(variance + eps)`, the variance being that of the elements themselves.
///
/// `mean` and `rstd` are `[outer, inner]`; either may be empty when it is not wanted.
///
/// # Panics
/// When a length does not fit the sizes.
pub fn layer_norm(
    sizes: [usize; 3],
    eps: f32,
    x: &[f32],
    affine: Affine,
    y: &mut [f32],
    mean: &mut [f32],
    rstd: &mut [f32],
) {
    layer_norm_on(Isa::current(), sizes, eps, x, affine, y, mean, rstd);
}

/// [`layer_norm`] on a given instruction set.
///
/// # Panics
/// As [`layer_norm`].
#[allow(clippy::too_many_arguments, reason = "operands and results, named one by one")]
pub fn layer_norm_on(
    isa: Isa,
    sizes: [usize; 3],
    eps: f32,
    x: &[f32],
    affine: Affine,
    y: &mut [f32],
    mean: &mut [f32],
    rstd: &mut [f32],
) {
    check(sizes, affine, x, y, &[mean, rstd]);
    run_on(isa, Over(sizes, Forward { n: sizes[1], centred: true, eps, x, affine, y, mean, rstd }));
}

/// `y = x rstd` along the middle axis, `rstd = 1 / sqrt(mean of x^2 + eps)`, then times `weight`.
///
/// `rstd` is `[outer, inner]`; it may be empty when it is not wanted.
///
/// # Panics
/// When a length does not fit the sizes.
pub fn rms_norm(
    sizes: [usize; 3],
    eps: f32,
    x: &[f32],
    weight: Option<&[f32]>,
    y: &mut [f32],
    rstd: &mut [f32],
) {
    rms_norm_on(Isa::current(), sizes, eps, x, weight, y, rstd);
}

/// [`rms_norm`] on a given instruction set.
///
/// # Panics
/// As [`rms_norm`].
pub fn rms_norm_on(
    isa: Isa,
    sizes: [usize; 3],
    eps: f32,
    x: &[f32],
    weight: Option<&[f32]>,
    y: &mut [f32],
    rstd: &mut [f32],
) {
    let affine = Affine { weight, bias: None };
    check(sizes, affine, x, y, &[rstd]);
    let mean = &mut [];
    run_on(
        isa,
        Over(sizes, Forward { n: sizes[1], centred: false, eps, x, affine, y, mean, rstd }),
    );
}

fn check(sizes: [usize; 3], affine: Affine, x: &[f32], y: &[f32], statistics: &[&[f32]]) {
    let [outer, n, inner] = sizes;
    let len = elements(sizes);
    assert!(x.len() == len && y.len() == len, "norm: a slice is not {sizes:?}");
    let fits = |s: &&[f32]| s.is_empty() || s.len() == elements([outer, inner]);
    assert!(statistics.iter().all(fits), "norm: a statistic is not [{outer}, {inner}]");
    affine.check(n);
}

struct Forward<'a> {
    n: usize,
    centred: bool,
    eps: f32,
    x: &'a [f32],
    affine: Affine<'a>,
    y: &'a mut [f32],
    mean: &'a mut [f32],
    rstd: &'a mut [f32],
}

impl Body for Forward<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd, W: Walk<S>>(&mut self, s: S, walk: W, place: Place) {
        let Place { offset, result, lanes } = place;
        // SAFETY: the lengths were checked against the sizes the walks are made from.
        unsafe {
            let (x, y) = (self.x.as_ptr().add(offset), self.y.as_mut_ptr().add(offset));
            let mut mean = s.splat(0.0);
            if self.centred {
                mean = s.div(fold(s, walk, Each(x), Add), s.splat(self.n as f32));
            }
            let squares = fold(s, walk, SquaredDifferences { x, mean }, Add);
            let rstd = reciprocal_deviation(s, squares, self.n, self.eps);
            let weight = self.affine.weight.map(<[f32]>::as_ptr);
            let bias = self.affine.bias.map(<[f32]>::as_ptr);
            visit(s, walk, Normalise { x, y, mean, rstd, weight, bias });
            for (array, value) in [(&mut *self.mean, mean), (&mut *self.rstd, rstd)] {
                if !array.is_empty() {
                    s.store_first(array.as_mut_ptr().add(result), lanes, value);
                }
            }
        }
    }
}

/// `(x - mean)^2`.
struct SquaredDifferences<F> {
    x: *const f32,
    mean: F,
}

impl<S: Simd, W: Walk<S>> Term<S, W> for SquaredDifferences<S::F> {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) -> S::F {
        // SAFETY: the caller vouches for the step.
        let difference = s.sub(unsafe { walk.load(s, self.x, step, lanes) }, self.mean);
        s.mul(difference, difference)
    }
}

/// `y = (x - mean) rstd weight + bias`.
struct Normalise<F> {
    x: *const f32,
    y: *mut f32,
    mean: F,
    rstd: F,
    weight: Option<*const f32>,
    bias: Option<*const f32>,
}

impl<S: Simd, W: Walk<S>> Visit<S, W> for Normalise<S::F> {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) {
        // SAFETY: the caller vouches for the step.
        unsafe {
            let x = walk.load(s, self.x, step, lanes);
            let mut y = s.mul(s.sub(x, self.mean), self.rstd);
            if let Some(weight) = self.weight {
                y = s.mul(y, walk.load_shared(s, weight, step, lanes));
            }
            if let Some(bias) = self.bias {
                y = s.add(y, walk.load_shared(s, bias, step, lanes));
            }
            walk.store(s, self.y, step, lanes, y);
        }
    }
}
