//! The logarithm of softmax, and its gradient.

use super::{Total, check, total};
use crate::maths;
use crate::reduce::order::{Add, Body, Each, Over, Place, Visit, Walk, fold, visit};
use crate::simd::{Isa, Simd, run_on};

/// `y = x - log sum exp(x)` along the middle axis.
///
/// # Panics
/// When a length does not fit the sizes.
pub fn log_softmax(sizes: [usize; 3], x: &[f32], y: &mut [f32]) {
    log_softmax_on(Isa::current(), sizes, x, y);
}

/// [`log_softmax`] on a given instruction set.
///
/// # Panics
/// As [`log_softmax`].
pub fn log_softmax_on(isa: Isa, sizes: [usize; 3], x: &[f32], y: &mut [f32]) {
    check("log-softmax", sizes, &[x.len(), y.len()]);
    run_on(isa, Over(sizes, LogSoftmax { x: x.as_ptr(), y: y.as_mut_ptr() }));
}

/// `dx = dy - exp(y) sum dy` from the result `y` of [`log_softmax`].
///
/// # Panics
/// When a length does not fit the sizes.
pub fn log_softmax_grad(sizes: [usize; 3], y: &[f32], dy: &[f32], dx: &mut [f32]) {
    log_softmax_grad_on(Isa::current(), sizes, y, dy, dx);
}

/// [`log_softmax_grad`] on a given instruction set.
///
/// # Panics
/// As [`log_softmax_grad`].
pub fn log_softmax_grad_on(isa: Isa, sizes: [usize; 3], y: &[f32], dy: &[f32], dx: &mut [f32]) {
    check("log-softmax", sizes, &[y.len(), dy.len(), dx.len()]);
    let (y, dy, dx) = (y.as_ptr(), dy.as_ptr(), dx.as_mut_ptr());
    run_on(isa, Over(sizes, LogSoftmaxGrad { y, dy, dx }));
}

struct LogSoftmax {
    x: *const f32,
    y: *mut f32,
}

/// `y = x - largest - log sum`, in this order: the first difference is exact where it matters.
struct StoreLogs<F> {
    x: *const f32,
    y: *mut f32,
    shift: F,
    log: F,
}

impl<S: Simd, W: Walk<S>> Visit<S, W> for StoreLogs<S::F> {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) {
        // SAFETY: the caller vouches for the step.
        unsafe {
            let x = walk.load(s, self.x, step, lanes);
            walk.store(s, self.y, step, lanes, s.sub(s.sub(x, self.shift), self.log));
        }
    }
}

impl Body for LogSoftmax {
    #[inline(always)]
    unsafe fn run<S: Simd, W: Walk<S>>(&mut self, s: S, walk: W, place: Place) {
        let Place { offset, .. } = place;
        // SAFETY: the lengths were checked against the sizes the walks are made from.
        unsafe {
            let (x, y) = (self.x.add(offset), self.y.add(offset));
            let Total { shift, sum } = total(s, walk, x);
            // -inf - log 0 would be NaN.
            let zero = s.splat(0.0);
            let log = s.select(s.eq(sum, zero), zero, maths::log(s, sum));
            visit(s, walk, StoreLogs { x, y, shift, log });
        }
    }
}

struct LogSoftmaxGrad {
    y: *const f32,
    dy: *const f32,
    dx: *mut f32,
}

struct StoreLogSoftmaxGrad<F> {
    at: LogSoftmaxGrad,
    sum: F,
}

impl<S: Simd, W: Walk<S>> Visit<S, W> for StoreLogSoftmaxGrad<S::F> {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) {
        // SAFETY: the caller vouches for the step.
        unsafe {
            let y = walk.load(s, self.at.y, step, lanes);
            let dy = walk.load(s, self.at.dy, step, lanes);
            walk.store(s, self.at.dx, step, lanes, s.fnma(maths::exp(s, y), self.sum, dy));
        }
    }
}

impl Body for LogSoftmaxGrad {
    #[inline(always)]
    unsafe fn run<S: Simd, W: Walk<S>>(&mut self, s: S, walk: W, place: Place) {
        let Place { offset, .. } = place;
        // SAFETY: the lengths were checked against the sizes the walks are made from.
        unsafe {
            let (y, dy) = (self.y.add(offset), self.dy.add(offset));
            let at = LogSoftmaxGrad { y, dy, dx: self.dx.add(offset) };
            let sum = fold(s, walk, Each(dy), Add);
            visit(s, walk, StoreLogSoftmaxGrad { at, sum });
        }
    }
}
