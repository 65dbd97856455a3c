//! Gradients of layer norm and RMS norm.
//!
//! With `z` the normalised elements and `g = dy weight`,
//! `dx = rstd (g - mean(g) - z mean(g z))`; RMS norm has no `mean(g)`.

use super::channel::{Channels, Part, over_channels};
use crate::reduce::order::{Add, Body, Over, Place, Term, Visit, Walk, fold, visit};
use crate::simd::{Isa, Simd, run_on};
use crate::sizes::elements;

/// The normalised elements `z` of a forward pass: kept, or to be computed again.
#[derive(Clone, Copy, Debug)]
pub enum Normalised<'a> {
    /// Kept, before the affine part: `[outer, n, inner]`.
    Kept(&'a [f32]),
    /// `(x - mean) rstd`, with `x` `[outer, n, inner]` and both statistics `[outer, inner]`.
    Of {
        /// The operand.
        x: &'a [f32],
        /// Its means; empty for RMS norm.
        mean: &'a [f32],
        /// Its reciprocal deviations.
        rstd: &'a [f32],
    },
}

impl Normalised<'_> {
    /// # Panics
    /// When a length does not fit.
    fn check(&self, [outer, n, inner]: [usize; 3]) {
        let (len, results) = (elements([outer, n, inner]), elements([outer, inner]));
        let fits = match self {
            Normalised::Kept(z) => z.len() == len,
            Normalised::Of { x, mean, rstd } => {
                x.len() == len
                    && (mean.is_empty() || mean.len() == results)
                    && rstd.len() == results
            }
        };
        assert!(fits, "norm: the normalised elements do not fit the sizes");
    }
}

/// Gradient of the operand of [`layer_norm`](super::layer_norm).
///
/// # Panics
/// When a length does not fit the sizes.
pub fn layer_norm_grad(
    sizes: [usize; 3],
    z: Normalised,
    rstd: &[f32],
    weight: Option<&[f32]>,
    dy: &[f32],
    dx: &mut [f32],
) {
    layer_norm_grad_on(Isa::current(), sizes, z, rstd, weight, dy, dx);
}

/// [`layer_norm_grad`] on a given instruction set.
///
/// # Panics
/// As [`layer_norm_grad`].
pub fn layer_norm_grad_on(
    isa: Isa,
    sizes: [usize; 3],
    z: Normalised,
    rstd: &[f32],
    weight: Option<&[f32]>,
    dy: &[f32],
    dx: &mut [f32],
) {
    run(isa, sizes, true, z, rstd, weight, dy, dx);
}

/// Gradient of the operand of [`rms_norm`](super::rms_norm).
///
/// # Panics
/// When a length does not fit the sizes.
pub fn rms_norm_grad(
    sizes: [usize; 3],
    z: Normalised,
    rstd: &[f32],
    weight: Option<&[f32]>,
    dy: &[f32],
    dx: &mut [f32],
) {
    rms_norm_grad_on(Isa::current(), sizes, z, rstd, weight, dy, dx);
}

/// [`rms_norm_grad`] on a given instruction set.
///
/// # Panics
/// As [`rms_norm_grad`].
pub fn rms_norm_grad_on(
    isa: Isa,
    sizes: [usize; 3],
    z: Normalised,
    rstd: &[f32],
    weight: Option<&[f32]>,
    dy: &[f32],
    dx: &mut [f32],
) {
    run(isa, sizes, false, z, rstd, weight, dy, dx);
}

#[allow(clippy::too_many_arguments, reason = "operands and results, named one by one")]
fn run(
    isa: Isa,
    sizes: [usize; 3],
    centred: bool,
    z: Normalised,
    rstd: &[f32],
    weight: Option<&[f32]>,
    dy: &[f32],
    dx: &mut [f32],
) {
    let [outer, n, inner] = sizes;
    let len = elements(sizes);
    z.check(sizes);
    assert!(dy.len() == len && dx.len() == len, "norm: a gradient is not {sizes:?}");
    assert_eq!(rstd.len(), elements([outer, inner]), "norm: rstd is not [{outer}, {inner}]");
    assert!(weight.is_none_or(|w| w.len() == n), "norm: weight is not [{n}]");
    run_on(isa, Over(sizes, Backward { n, centred, z, rstd, weight, dy, dx }));
}

struct Backward<'a> {
    n: usize,
    centred: bool,
    z: Normalised<'a>,
    rstd: &'a [f32],
    weight: Option<&'a [f32]>,
    dy: &'a [f32],
    dx: &'a mut [f32],
}

impl Body for Backward<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd, W: Walk<S>>(&mut self, s: S, walk: W, place: Place) {
        let Place { offset, result, .. } = place;
        // SAFETY: the lengths were checked against the sizes the walks are made from.
        unsafe {
            let mut at = At {
                z: std::ptr::null(),
                mean: s.splat(0.0),
                scale: s.splat(1.0),
                weight: self.weight.map(<[f32]>::as_ptr),
                dy: self.dy.as_ptr().add(offset),
            };
            match self.z {
                Normalised::Kept(z) => at.z = z.as_ptr().add(offset),
                Normalised::Of { x, mean, rstd } => {
                    at.z = x.as_ptr().add(offset);
                    at.scale = walk.load_result(s, rstd.as_ptr().add(result));
                    if !mean.is_empty() {
                        at.mean = walk.load_result(s, mean.as_ptr().add(result));
                    }
                }
            }
            let n = s.splat(self.n as f32);
            let mut mean = s.splat(0.0);
            if self.centred {
                mean = s.div(fold(s, walk, Weighted(at), Add), n);
            }
            let along = s.div(fold(s, walk, WeightedTimesZ(at), Add), n);
            let rstd = walk.load_result(s, self.rstd.as_ptr().add(result));
            let dx = self.dx.as_mut_ptr().add(offset);
            visit(s, walk, Store { at, mean, along, rstd, dx });
        }
    }
}

/// Where the terms of one walk are.
#[derive(Clone, Copy)]
struct At<F> {
    z: *const f32,
    mean: F,
    scale: F,
    weight: Option<*const f32>,
    dy: *const f32,
}

impl<F: Copy> At<F> {
    /// `(g, z)` of a step.
    ///
    /// # Safety
    /// The step is one of the walk's.
    #[inline(always)]
    unsafe fn load<S: Simd<F = F>, W: Walk<S>>(
        &self,
        s: S,
        walk: W,
        step: usize,
        lanes: usize,
    ) -> (F, F) {
        // SAFETY: promised by the caller.
        unsafe {
            let mut g = walk.load(s, self.dy, step, lanes);
            if let Some(weight) = self.weight {
                g = s.mul(g, walk.load_shared(s, weight, step, lanes));
            }
            let z = s.mul(s.sub(walk.load(s, self.z, step, lanes), self.mean), self.scale);
            (g, z)
        }
    }
}

struct Weighted<F>(At<F>);

impl<S: Simd, W: Walk<S>> Term<S, W> for Weighted<S::F> {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) -> S::F {
        // SAFETY: promised by the caller.
        unsafe { self.0.load(s, walk, step, lanes).0 }
    }
}

struct WeightedTimesZ<F>(At<F>);

impl<S: Simd, W: Walk<S>> Term<S, W> for WeightedTimesZ<S::F> {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) -> S::F {
        // SAFETY: promised by the caller.
        let (g, z) = unsafe { self.0.load(s, walk, step, lanes) };
        s.mul(g, z)
    }
}

struct Store<F> {
    at: At<F>,
    mean: F,
    along: F,
    rstd: F,
    dx: *mut f32,
}

impl<S: Simd, W: Walk<S>> Visit<S, W> for Store<S::F> {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) {
        // SAFETY: promised by the caller.
        unsafe {
            let (g, z) = self.at.load(s, walk, step, lanes);
            let dx = s.mul(self.rstd, s.fnma(z, self.along, s.sub(g, self.mean)));
            walk.store(s, self.dx, step, lanes, dx);
        }
    }
}

/// Gradients of weight and bias: `dweight[j] = sum dy z`, `dbias[j] = sum dy` over all lanes;
/// `dbias` may be empty.
///
/// # Panics
/// When a length does not fit the sizes.
pub fn norm_weight_grad(
    sizes: [usize; 3],
    z: Normalised,
    dy: &[f32],
    dweight: &mut [f32],
    dbias: &mut [f32],
) {
    norm_weight_grad_on(Isa::current(), sizes, z, dy, dweight, dbias);
}

/// [`norm_weight_grad`] on a given instruction set.
///
/// # Panics
/// As [`norm_weight_grad`].
pub fn norm_weight_grad_on(
    isa: Isa,
    sizes: [usize; 3],
    z: Normalised,
    dy: &[f32],
    dweight: &mut [f32],
    dbias: &mut [f32],
) {
    let n = sizes[1];
    z.check(sizes);
    assert_eq!(dy.len(), elements(sizes), "norm: dy is not {sizes:?}");
    assert!(
        dweight.len() == n && (dbias.is_empty() || dbias.len() == n),
        "norm: gradients of weight or bias are not [{n}]"
    );
    over_channels(isa, sizes, WeightGrad { z, dy, dweight, dbias });
}

struct WeightGrad<'a> {
    z: Normalised<'a>,
    dy: &'a [f32],
    dweight: &'a mut [f32],
    dbias: &'a mut [f32],
}

impl Channels for WeightGrad<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd, W: Walk<S>>(
        &mut self,
        s: S,
        walk: W,
        parts: impl Iterator<Item = Part>,
        channel: usize,
        lanes: usize,
    ) {
        let (mut dweight, mut dbias) = (s.splat(0.0), s.splat(0.0));
        for Part { offset, item } in parts {
            // SAFETY: the lengths were checked against the sizes the walks are made from.
            unsafe {
                let dy = self.dy.as_ptr().add(offset);
                let products = match self.z {
                    Normalised::Kept(z) => {
                        let z = z.as_ptr().add(offset);
                        fold(s, walk, PerItem { z, mean: None, rstd: None, dy }, Add)
                    }
                    Normalised::Of { x, mean, rstd } => {
                        let z = x.as_ptr().add(offset);
                        let mean = (!mean.is_empty()).then(|| mean.as_ptr().add(item));
                        let rstd = Some(rstd.as_ptr().add(item));
                        fold(s, walk, PerItem { z, mean, rstd, dy }, Add)
                    }
                };
                dweight = s.add(dweight, products);
                let sum = fold(s, walk, crate::reduce::order::Each(dy), Add);
                dbias = s.add(dbias, sum);
            }
        }
        for (array, value) in [(&mut *self.dweight, dweight), (&mut *self.dbias, dbias)] {
            if !array.is_empty() {
                // SAFETY: `lanes` channels remain from `channel` on.
                unsafe { s.store_first(array.as_mut_ptr().add(channel), lanes, value) };
            }
        }
    }
}

/// `dy z` where the statistics differ from item to item.
struct PerItem {
    z: *const f32,
    mean: Option<*const f32>,
    rstd: Option<*const f32>,
    dy: *const f32,
}

impl<S: Simd, W: Walk<S>> Term<S, W> for PerItem {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) -> S::F {
        // SAFETY: promised by the caller.
        unsafe {
            let mut z = walk.load(s, self.z, step, lanes);
            if let Some(mean) = self.mean {
                z = s.sub(z, walk.load_shared(s, mean, step, lanes));
            }
            if let Some(rstd) = self.rstd {
                z = s.mul(z, walk.load_shared(s, rstd, step, lanes));
            }
            s.mul(z, walk.load(s, self.dy, step, lanes))
        }
    }
}
