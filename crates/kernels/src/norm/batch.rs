//! Batch norm of the channels of `[outer, channels, inner]`.

use super::channel::{Channels, Part, over_channels};
use super::{Affine, reciprocal_deviation};
use crate::reduce::order::{Add, Each, Term, Visit, Walk, fold, visit};
use crate::simd::{Isa, Simd};
use crate::sizes::elements;

/// The shape of a batch norm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchNorm {
    /// `[outer, channels, inner]`
    pub sizes: [usize; 3],
    /// Added to the variance.
    pub eps: f32,
}

impl BatchNorm {
    /// # Panics
    /// When a length does not fit the sizes.
    fn check(&self, arrays: &[usize], channels: &[usize]) {
        let len = elements(self.sizes);
        assert!(arrays.iter().all(|l| *l == len), "batch norm: a slice is not {:?}", self.sizes);
        let c = self.sizes[1];
        assert!(channels.iter().all(|l| *l == c), "batch norm: a statistic is not [{c}]");
    }

    fn items(&self) -> usize {
        self.sizes[0] * self.sizes[2]
    }
}

/// Normalises each channel by its own `mean` and `variance`, which are written: `[channels]`,
/// the variance being that of the elements themselves, not an estimate.
///
/// # Panics
/// When a length does not fit the sizes.
pub fn batch_norm_train(
    norm: BatchNorm,
    x: &[f32],
    affine: Affine,
    y: &mut [f32],
    mean: &mut [f32],
    variance: &mut [f32],
) {
    batch_norm_train_on(Isa::current(), norm, x, affine, y, mean, variance);
}

/// [`batch_norm_train`] on a given instruction set.
///
/// # Panics
/// As [`batch_norm_train`].
pub fn batch_norm_train_on(
    isa: Isa,
    norm: BatchNorm,
    x: &[f32],
    affine: Affine,
    y: &mut [f32],
    mean: &mut [f32],
    variance: &mut [f32],
) {
    norm.check(&[x.len(), y.len()], &[mean.len(), variance.len()]);
    affine.check(norm.sizes[1]);
    over_channels(
        isa,
        norm.sizes,
        Statistics { norm, x, mean: &mut *mean, variance: &mut *variance },
    );
    over_channels(isa, norm.sizes, Apply { norm, x, mean, variance, affine, y });
}

/// Normalises each channel by the `mean` and `variance` given, `[channels]`.
///
/// # Panics
/// When a length does not fit the sizes.
pub fn batch_norm_infer(
    norm: BatchNorm,
    x: &[f32],
    mean: &[f32],
    variance: &[f32],
    affine: Affine,
    y: &mut [f32],
) {
    batch_norm_infer_on(Isa::current(), norm, x, mean, variance, affine, y);
}

/// [`batch_norm_infer`] on a given instruction set.
///
/// # Panics
/// As [`batch_norm_infer`].
pub fn batch_norm_infer_on(
    isa: Isa,
    norm: BatchNorm,
    x: &[f32],
    mean: &[f32],
    variance: &[f32],
    affine: Affine,
    y: &mut [f32],
) {
    norm.check(&[x.len(), y.len()], &[mean.len(), variance.len()]);
    affine.check(norm.sizes[1]);
    over_channels(isa, norm.sizes, Apply { norm, x, mean, variance, affine, y });
}

/// Gradients of [`batch_norm_train`]: of its operand, and of weight and bias, `[channels]`.
///
/// With `z` the normalised elements,
/// `dx = rstd weight (dy - mean(dy) - z mean(dy z))`, `dweight = sum dy z`, `dbias = sum dy`.
///
/// # Panics
/// When a length does not fit the sizes.
#[allow(clippy::too_many_arguments, reason = "operands and results, named one by one")]
pub fn batch_norm_grad(
    norm: BatchNorm,
    x: &[f32],
    mean: &[f32],
    variance: &[f32],
    weight: Option<&[f32]>,
    dy: &[f32],
    dx: &mut [f32],
    dweight: &mut [f32],
    dbias: &mut [f32],
) {
    let isa = Isa::current();
    batch_norm_grad_on(isa, norm, x, mean, variance, weight, dy, dx, dweight, dbias);
}

/// [`batch_norm_grad`] on a given instruction set.
///
/// # Panics
/// As [`batch_norm_grad`].
#[allow(clippy::too_many_arguments, reason = "operands and results, named one by one")]
pub fn batch_norm_grad_on(
    isa: Isa,
    norm: BatchNorm,
    x: &[f32],
    mean: &[f32],
    variance: &[f32],
    weight: Option<&[f32]>,
    dy: &[f32],
    dx: &mut [f32],
    dweight: &mut [f32],
    dbias: &mut [f32],
) {
    let channels = [mean.len(), variance.len(), dweight.len(), dbias.len()];
    norm.check(&[x.len(), dy.len(), dx.len()], &channels);
    Affine { weight, bias: None }.check(norm.sizes[1]);
    over_channels(
        isa,
        norm.sizes,
        Backward { norm, x, mean, variance, weight, dy, dx, dweight, dbias },
    );
}

/// `x - mean`, the mean being the channel's.
struct Centred<F> {
    x: *const f32,
    mean: F,
}

/// `(x - mean)^2`.
struct Squares<F>(Centred<F>);

impl<S: Simd, W: Walk<S>> Term<S, W> for Squares<S::F> {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) -> S::F {
        // SAFETY: promised by the caller.
        let x = s.sub(unsafe { walk.load(s, self.0.x, step, lanes) }, self.0.mean);
        s.mul(x, x)
    }
}

/// `(x - mean) dy`.
struct Products<F>(Centred<F>, *const f32);

impl<S: Simd, W: Walk<S>> Term<S, W> for Products<S::F> {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) -> S::F {
        // SAFETY: promised by the caller.
        unsafe {
            let x = s.sub(walk.load(s, self.0.x, step, lanes), self.0.mean);
            s.mul(x, walk.load(s, self.1, step, lanes))
        }
    }
}

struct Statistics<'a> {
    norm: BatchNorm,
    x: &'a [f32],
    mean: &'a mut [f32],
    variance: &'a mut [f32],
}

impl Channels for Statistics<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd, W: Walk<S>>(
        &mut self,
        s: S,
        walk: W,
        parts: impl Iterator<Item = Part> + Clone,
        channel: usize,
        lanes: usize,
    ) {
        let items = s.splat(self.norm.items() as f32);
        let x = self.x.as_ptr();
        let mut sum = s.splat(0.0);
        // SAFETY: the lengths were checked against the sizes the walks are made from.
        unsafe {
            for part in parts.clone() {
                sum = s.add(sum, fold(s, walk, Each(x.add(part.offset)), Add));
            }
            let mean = s.div(sum, items);
            let mut squares = s.splat(0.0);
            for part in parts {
                let centred = Centred { x: x.add(part.offset), mean };
                squares = s.add(squares, fold(s, walk, Squares(centred), Add));
            }
            s.store_first(self.mean.as_mut_ptr().add(channel), lanes, mean);
            let variance = s.div(squares, items);
            s.store_first(self.variance.as_mut_ptr().add(channel), lanes, variance);
        }
    }
}

struct Apply<'a> {
    norm: BatchNorm,
    x: &'a [f32],
    mean: &'a [f32],
    variance: &'a [f32],
    affine: Affine<'a>,
    y: &'a mut [f32],
}

/// `y = (x - mean) factor + bias`.
struct Scale<F> {
    x: *const f32,
    y: *mut f32,
    mean: F,
    factor: F,
    bias: F,
}

impl<S: Simd, W: Walk<S>> Visit<S, W> for Scale<S::F> {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) {
        // SAFETY: promised by the caller.
        unsafe {
            let x = s.sub(walk.load(s, self.x, step, lanes), self.mean);
            walk.store(s, self.y, step, lanes, s.fma(x, self.factor, self.bias));
        }
    }
}

impl Channels for Apply<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd, W: Walk<S>>(
        &mut self,
        s: S,
        walk: W,
        parts: impl Iterator<Item = Part> + Clone,
        channel: usize,
        _: usize,
    ) {
        // SAFETY: the lengths were checked against the sizes the walks are made from.
        unsafe {
            let per_channel = |array: &[f32]| walk.load_result(s, array.as_ptr().add(channel));
            let mean = per_channel(self.mean);
            let variance = per_channel(self.variance);
            let mut factor = reciprocal_deviation(s, variance, 1, self.norm.eps);
            if let Some(weight) = self.affine.weight {
                factor = s.mul(factor, per_channel(weight));
            }
            let bias = self.affine.bias.map_or(s.splat(0.0), per_channel);
            for part in parts {
                let x = self.x.as_ptr().add(part.offset);
                let y = self.y.as_mut_ptr().add(part.offset);
                visit(s, walk, Scale { x, y, mean, factor, bias });
            }
        }
    }
}

struct Backward<'a> {
    norm: BatchNorm,
    x: &'a [f32],
    mean: &'a [f32],
    variance: &'a [f32],
    weight: Option<&'a [f32]>,
    dy: &'a [f32],
    dx: &'a mut [f32],
    dweight: &'a mut [f32],
    dbias: &'a mut [f32],
}

/// `dx = factor (dy - shift - (x - mean) slope)`.
struct StoreGrad<F> {
    centred: Centred<F>,
    dy: *const f32,
    dx: *mut f32,
    shift: F,
    slope: F,
    factor: F,
}

impl<S: Simd, W: Walk<S>> Visit<S, W> for StoreGrad<S::F> {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) {
        // SAFETY: promised by the caller.
        unsafe {
            let x = s.sub(walk.load(s, self.centred.x, step, lanes), self.centred.mean);
            let dy = s.sub(walk.load(s, self.dy, step, lanes), self.shift);
            walk.store(s, self.dx, step, lanes, s.mul(self.factor, s.fnma(x, self.slope, dy)));
        }
    }
}

impl Channels for Backward<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd, W: Walk<S>>(
        &mut self,
        s: S,
        walk: W,
        parts: impl Iterator<Item = Part> + Clone,
        channel: usize,
        lanes: usize,
    ) {
        let items = s.splat(self.norm.items() as f32);
        let (x, dy) = (self.x.as_ptr(), self.dy.as_ptr());
        // SAFETY: the lengths were checked against the sizes the walks are made from.
        unsafe {
            let per_channel = |array: &[f32]| walk.load_result(s, array.as_ptr().add(channel));
            let mean = per_channel(self.mean);
            let rstd = reciprocal_deviation(s, per_channel(self.variance), 1, self.norm.eps);
            let (mut sum, mut products) = (s.splat(0.0), s.splat(0.0));
            for part in parts.clone() {
                let (x, dy) = (x.add(part.offset), dy.add(part.offset));
                sum = s.add(sum, fold(s, walk, Each(dy), Add));
                let term = Products(Centred { x, mean }, dy);
                products = s.add(products, fold(s, walk, term, Add));
            }
            let dweight = s.mul(products, rstd);
            s.store_first(self.dbias.as_mut_ptr().add(channel), lanes, sum);
            s.store_first(self.dweight.as_mut_ptr().add(channel), lanes, dweight);
            // z mean(dy z) = (x - mean) rstd dweight / items.
            let slope = s.div(s.mul(rstd, dweight), items);
            let shift = s.div(sum, items);
            let factor = match self.weight {
                Some(weight) => s.mul(rstd, per_channel(weight)),
                None => rstd,
            };
            for part in parts {
                let centred = Centred { x: x.add(part.offset), mean };
                let (dy, dx) = (dy.add(part.offset), self.dx.as_mut_ptr().add(part.offset));
                visit(s, walk, StoreGrad { centred, dy, dx, shift, slope, factor });
            }
        }
    }
}
