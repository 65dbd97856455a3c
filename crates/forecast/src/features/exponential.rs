//! Exponentially weighted means: the further back a value, the less it counts.

/// `dst[t]` is the mean of `src[..=t]` with weights `(1 - alpha)^age`; with `adjust` they are divided by
/// their sum, without it the first value counts as if it had always been there. As pandas' `ewm` with
/// `ignore_na=False`: values that are NaN are left out and those before them age all the same.
pub fn exponential_mean(src: &[f32], alpha: f64, adjust: bool, dst: &mut [f32]) {
    let fresh = if adjust { 1.0 } else { alpha };
    let (mut mean, mut weight) = (f64::NAN, 1.0);
    for (result, &x) in dst.iter_mut().zip(src) {
        let x = f64::from(x);
        match (mean.is_nan(), x.is_nan()) {
            (true, _) => mean = x,
            (false, true) => weight *= 1.0 - alpha,
            (false, false) => {
                weight *= 1.0 - alpha;
                mean = (weight * mean + fresh * x) / (weight + fresh);
                weight = if adjust { weight + fresh } else { 1.0 };
            }
        }
        *result = mean as f32;
    }
}
