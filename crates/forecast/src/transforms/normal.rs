//! The standard normal distribution: the share below a number, and the number of a share.

use std::f64::consts::TAU;

/// The share of the distribution below `x`, to 1e-15.
///
/// `1/2 + density(x) (x + x^3/3 + x^5/(3 5) + ...)`; the terms shrink once their number passes `x^2`.
pub(super) fn share_below(x: f64) -> f64 {
    let x = x.clamp(-8.0, 8.0);
    let (mut sum, mut term, mut before, mut odd) = (x, x, 0.0, 1.0);
    while sum != before {
        before = sum;
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    (0.5 + sum * density(x)).clamp(0.0, 1.0)
}

/// The number with a share `p` of the distribution below it, for `p` between 1e-8 and 1 - 1e-8.
pub(super) fn number_above(p: f64) -> f64 {
    let tail = p.min(1.0 - p).max(1e-8);
    // Abramowitz and Stegun 26.2.23, within 4.5e-4; each step below squares the error or better.
    let t = (-2.0 * tail.ln()).sqrt();
    let top = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let mut x = top / (1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308))) - t;
    for _ in 0..3 {
        let newton = (share_below(x) - tail) / density(x);
        x -= newton / (1.0 + x * newton / 2.0);
    }
    if p < 0.5 { x } else { -x }
}

fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / TAU.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_shares() {
        for (x, share) in [
            (0.0, 0.5),
            (1.959_963_984_540_054, 0.975),
            (-1.281_551_565_544_600_4, 0.1),
            (-5.199_337_582_192_817, 1e-7),
        ] {
            assert!((share_below(x) - share).abs() < 1e-14, "{x}");
            assert!((number_above(share) - x).abs() < 1e-8, "{share}");
        }
    }

    #[test]
    fn numbers_and_shares_undo_each_other() {
        for i in 1..10_000 {
            let p = f64::from(i) / 10_000.0;
            assert!((share_below(number_above(p)) - p).abs() < 1e-14, "{p}");
        }
    }
}
