//! The number types of networks: `f32`, as libfann and libfloatfann have it, and `f64`, as libdoublefann.
//!
//! Besides conversions a [`Real`] brings its inner loops (`vectors`) and its matrix product (`product`).

use crate::vectors::Vectors;
use std::fmt::{Debug, Display, LowerExp};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// Numbers handled at once.
pub(crate) const LANES: usize = 16;

/// As many numbers as are handled at once.
pub(crate) type Block<T> = [T; LANES];

/// The part of some room that begins with a cache line, as vectors like it; up to [`LANES`] numbers are left out.
#[inline(always)]
pub(crate) fn aligned<T>(room: &mut [T]) -> &mut [T] {
    let skipped = room.as_ptr().align_offset(64);
    if skipped < LANES.min(room.len()) { &mut room[skipped..] } else { room }
}

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
    + Vectors
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
    fn product(
        dims: crate::product::Dims,
        a: &[Self],
        b: &[Self],
        c: &mut [Self],
        scratch: &mut Vec<Self>,
    );
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
    fn product(dims: crate::product::Dims, a: &[f64], b: &[f64], c: &mut [f64], _: &mut Vec<f64>) {
        crate::product::by_loops(dims, a, b, c);
    }
}
