//! Window average: the mean of what was lately.

/// The mean of the last `window` values, `horizon` times.
pub(super) fn forecast(values: &[f32], window: usize, horizon: usize) -> Vec<f32> {
    let last = &values[values.len().saturating_sub(window)..];
    let mean = last.iter().map(|&x| f64::from(x)).sum::<f64>() / last.len() as f64;
    vec![mean as f32; horizon]
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_the_window_counts() {
        assert_eq!(super::forecast(&[100.0, 1.0, 2.0, 6.0], 3, 2), [3.0, 3.0]);
    }
}
