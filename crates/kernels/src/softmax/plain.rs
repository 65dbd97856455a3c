//! Softmax itself, and its gradient.

use super::{check, shift};
use crate::maths;
use crate::reduce::order::{Add, Body, Each, Over, Place, Products, Visit, Walk, fold, visit};
use crate::simd::{Isa, Simd, run_on};

/// `y = exp(x) / sum exp(x)` along the middle axis.
///
/// # Panics
/// When a length does not fit the sizes.
pub fn softmax(sizes: [usize; 3], x: &[f32], y: &mut [f32]) {
    softmax_on(Isa::current(), sizes, x, y);
}

/// [`softmax`] on a given instruction set.
///
/// # Panics
/// As [`softmax`].
pub fn softmax_on(isa: Isa, sizes: [usize; 3], x: &[f32], y: &mut [f32]) {
    check("softmax", sizes, &[x.len(), y.len()]);
    run_on(isa, Over(sizes, Softmax { x: x.as_ptr(), y: y.as_mut_ptr() }));
}

/// `dx = y (dy - sum y dy)` from the result `y` of [`softmax`].
///
/// # Panics
/// When a length does not fit the sizes.
pub fn softmax_grad(sizes: [usize; 3], y: &[f32], dy: &[f32], dx: &mut [f32]) {
    softmax_grad_on(Isa::current(), sizes, y, dy, dx);
}

/// [`softmax_grad`] on a given instruction set.
///
/// # Panics
/// As [`softmax_grad`].
pub fn softmax_grad_on(isa: Isa, sizes: [usize; 3], y: &[f32], dy: &[f32], dx: &mut [f32]) {
    check("softmax", sizes, &[y.len(), dy.len(), dx.len()]);
    let (y, dy, dx) = (y.as_ptr(), dy.as_ptr(), dx.as_mut_ptr());
    run_on(isa, Over(sizes, SoftmaxGrad { y, dy, dx }));
}

struct Softmax {
    x: *const f32,
    y: *mut f32,
}

/// `y = exp(x - shift)`.
struct StoreExponentials<F> {
    x: *const f32,
    y: *mut f32,
    shift: F,
}

impl<S: Simd, W: Walk<S>> Visit<S, W> for StoreExponentials<S::F> {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) {
        // SAFETY: the caller vouches for the step.
        unsafe {
            let x = walk.load(s, self.x, step, lanes);
            walk.store(s, self.y, step, lanes, maths::exp(s, s.sub(x, self.shift)));
        }
    }
}

/// `y = y * factor`.
struct Scale<F> {
    y: *mut f32,
    factor: F,
}

impl<S: Simd, W: Walk<S>> Visit<S, W> for Scale<S::F> {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) {
        // SAFETY: the caller vouches for the step.
        unsafe {
            let y = s.mul(walk.load(s, self.y, step, lanes), self.factor);
            walk.store(s, self.y, step, lanes, y);
        }
    }
}

impl Body for Softmax {
    #[inline(always)]
    unsafe fn run<S: Simd, W: Walk<S>>(&mut self, s: S, walk: W, place: Place) {
        let Place { offset, .. } = place;
        // SAFETY: the lengths were checked against the sizes the walks are made from.
        unsafe {
            let (x, y) = (self.x.add(offset), self.y.add(offset));
            let shift = shift(s, walk, x);
            visit(s, walk, StoreExponentials { x, y, shift });
            let sum = fold(s, walk, Each(y), Add);
            let zero = s.splat(0.0);
            let factor = s.select(s.eq(sum, zero), zero, s.div(s.splat(1.0), sum));
            visit(s, walk, Scale { y, factor });
        }
    }
}

struct SoftmaxGrad {
    y: *const f32,
    dy: *const f32,
    dx: *mut f32,
}

struct StoreSoftmaxGrad<F> {
    at: SoftmaxGrad,
    sum: F,
}

impl<S: Simd, W: Walk<S>> Visit<S, W> for StoreSoftmaxGrad<S::F> {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) {
        // SAFETY: the caller vouches for the step.
        unsafe {
            let y = walk.load(s, self.at.y, step, lanes);
            let dy = walk.load(s, self.at.dy, step, lanes);
            walk.store(s, self.at.dx, step, lanes, s.mul(y, s.sub(dy, self.sum)));
        }
    }
}

impl Body for SoftmaxGrad {
    #[inline(always)]
    unsafe fn run<S: Simd, W: Walk<S>>(&mut self, s: S, walk: W, place: Place) {
        let Place { offset, .. } = place;
        // SAFETY: the lengths were checked against the sizes the walks are made from.
        unsafe {
            let (y, dy) = (self.y.add(offset), self.dy.add(offset));
            let at = SoftmaxGrad { y, dy, dx: self.dx.add(offset) };
            let sum = fold(s, walk, Products(y, dy), Add);
            visit(s, walk, StoreSoftmaxGrad { at, sum });
        }
    }
}
