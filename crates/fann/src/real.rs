//! The number types of networks: `f32`, as libfann and libfloatfann have it, and `f64`, as libdoublefann.
//!
//! Besides conversions a [`Real`] brings what the loops need of it in blocks of [`LANES`] numbers. Blocks of
//! `f32` use the vector mathematics of `whimbrel-kernels`; everything else is plain loops that are compiled for
//! the instruction set in use, because they run inside a [`Kernel`](whimbrel_kernels::simd::Kernel).

use std::fmt::{Debug, Display, LowerExp};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use whimbrel_kernels::maths;
use whimbrel_kernels::simd::{Simd, from_slice, to_slice};

/// Numbers handled at once.
pub(crate) const LANES: usize = 16;

/// As many numbers as are handled at once.
pub(crate) type Block<T> = [T; LANES];

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A number type of networks: `f32` or `f64`.
pub trait Real:
    Copy
    + Default
    + PartialOrd
    + Debug
    + Display
    + LowerExp
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + sealed::Sealed
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// The nearest number.
    fn of(x: f64) -> Self;
    /// The same number.
    fn of_f32(x: f32) -> Self;
    /// The same number as `f64`.
    fn f64(self) -> f64;
    /// The nearest `f32`.
    fn f32(self) -> f32;
    /// The magnitude.
    fn abs(self) -> Self;

    #[doc(hidden)]
    fn sigmoid<S: Simd>(s: S, x: &mut [Self; LANES]);
    #[doc(hidden)]
    fn tanh<S: Simd>(s: S, x: &mut [Self; LANES]);
    #[doc(hidden)]
    fn exp<S: Simd>(s: S, x: &mut [Self; LANES]);
    #[doc(hidden)]
    fn ln<S: Simd>(s: S, x: &mut [Self; LANES]);
    #[doc(hidden)]
    fn sin<S: Simd>(s: S, x: &mut [Self; LANES]);
    #[doc(hidden)]
    fn cos<S: Simd>(s: S, x: &mut [Self; LANES]);
    #[doc(hidden)]
    fn product(
        dims: crate::product::Dims,
        a: &[Self],
        b: &[Self],
        c: &mut [Self],
        scratch: &mut Vec<Self>,
    );
}

/// Puts every vector of a block through a function.
#[inline(always)]
fn each<S: Simd>(s: S, x: &mut Block<f32>, f: impl Fn(S::F) -> S::F) {
    for part in x.chunks_exact_mut(S::LANES) {
        let v = f(from_slice(s, part));
        to_slice(s, v, part);
    }
}

impl Real for f32 {
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;

    #[inline(always)]
    fn of(x: f64) -> f32 {
        x as f32
    }
    #[inline(always)]
    fn of_f32(x: f32) -> f32 {
        x
    }
    #[inline(always)]
    fn f64(self) -> f64 {
        self.into()
    }
    #[inline(always)]
    fn f32(self) -> f32 {
        self
    }
    #[inline(always)]
    fn abs(self) -> f32 {
        f32::abs(self)
    }
    #[inline(always)]
    fn sigmoid<S: Simd>(s: S, x: &mut Block<f32>) {
        each(s, x, |v| maths::sigmoid(s, v));
    }
    #[inline(always)]
    fn tanh<S: Simd>(s: S, x: &mut Block<f32>) {
        each(s, x, |v| maths::tanh(s, v));
    }
    #[inline(always)]
    fn exp<S: Simd>(s: S, x: &mut Block<f32>) {
        each(s, x, |v| maths::exp(s, v));
    }
    #[inline(always)]
    fn ln<S: Simd>(s: S, x: &mut Block<f32>) {
        each(s, x, |v| maths::log(s, v));
    }
    #[inline(always)]
    fn sin<S: Simd>(s: S, x: &mut Block<f32>) {
        each(s, x, |v| maths::sin(s, v));
    }
    #[inline(always)]
    fn cos<S: Simd>(s: S, x: &mut Block<f32>) {
        each(s, x, |v| maths::cos(s, v));
    }
    fn product(
        dims: crate::product::Dims,
        a: &[f32],
        b: &[f32],
        c: &mut [f32],
        scratch: &mut Vec<f32>,
    ) {
        crate::product::by_kernels(dims, a, b, c, scratch);
    }
}

impl Real for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;

    #[inline(always)]
    fn of(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn of_f32(x: f32) -> f64 {
        x.into()
    }
    #[inline(always)]
    fn f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn f32(self) -> f32 {
        self as f32
    }
    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }
    #[inline(always)]
    fn sigmoid<S: Simd>(_: S, x: &mut Block<f64>) {
        x.iter_mut().for_each(|x| *x = 1.0 / (1.0 + (-*x).exp()));
    }
    #[inline(always)]
    fn tanh<S: Simd>(_: S, x: &mut Block<f64>) {
        x.iter_mut().for_each(|x| *x = x.tanh());
    }
    #[inline(always)]
    fn exp<S: Simd>(_: S, x: &mut Block<f64>) {
        x.iter_mut().for_each(|x| *x = x.exp());
    }
    #[inline(always)]
    fn ln<S: Simd>(_: S, x: &mut Block<f64>) {
        x.iter_mut().for_each(|x| *x = x.ln());
    }
    #[inline(always)]
    fn sin<S: Simd>(_: S, x: &mut Block<f64>) {
        x.iter_mut().for_each(|x| *x = x.sin());
    }
    #[inline(always)]
    fn cos<S: Simd>(_: S, x: &mut Block<f64>) {
        x.iter_mut().for_each(|x| *x = x.cos());
    }
    fn product(dims: crate::product::Dims, a: &[f64], b: &[f64], c: &mut [f64], _: &mut Vec<f64>) {
        crate::product::by_loops(dims, a, b, c);
    }
}
