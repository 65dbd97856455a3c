//! Special functions in f64, for quantiles: each good to about ten digits.

use std::f64::consts::{PI, SQRT_2};

/// Terms after which a series or fraction has converged, or will not.
const TERMS: usize = 100_000;
const TINY: f64 = 1e-300;

/// `log(1 + exp x)`.
pub(super) fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// The logarithm of the gamma function above 0 (Lanczos, 1964; coefficients for g = 7).
fn log_gamma(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        return (PI / (PI * x).sin()).ln() - log_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let mut sum = 0.999_999_999_999_809_9;
    for (i, c) in COEFFICIENTS.iter().enumerate() {
        sum += c / (x + i as f64 + 1.0);
    }
    let t = x + 7.5;
    0.5 * (2.0 * PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

/// The share of a gamma distribution of shape `a` below `x`: a series where x is small, else a continued
/// fraction (Lentz, 1976).
pub(super) fn gamma_share(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let front = (a * x.ln() - x - log_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for n in 1..TERMS {
            term *= x / (a + n as f64);
            sum += term;
            if term < sum * 1e-16 {
                break;
            }
        }
        return front * sum;
    }
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for n in 1..TERMS {
        let n = n as f64;
        let an = -n * (n - a);
        b += 2.0;
        d = 1.0 / away_from_zero(an * d + b);
        c = away_from_zero(b + an / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    1.0 - front * fraction
}

/// The share of a beta distribution of shapes `a`, `b` below `x`: the regularised incomplete beta
/// function, by its continued fraction on the side where that converges.
pub(super) fn beta_share(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return if x >= 1.0 { 1.0 } else { 0.0 };
    }
    let front = log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * x.ln() + b * (-x).ln_1p();
    match x < (a + 1.0) / (a + b + 2.0) {
        true => front.exp() * beta_fraction(a, b, x) / a,
        false => 1.0 - front.exp() * beta_fraction(b, a, 1.0 - x) / b,
    }
}

fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for n in 1..TERMS {
        let n = n as f64;
        let even = n * (b - n) * x / ((a + 2.0 * n - 1.0) * (a + 2.0 * n));
        let odd = -(a + n) * (a + b + n) * x / ((a + 2.0 * n) * (a + 2.0 * n + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            change = d * c;
            fraction *= change;
        }
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

fn away_from_zero(x: f64) -> f64 {
    if x.abs() < TINY { TINY } else { x }
}

/// The quantile of the standard normal distribution: Acklam's rational approximation, then a step of
/// Halley's method on the error function.
pub(crate) fn normal_quantile(q: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784_894_002_430_293e-3,
        -3.223_964_580_411_365e-1,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        7.784_695_709_041_462e-3,
        3.224_671_290_700_398e-1,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    let horner = |coefficients: &[f64], x: f64| coefficients.iter().fold(0.0, |sum, c| sum * x + c);
    let tail = |q: f64| {
        let r = (-2.0 * q.ln()).sqrt();
        horner(&C, r) / horner(&D, r)
    };
    let x = match q {
        q if q < 0.024_25 => tail(q),
        q if q > 1.0 - 0.024_25 => -tail(1.0 - q),
        q => {
            let (x, r) = (q - 0.5, (q - 0.5) * (q - 0.5));
            x * horner(&A, r) / horner(&B, r)
        }
    };
    let error = normal_share(x) - q;
    let step = error * (2.0 * PI).sqrt() * (x * x / 2.0).exp();
    x - step / (1.0 + x * step / 2.0)
}

/// The share of the standard normal distribution below `x`.
fn normal_share(x: f64) -> f64 {
    let half = gamma_share(0.5, (x / SQRT_2).powi(2)) / 2.0;
    if x < 0.0 { 0.5 - half } else { 0.5 + half }
}

/// The quantile of Student's t distribution with `freedom` degrees of freedom, at least 1: Newton's
/// method on its share, from the expansion about the normal quantile.
pub(super) fn student_quantile(q: f64, freedom: f64) -> f64 {
    if q == 0.5 {
        return 0.0;
    }
    let (z, f) = (normal_quantile(q), freedom);
    if f > 1e8 {
        return z;
    }
    let mut t = z
        + (z.powi(3) + z) / (4.0 * f)
        + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * f * f);
    let norm = log_gamma((f + 1.0) / 2.0) - log_gamma(f / 2.0) - (f * PI).ln() / 2.0;
    for _ in 0..100 {
        let tail = beta_share(f / 2.0, 0.5, f / (f + t * t)) / 2.0;
        let share = if t < 0.0 { tail } else { 1.0 - tail };
        let density = (norm - (f + 1.0) / 2.0 * (t * t / f).ln_1p()).exp();
        let step = (share - q) / density;
        // Far out the density is so flat that a step could cross over.
        let step = step.clamp(-t.abs().max(1.0) / 2.0, t.abs().max(1.0) / 2.0);
        t -= step;
        if step.abs() <= 1e-12 * t.abs() {
            break;
        }
    }
    t
}
