//! The logarithm of one more: large values come closer together, zeros stay zeros.

/// `log(1 + x)` of values above -1.
pub(super) fn apply(x: f64) -> f64 {
    x.ln_1p()
}

/// The value again.
pub(super) fn invert(z: f64) -> f64 {
    z.exp_m1()
}
