//! The operations a program is made of, each one line: its name and what it does to a vector.
//!
//! Adding one is adding its line to [`unary_ops`] or [`binary_ops`].

use super::sweep::{self, Flow};
use crate::maths;
use crate::simd::{Isa, Simd};

/// A function of one vector; a zero-sized type per operation.
pub(super) trait Map: Copy {
    /// Whether it is an instruction or two.
    const CHEAP: bool;
    fn apply<S: Simd>(self, s: S, a: S::F) -> S::F;
}

/// A function of two vectors; a zero-sized type per operation.
pub(super) trait Zip: Copy {
    /// Whether it is an instruction or two.
    const CHEAP: bool;
    fn apply<S: Simd>(self, s: S, a: S::F, b: S::F) -> S::F;
}

const CHEAP: bool = true;
const DEAR: bool = false;

macro_rules! unary_ops {
    ($($(#[$doc:meta])* $name:ident = $cost:ident |$s:ident, $a:ident| $body:expr;)*) => {
        /// An operation on one operand.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Unary { $($(#[$doc])* $name,)* }

        impl Unary {
            /// Every operation, in the order of declaration.
            pub const ALL: &[Unary] = &[$(Unary::$name,)*];
        }

        $(
            #[derive(Clone, Copy)]
            struct $name;
            impl Map for $name {
                const CHEAP: bool = $cost;
                #[inline(always)]
                fn apply<S: Simd>(self, $s: S, $a: S::F) -> S::F { $body }
            }
        )*

        /// # Safety
        /// As [`sweep::unary`].
        #[inline]
        pub(super) unsafe fn unary(isa: Isa, op: Unary, a: Flow, dst: *mut f32, len: usize) {
            match op {
                // SAFETY: the caller vouches for the operands.
                $(Unary::$name => unsafe { sweep::unary(isa, $name, a, dst, len) },)*
            }
        }
    };
}

macro_rules! binary_ops {
    ($($(#[$doc:meta])* $name:ident = $cost:ident |$s:ident, $a:ident, $b:ident| $body:expr;)*) => {
        /// An operation on two operands.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Binary { $($(#[$doc])* $name,)* }

        impl Binary {
            /// Every operation, in the order of declaration.
            pub const ALL: &[Binary] = &[$(Binary::$name,)*];
        }

        $(
            #[derive(Clone, Copy)]
            struct $name;
            impl Zip for $name {
                const CHEAP: bool = $cost;
                #[inline(always)]
                fn apply<S: Simd>(self, $s: S, $a: S::F, $b: S::F) -> S::F { $body }
            }
        )*

        /// # Safety
        /// As [`sweep::binary`].
        #[inline]
        pub(super) unsafe fn binary(
            isa: Isa, op: Binary, a: Flow, b: Flow, dst: *mut f32, len: usize,
        ) {
            match op {
                // SAFETY: the caller vouches for the operands.
                $(Binary::$name => unsafe { sweep::binary(isa, $name, a, b, dst, len) },)*
            }
        }
    };
}

/// 1.0 where the mask is set, 0.0 elsewhere.
#[inline(always)]
fn truth<S: Simd>(s: S, mask: S::Mask) -> S::F {
    s.select(mask, s.splat(1.0), s.splat(0.0))
}

unary_ops! {
    /// The operand itself.
    Identity = CHEAP |_s, a| a;
    /// `-a`
    Neg = CHEAP |s, a| s.neg(a);
    /// `|a|`
    Abs = CHEAP |s, a| s.abs(a);
    /// -1, 0 or 1
    Sign = CHEAP |s, a| maths::sign(s, a);
    /// The largest integer not above `a`.
    Floor = CHEAP |s, a| s.floor(a);
    /// The nearest integer, ties to even.
    Round = CHEAP |s, a| s.round(a);
    /// `a * a`
    Square = CHEAP |s, a| s.mul(a, a);
    /// `1 / a`
    Recip = CHEAP |s, a| s.div(s.splat(1.0), a);
    /// The square root, correctly rounded.
    Sqrt = CHEAP |s, a| s.sqrt(a);
    /// `1 / sqrt(a)`
    Rsqrt = CHEAP |s, a| maths::rsqrt(s, a);
    /// See [`maths::exp`].
    Exp = DEAR |s, a| maths::exp(s, a);
    /// See [`maths::expm1`].
    Expm1 = DEAR |s, a| maths::expm1(s, a);
    /// See [`maths::log`].
    Log = DEAR |s, a| maths::log(s, a);
    /// See [`maths::log1p`].
    Log1p = DEAR |s, a| maths::log1p(s, a);
    /// See [`maths::sin`].
    Sin = DEAR |s, a| maths::sin(s, a);
    /// See [`maths::cos`].
    Cos = DEAR |s, a| maths::cos(s, a);
    /// See [`maths::tanh`].
    Tanh = DEAR |s, a| maths::tanh(s, a);
    /// See [`maths::sigmoid`].
    Sigmoid = DEAR |s, a| maths::sigmoid(s, a);
    /// See [`maths::silu`].
    Silu = DEAR |s, a| maths::silu(s, a);
    /// See [`maths::softplus`].
    Softplus = DEAR |s, a| maths::softplus(s, a);
    /// See [`maths::erf`].
    Erf = DEAR |s, a| maths::erf(s, a);
    /// See [`maths::gelu`].
    Gelu = DEAR |s, a| maths::gelu(s, a);
    /// See [`maths::gelu_slope`].
    GeluSlope = DEAR |s, a| maths::gelu_slope(s, a);
    /// See [`maths::gelu_tanh`].
    GeluTanh = DEAR |s, a| maths::gelu_tanh(s, a);
    /// See [`maths::gelu_tanh_slope`].
    GeluTanhSlope = DEAR |s, a| maths::gelu_tanh_slope(s, a);
    /// `max(a, 0)`, NaN for NaN.
    Relu = CHEAP |s, a| maths::relu(s, a);
    /// 1.0 where `a` is 0, else 0.0 (NaN counts as true).
    Not = CHEAP |s, a| truth(s, s.eq(a, s.splat(0.0)));
}

binary_ops! {
    /// `a + b`
    Add = CHEAP |s, a, b| s.add(a, b);
    /// `a - b`
    Sub = CHEAP |s, a, b| s.sub(a, b);
    /// `a * b`
    Mul = CHEAP |s, a, b| s.mul(a, b);
    /// `a / b`
    Div = CHEAP |s, a, b| s.div(a, b);
    /// The larger, NaN when either is NaN.
    Max = CHEAP |s, a, b| maths::max(s, a, b);
    /// The smaller, NaN when either is NaN.
    Min = CHEAP |s, a, b| maths::min(s, a, b);
    /// See [`maths::pow`].
    Pow = DEAR |s, a, b| maths::pow(s, a, b);
    /// `a < b`
    Lt = CHEAP |s, a, b| truth(s, s.lt(a, b));
    /// `a <= b`
    Le = CHEAP |s, a, b| truth(s, s.le(a, b));
    /// `a == b`
    Eq = CHEAP |s, a, b| truth(s, s.eq(a, b));
    /// `a != b`, true for NaN
    Ne = CHEAP |s, a, b| truth(s, s.not(s.eq(a, b)));
    /// The gradient of tanh from its result `a`: `b (1 - a^2)`.
    TanhGrad = CHEAP |s, a, b| s.mul(b, s.fnma(a, a, s.splat(1.0)));
    /// The gradient of sigmoid from its result `a`: `b a (1 - a)`.
    SigmoidGrad = CHEAP |s, a, b| s.mul(b, s.mul(a, s.sub(s.splat(1.0), a)));
    /// The gradient of relu from its operand or result `a`: `b` where `a > 0`, else 0.
    ReluGrad = CHEAP |s, a, b| s.select(s.lt(s.splat(0.0), a), b, s.splat(0.0));
}
