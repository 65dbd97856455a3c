//! Scaling per series: models learn on values of mean 0 and deviation 1, whatever the series' size.

/// The map from values to learned values and back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Standard {
    mean: f64,
    std: f64,
}

impl Standard {
    /// Mean and population standard deviation of `values`; a constant series keeps its unit.
    pub(crate) fn of(values: &[f32]) -> Standard {
        let count = values.len().max(1) as f64;
        let mean = values.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
        let squares = values.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>();
        let std = (squares / count).sqrt();
        // Rounding in the mean leaves a constant series with a deviation of the size of its last bit.
        let constant = std <= mean.abs() * f64::from(f32::EPSILON);
        Standard { mean, std: if constant { 1.0 } else { std } }
    }

    /// To mean 0 and deviation 1.
    pub(crate) fn scale(self, x: f32) -> f32 {
        ((f64::from(x) - self.mean) / self.std) as f32
    }

    /// Back to the series' own unit.
    pub(crate) fn invert(self, x: f32) -> f32 {
        (f64::from(x) * self.std + self.mean) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_constant_series_becomes_zeros() {
        for x in [0.0, 7.0, 0.1, -3e30] {
            let standard = Standard::of(&[x; 7]);
            assert!(standard.scale(x).abs() <= x.abs() * 1e-6, "{x}");
            assert_eq!(standard.invert(standard.scale(x)), x);
        }
    }

    proptest! {
        #[test]
        fn scaling_is_undone(values in prop::collection::vec(-1e6f32..1e6, 1..40)) {
            let standard = Standard::of(&values);
            let size = values.iter().fold(0f32, |m, x| m.max(x.abs()));
            for &x in &values {
                prop_assert!((standard.invert(standard.scale(x)) - x).abs() <= 1e-5 * size);
            }
        }
    }
}
