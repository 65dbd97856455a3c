//! Functions the standard library lacks, in f64, and the distance in ULP.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// `|got - exact|` in units in the last place of `exact` as an f32; infinite where one is NaN
/// or infinite and the other is not.
pub(crate) fn ulp_error(got: f32, exact: f64) -> f64 {
    if got.is_nan() || exact.is_nan() {
        return if got.is_nan() && exact.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got.is_infinite() && got == exact as f32 {
        return 0.0;
    }
    if exact.is_infinite() {
        return f64::INFINITY;
    }
    // An infinite result stands where the exponent would have gone on.
    let got =
        if got.is_infinite() { f64::from(got.signum()) * 2f64.powi(128) } else { f64::from(got) };
    (got - exact).abs() / ulp(exact)
}

/// The distance of f32 numbers around `x`.
fn ulp(x: f64) -> f64 {
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    f64::from_bits(((exponent.clamp(-126, 127) - 23 + 1023) as u64) << 52)
}

/// The error function by its series near 0 and through erfc elsewhere.
pub(crate) fn erf(x: f64) -> f64 {
    if x.abs() >= 2.0 {
        return (1.0 - erfc(x.abs())) * x.signum();
    }
    // erf(x) = 2/sqrt(pi) exp(-x^2) sum x (2 x^2)^n / (1 3 5 ... (2n + 1)): no cancellation.
    let (mut term, mut sum) = (x, x);
    let mut odd = 1.0;
    while term.abs() > 1e-17 * sum.abs() {
        odd += 2.0;
        term *= 2.0 * x * x / odd;
        sum += term;
    }
    sum * (-x * x).exp() * 2.0 / PI.sqrt()
}

/// `1 - erf(x)` for x >= 0, accurate far into the tail: the continued fraction of Laplace.
pub(crate) fn erfc(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x < 2.0 {
        return 1.0 - erf(x);
    }
    if x > 28.0 {
        return 0.0;
    }
    let mut fraction = x;
    for k in (1..=60).rev() {
        fraction = x + 0.5 * f64::from(k) / fraction;
    }
    (-x * x).exp() / (fraction * PI.sqrt())
}

/// The distribution function of the normal.
pub(crate) fn normal_distribution(x: f64) -> f64 {
    let tail = 0.5 * erfc(x.abs() * FRAC_1_SQRT_2);
    if x < 0.0 { tail } else { 1.0 - tail }
}
