//! Cross entropy of logits with integer labels: `log sum exp(x) - x[label]`.
//!
//! An item with a negative label is not counted: its loss and gradient are 0. A label past the
//! classes makes them NaN.

use super::{Total, total};
use crate::maths;
use crate::reduce::order::{Body, CHAINS, Over, Place, Visit, Walk, visit};
use crate::simd::{Isa, Simd, run_on};
use crate::sizes::elements;

/// Losses `[outer, inner]` of logits `[outer, classes, inner]` and labels `[outer, inner]`.
///
/// # Panics
/// When a length does not fit the sizes.
pub fn cross_entropy(sizes: [usize; 3], logits: &[f32], labels: &[i32], loss: &mut [f32]) {
    cross_entropy_on(Isa::current(), sizes, logits, labels, loss);
}

/// [`cross_entropy`] on a given instruction set.
///
/// # Panics
/// As [`cross_entropy`].
pub fn cross_entropy_on(
    isa: Isa,
    sizes: [usize; 3],
    logits: &[f32],
    labels: &[i32],
    loss: &mut [f32],
) {
    check(sizes, logits.len(), labels.len(), loss.len());
    run_on(isa, Over(sizes, Forward { sizes, logits, labels, loss }));
}

/// Gradients of the logits, `(softmax(x) - [class = label]) dloss`.
///
/// # Panics
/// When a length does not fit the sizes.
pub fn cross_entropy_grad(
    sizes: [usize; 3],
    logits: &[f32],
    labels: &[i32],
    dloss: &[f32],
    dlogits: &mut [f32],
) {
    cross_entropy_grad_on(Isa::current(), sizes, logits, labels, dloss, dlogits);
}

/// [`cross_entropy_grad`] on a given instruction set.
///
/// # Panics
/// As [`cross_entropy_grad`].
pub fn cross_entropy_grad_on(
    isa: Isa,
    sizes: [usize; 3],
    logits: &[f32],
    labels: &[i32],
    dloss: &[f32],
    dlogits: &mut [f32],
) {
    check(sizes, logits.len(), labels.len(), dloss.len());
    assert_eq!(dlogits.len(), logits.len(), "cross entropy: dlogits is not {sizes:?}");
    run_on(isa, Over(sizes, Grad { sizes, logits, labels, dloss, dlogits }));
}

fn check([outer, classes, inner]: [usize; 3], logits: usize, labels: usize, loss: usize) {
    assert_eq!(
        logits,
        elements([outer, classes, inner]),
        "cross entropy: logits do not fit the sizes"
    );
    let items = elements([outer, inner]);
    assert!(labels == items && loss == items, "cross entropy: not {items} labels or losses");
}

/// What a label says about its item.
enum Label {
    Ignored,
    Class(usize),
    Outside,
}

fn read(label: i32, classes: usize) -> Label {
    match usize::try_from(label) {
        Err(_) => Label::Ignored,
        Ok(class) if class < classes => Label::Class(class),
        Ok(_) => Label::Outside,
    }
}

struct Forward<'a> {
    sizes: [usize; 3],
    logits: &'a [f32],
    labels: &'a [i32],
    loss: &'a mut [f32],
}

impl Body for Forward<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd, W: Walk<S>>(&mut self, s: S, walk: W, place: Place) {
        let Place { offset, result, lanes } = place;
        let [_, classes, inner] = self.sizes;
        let mut shifts = [0.0; CHAINS];
        let mut logs = [0.0; CHAINS];
        // SAFETY: the lengths were checked against the sizes the walks are made from; a vector
        // has at most 16 lanes.
        unsafe {
            let Total { shift, sum } = total(s, walk, self.logits.as_ptr().add(offset));
            s.store(shifts.as_mut_ptr(), shift);
            s.store(logs.as_mut_ptr(), maths::log(s, sum));
        }
        for lane in 0..lanes {
            self.loss[result + lane] = match read(self.labels[result + lane], classes) {
                Label::Ignored => 0.0,
                Label::Outside => f32::NAN,
                // The difference first: it is exact where the label is the likely class.
                Label::Class(class) => {
                    logs[lane] + (shifts[lane] - self.logits[offset + class * inner + lane])
                }
            };
        }
    }
}

struct Grad<'a> {
    sizes: [usize; 3],
    logits: &'a [f32],
    labels: &'a [i32],
    dloss: &'a [f32],
    dlogits: &'a mut [f32],
}

impl Body for Grad<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd, W: Walk<S>>(&mut self, s: S, walk: W, place: Place) {
        let Place { offset, result, lanes } = place;
        let [_, classes, inner] = self.sizes;
        let mut counted = [0.0; CHAINS];
        let mut dloss = [0.0; CHAINS];
        for lane in 0..lanes {
            match read(self.labels[result + lane], classes) {
                Label::Ignored => continue,
                Label::Outside => dloss[lane] = f32::NAN,
                Label::Class(_) => dloss[lane] = self.dloss[result + lane],
            }
            counted[lane] = 1.0;
        }
        // SAFETY: the lengths were checked against the sizes the walks are made from.
        unsafe {
            let x = self.logits.as_ptr().add(offset);
            let Total { shift, sum } = total(s, walk, x);
            let factor = s.div(walk.load_result(s, dloss.as_ptr()), sum);
            let counted = walk.load_result(s, counted.as_ptr());
            let dx = self.dlogits.as_mut_ptr().add(offset);
            visit(s, walk, Scaled { x, dx, shift, factor, counted });
        }
        for (lane, dloss) in dloss.iter().enumerate().take(lanes) {
            if let Label::Class(class) = read(self.labels[result + lane], classes) {
                self.dlogits[offset + class * inner + lane] -= dloss;
            }
        }
    }
}

/// `dx = exp(x - shift) factor` in the lanes counted, 0 in the others.
struct Scaled<F> {
    x: *const f32,
    dx: *mut f32,
    shift: F,
    factor: F,
    counted: F,
}

impl<S: Simd, W: Walk<S>> Visit<S, W> for Scaled<S::F> {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) {
        // SAFETY: the caller vouches for the step.
        unsafe {
            let x = walk.load(s, self.x, step, lanes);
            let value = s.mul(maths::exp(s, s.sub(x, self.shift)), self.factor);
            let zero = s.splat(0.0);
            let value = s.select(s.eq(self.counted, zero), zero, value);
            walk.store(s, self.dx, step, lanes, value);
        }
    }
}
