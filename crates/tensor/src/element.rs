//! The Rust types that stand for each [`DType`].
//!
//! The trait is sealed: the casts in [`Buffer`](crate::Buffer) rely on what holds for exactly these
//! types: no padding, no pointers, alignment at most 8, and (except `bool`) every bit pattern valid.

use crate::dtype::DType;
use half::{bf16, f16};
use std::fmt;

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that can be an element of a tensor.
pub trait Element:
    sealed::Sealed + Copy + Default + PartialEq + fmt::Debug + Send + Sync + 'static
{
    /// The element type this Rust type stands for.
    const DTYPE: DType;
}

macro_rules! element {
    ($($rust:ty => $dtype:ident),* $(,)?) => {$(
        impl sealed::Sealed for $rust {}
        impl Element for $rust {
            const DTYPE: DType = DType::$dtype;
        }
        const _: () = assert!(size_of::<$rust>() == DType::$dtype.size());
        const _: () = assert!(align_of::<$rust>() <= 8);
    )*};
}

element! {
    f32 => F32,
    f64 => F64,
    i32 => I32,
    i64 => I64,
    bool => Bool,
    bf16 => BF16,
    f16 => F16,
    i8 => I8,
}
