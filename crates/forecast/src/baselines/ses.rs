//! Simple exponential smoothing: a mean that forgets, at the rate that would have forecast the past best.

/// Halvings of the interval the rate is looked for in; the last is below a thousandth.
const STEPS: usize = 20;

/// The share by which the golden section narrows an interval.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The level after the last value, `horizon` times.
pub(super) fn forecast(values: &[f32], horizon: usize) -> Vec<f32> {
    let values: Vec<f64> = values.iter().map(|&x| f64::from(x)).collect();
    vec![level(&values) as f32; horizon]
}

/// The smoothed level after the last value.
pub(super) fn level(values: &[f64]) -> f64 {
    let error = |rate: f64| smooth(values, rate).1;
    let (mut low, mut high) = (0.0, 1.0);
    let inner = |low: f64, high: f64| (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut left, mut right) = inner(low, high);
    let (mut of_left, mut of_right) = (error(left), error(right));
    for _ in 0..STEPS {
        if of_left <= of_right {
            (high, right, of_right) = (right, left, of_left);
            left = inner(low, high).0;
            of_left = error(left);
        } else {
            (low, left, of_left) = (left, right, of_right);
            right = inner(low, high).1;
            of_right = error(right);
        }
    }
    smooth(values, (low + high) / 2.0).0
}

/// The level after the last value, and the squared errors of the forecasts one step ahead.
fn smooth(values: &[f64], rate: f64) -> (f64, f64) {
    let (first, others) = (values[0], &values[1..]);
    others.iter().fold((first, 0.0), |(level, errors), value| {
        let error = value - level;
        (level + rate * error, errors + error * error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_random_walk_is_forecast_by_its_last_value_and_noise_by_its_mean() {
        let walk: Vec<f64> = (0..50).map(f64::from).collect();
        assert!((level(&walk) - 49.0).abs() < 0.01);
        let noise: Vec<f64> = (0..200).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        assert!(level(&noise).abs() < 0.3, "{}", level(&noise));
    }
}
