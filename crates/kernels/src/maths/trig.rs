//! Sine and cosine: `x = n pi/2 + r` with `|r| <= pi/4`, then a polynomial chosen by `n mod 4`.

use super::polynomial;
use crate::simd::Simd;

/// Largest error of [`sin`] and [`cos`] over all of f32.
pub const SIN_COS_MAX_ULP: f64 = 2.0;

/// pi/2 in four parts. The first three have 11 bits, so their products with `|n| < 2^13` are
/// exact; together they hold 68 bits, enough for the closest that an f32 below [`NEAR`] comes to
/// a multiple of pi/2.
const HALF_PI: [f32; 4] = [1.570_312_5, 4.837_513e-4, 7.549_533_6e-8, 2.563_344e-12];

/// Up to here lanes are reduced together; `n` stays below 2^13.
const NEAR: f32 = 8192.0;

/// `p` in `sin(r) = r + r^3 p(r^2)`, minimax in the relative error: 0.14 * 2^-24.
const SIN: [f32; 3] = [-0.166_666_55, 0.008_332_158, -0.000_195_149_58];

/// `p` in `cos(r) = 1 - r^2 / 2 + r^4 p(r^2)`, minimax in the relative error: 0.002 * 2^-24.
const COS: [f32; 3] = [0.041_666_646, -0.001_388_731_3, 2.443_278_6e-5];

/// The sine, within [`SIN_COS_MAX_ULP`]; NaN at infinities.
#[inline(always)]
pub fn sin<S: Simd>(s: S, x: S::F) -> S::F {
    let (r, quadrant) = reduce(s, x);
    // The reduction would turn -0 into 0.
    s.select(s.eq(x, s.splat(0.0)), x, wave(s, r, quadrant))
}

/// The cosine, within [`SIN_COS_MAX_ULP`]; NaN at infinities.
#[inline(always)]
pub fn cos<S: Simd>(s: S, x: S::F) -> S::F {
    let (r, quadrant) = reduce(s, x);
    wave(s, r, s.add_i(quadrant, s.splat_i(1)))
}

/// Sine and cosine of `2 pi x` for |x| up to 2^20: the reduction is exact, since a quarter turn is
/// a number. Within [`SIN_COS_MAX_ULP`].
#[inline(always)]
pub(crate) fn sin_cos_of_turns<S: Simd>(s: S, x: S::F) -> (S::F, S::F) {
    let quarters = s.mul(s.splat(4.0), x);
    let n = s.round(quarters);
    let r = s.mul(s.sub(quarters, n), s.splat(std::f32::consts::FRAC_PI_2));
    let quadrant = s.to_int(n);
    (wave(s, r, quadrant), wave(s, r, s.add_i(quadrant, s.splat_i(1))))
}

/// `sin(r + quadrant pi/2)`.
#[inline(always)]
fn wave<S: Simd>(s: S, r: S::F, quadrant: S::I) -> S::F {
    let square = s.mul(r, r);
    let sin = s.fma(s.mul(r, square), polynomial(s, square, SIN), r);
    let tail = s.mul(s.mul(square, square), polynomial(s, square, COS));
    // 1 - r^2 / 2 is rounded; what the rounding lost returns with the tail.
    let half = s.mul(s.splat(0.5), square);
    let head = s.sub(s.splat(1.0), half);
    let lost = s.sub(s.sub(s.splat(1.0), head), half);
    let cos = s.add(head, s.add(tail, lost));
    let odd = s.eq(s.to_float(s.and_i(quadrant, s.splat_i(1))), s.splat(1.0));
    let sign = s.shl::<30>(s.and_i(quadrant, s.splat_i(2)));
    s.with_bits(s.xor_i(s.bits(s.select(odd, cos, sin)), sign))
}

/// `x = quadrant pi/2 + r`, the quadrant up to multiples of 4.
#[inline(always)]
fn reduce<S: Simd>(s: S, x: S::F) -> (S::F, S::I) {
    let far = s.not(s.le(s.abs(x), s.splat(NEAR)));
    if s.sum(s.select(far, s.splat(1.0), s.splat(0.0))) > 0.0 {
        return reduce_far(s, x);
    }
    let n = s.round(s.mul(x, s.splat(std::f32::consts::FRAC_2_PI)));
    let [first, second, third, fourth] = HALF_PI.map(|part| s.splat(part));
    let exact = s.fnma(n, second, s.fnma(n, first, x));
    // From here on differences are rounded; what the rounding lost returns with the last part.
    let head = s.fnma(n, third, exact);
    let lost = s.fnma(n, third, s.sub(exact, head));
    (s.add(head, s.fnma(n, fourth, lost)), s.to_int(n))
}

/// [`reduce`] lane by lane, for vectors with a lane beyond [`NEAR`] or NaN.
#[inline(always)]
fn reduce_far<S: Simd>(s: S, x: S::F) -> (S::F, S::I) {
    let mut lanes = [0.0f32; 16];
    let mut quadrants = [0.0f32; 16];
    // SAFETY: a vector has at most 16 lanes.
    unsafe { s.store(lanes.as_mut_ptr(), x) };
    for (lane, quadrant) in lanes.iter_mut().zip(&mut quadrants).take(S::LANES) {
        (*lane, *quadrant) = reduce_one(*lane);
    }
    // SAFETY: a vector has at most 16 lanes.
    unsafe { (s.load(lanes.as_ptr()), s.to_int(s.load(quadrants.as_ptr()))) }
}

/// The first 256 bits of 2/pi behind the point, highest first.
const FRAC_2_PI: [u64; 4] =
    [0xa2f9_836e_4e44_1529, 0xfc27_57d1_f534_ddc0, 0xdb62_9599_3c43_9041, 0xfe51_63ab_debb_c561];

/// `(r, quadrant)` of any finite x; NaN otherwise.
///
/// With `|x| = m 2^e`, the product `x 2/pi` is wanted modulo 4 only: bits of 2/pi that `m 2^e`
/// lifts to 4 and beyond are left out, and the 128 below them give over 100 bits of fraction.
#[cold]
#[inline(never)]
fn reduce_one(x: f32) -> (f32, f32) {
    if !x.is_finite() {
        return (f32::NAN, 0.0);
    }
    if x.abs() <= NEAR {
        let n = (f64::from(x) * std::f64::consts::FRAC_2_PI).round_ties_even();
        let r = HALF_PI.iter().fold(f64::from(x), |r, part| r - n * f64::from(*part));
        return (r as f32, (n as i32 & 3) as f32);
    }
    let bits = x.abs().to_bits();
    let mantissa = u128::from((bits & 0x7f_ffff) | 0x80_0000);
    let exponent = (bits >> 23) as i32 - 150;
    // 126 fraction bits remain: 2^-256 2^(130 - e) 2^e = 2^-126.
    let quarters = mantissa.wrapping_mul(two_over_pi_from((130 - exponent) as u32));
    let quadrant = ((quarters >> 126) + ((quarters >> 125) & 1)) as i32;
    let fraction = (quarters << 2) as i128 as f64 * 2f64.powi(-128);
    let r = fraction * std::f64::consts::FRAC_PI_2;
    let sign = if x < 0.0 { -1.0 } else { 1.0 };
    ((sign * r) as f32, ((sign as i32 * quadrant) & 3) as f32)
}

/// The 128 bits of `2/pi * 2^256` from bit `shift` on, `shift` < 192.
fn two_over_pi_from(shift: u32) -> u128 {
    let word = |i: u32| 3u32.checked_sub(i).map_or(0, |i| u128::from(FRAC_2_PI[i as usize]));
    let first = shift / 64;
    let low = word(first) | word(first + 1) << 64;
    match shift % 64 {
        0 => low,
        bits => low >> bits | word(first + 2) << (128 - bits),
    }
}
