//! Powers: `|x|^y = exp(y log|x|)` with the logarithm and the product carried in two parts.
//!
//! The product reaches 104, where an error of one ULP would cost 64 of the result, so both
//! factors need about 9 bits more than f32 has.

use super::exp::{LN2_HI, LN2_LO, exp_unscaled, within_range};
use super::log::split;
use super::polynomial;
use crate::simd::Simd;

/// Largest error of [`pow`] on the sampled pairs.
pub const POW_MAX_ULP: f64 = 2.0;

/// `p` in `log((1 + s) / (1 - s)) = 2 s + s^3 p(s^2)` for `|s| <= 0.1716`, minimax in the relative
/// error with the first coefficient held: 2^-35.
const ATANH: [f32; 4] = [0.666_666_7, 0.399_997_53, 0.285_700_44, 0.230_197_61];

/// A number in two parts, the second below the last bit of the first or nearly so.
#[derive(Clone, Copy)]
struct Pair<F> {
    hi: F,
    lo: F,
}

/// The leading 12 bits of `x`: products of two such numbers are exact.
#[inline(always)]
fn leading<S: Simd>(s: S, x: S::F) -> S::F {
    s.with_bits(s.and_i(s.bits(x), s.splat_i(!0xfff)))
}

/// `a + b` exactly, for `|a| >= |b|` or `a = 0`.
#[inline(always)]
fn sum<S: Simd>(s: S, a: S::F, b: S::F) -> Pair<S::F> {
    let hi = s.add(a, b);
    Pair { hi, lo: s.sub(b, s.sub(hi, a)) }
}

/// `log(x)` for positive finite x.
///
/// With `x = 2^e (1 + f)` and `z = f / (2 + f)`, `log(1 + f) = 2 z + z^3 p(z^2)`: only the
/// quotient needs two parts, for the cubic term is below 1/200 of it.
#[inline(always)]
fn log_pair<S: Simd>(s: S, x: S::F) -> Pair<S::F> {
    let denormal = s.lt(x, s.splat(f32::MIN_POSITIVE));
    let (e, m) = split(s, s.select(denormal, s.mul(x, s.splat(8_388_608.0)), x));
    let e = s.to_float(e);
    let e = s.select(denormal, s.sub(e, s.splat(23.0)), e);

    let two = s.splat(2.0);
    let f = s.sub(m, s.splat(1.0));
    let divisor = s.add(two, f);
    let divisor_hi = leading(s, divisor);
    let divisor_lo = s.sub(f, s.sub(divisor_hi, two));
    let z_hi = leading(s, s.div(f, divisor));
    let rest = s.fnma(z_hi, divisor_lo, s.fnma(z_hi, divisor_hi, f));
    let z_lo = s.div(rest, divisor);

    let z = s.add(z_hi, z_lo);
    let square = s.mul(z, z);
    let tail = s.mul(s.mul(z, square), polynomial(s, square, ATANH));
    let head = sum(s, s.mul(e, s.splat(LN2_HI)), s.mul(two, z_hi));
    let lo = s.fma(e, s.splat(LN2_LO), s.add(tail, s.fma(two, z_lo, head.lo)));
    sum(s, head.hi, lo)
}

/// `x^y` as IEEE 754 defines it for every special case, within [`POW_MAX_ULP`]; NaN for
/// negative finite `x` and fractional `y`.
#[inline(always)]
pub fn pow<S: Simd>(s: S, x: S::F, y: S::F) -> S::F {
    let zero = s.splat(0.0);
    let one = s.splat(1.0);
    let infinity = s.splat(f32::INFINITY);
    let base = s.abs(x);

    let log = log_pair(s, base);
    let (log_hi, y_hi) = (leading(s, log.hi), leading(s, y));
    let (log_mid, y_lo) = (s.sub(log.hi, log_hi), s.sub(y, y_hi));
    let lo = s.fma(y_lo, log_hi, s.fma(y, log_mid, s.mul(y, log.lo)));
    let product = sum(s, s.mul(y_hi, log_hi), lo);
    let in_range = s.lt(s.abs(product.hi), s.splat(200.0));
    let hi = within_range(s, product.hi);
    let exp = exp_unscaled(s, hi, s.select(in_range, product.lo, zero));
    let power = s.scale(exp.value, exp.n);

    let grows = s.lt(one, base);
    let rises = s.lt(zero, y);
    let edge = s.or(s.eq(base, zero), s.or(s.eq(base, infinity), s.eq(s.abs(y), infinity)));
    let up = s.or(s.and(grows, rises), s.and(s.lt(base, one), s.lt(y, zero)));
    let power = s.select(edge, s.select(up, infinity, zero), power);
    let power = s.select(s.eq(base, one), one, power);

    // A negative base: the sign of odd powers, NaN for fractional ones of a finite base.
    let whole = s.eq(s.floor(y), y);
    let half = s.mul(s.splat(0.5), y);
    let odd = s.and(whole, s.not(s.eq(s.floor(half), half)));
    let sign = s.and_i(s.bits(x), s.splat_i(i32::MIN));
    let signed = s.with_bits(s.xor_i(s.bits(power), sign));
    let power = s.select(odd, signed, power);
    let finite = s.lt(s.abs(y), infinity);
    let undefined = s.and(s.and(s.lt(x, zero), s.not(edge)), s.and(finite, s.not(whole)));
    let power = s.select(undefined, s.splat(f32::NAN), power);

    let nan = s.or(s.is_nan(x), s.is_nan(y));
    let power = s.select(nan, s.splat(f32::NAN), power);
    s.select(s.or(s.eq(y, zero), s.eq(x, one)), one, power)
}
