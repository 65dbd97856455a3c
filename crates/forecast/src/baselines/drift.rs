//! Drift: as it went on average, it goes on.

/// The line through the first and the last value.
pub(super) fn forecast(values: &[f32], horizon: usize) -> Vec<f32> {
    let (first, last) = (f64::from(values[0]), f64::from(values[values.len() - 1]));
    let slope = (last - first) / (values.len() - 1).max(1) as f64;
    (1..=horizon).map(|step| (last + slope * step as f64) as f32).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_line_goes_on() {
        assert_eq!(super::forecast(&[1.0, 9.0, 5.0], 2), [7.0, 9.0]);
    }
}
