//! The loops a person writes first: one value at a time, with the standard library's functions.
//!
//! The compiler cannot put these into vectors: calls of the mathematics library are scalar, and
//! sums of floats may not be reordered.

/// `dst[i] = f(src[i])`.
pub fn map(src: &[f32], dst: &mut [f32], f: impl Fn(f32) -> f32) {
    for (dst, src) in dst.iter_mut().zip(src) {
        *dst = f(*src);
    }
}

/// `1 / (1 + exp(-x))`.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// `x / 2 (1 + erf(x / sqrt 2))`.
pub fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + libm::erff(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// The sum from the first value to the last.
pub fn sum(x: &[f32]) -> f32 {
    x.iter().sum()
}

/// The sum of products from the first to the last.
pub fn dot(x: &[f32], y: &[f32]) -> f32 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_come_out() {
        assert_eq!(sigmoid(0.0), 0.5);
        assert!((gelu(1.0) - 0.841_344_8).abs() < 1e-6);
        assert_eq!(sum(&[1.0, 2.0, 3.0]), 6.0);
        assert_eq!(dot(&[1.0, 2.0], &[3.0, 4.0]), 11.0);
    }
}
