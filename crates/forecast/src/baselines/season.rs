//! Season: what repeats itself in a series, if it surely does.
//!
//! The test and the classical decomposition are those of the M competitions: the autocorrelation at the
//! season's length against a limit at 90 %, then the mean distance of each step from a moving average.

/// How sure a season must be: the quantile 0.95 of the normal distribution, for both sides together 90 %.
const SURE: f64 = 1.645;

/// What every step of a season adds to a series, or multiplies it by.
pub(super) struct Season {
    parts: Vec<f64>,
    multiplies: bool,
}

impl Season {
    /// The season of a series, if it surely has one.
    pub(super) fn of(values: &[f64], length: usize) -> Option<Season> {
        if length < 2 || values.len() < 3 * length || !is_seasonal(values, length) {
            return None;
        }
        let multiplies = values.iter().all(|&value| value > 0.0);
        let mut parts = vec![(0.0, 0); length];
        for (t, trend) in moving_average(values, length) {
            let (sum, count) = &mut parts[t % length];
            *sum += if multiplies { values[t] / trend } else { values[t] - trend };
            *count += 1;
        }
        let mut parts: Vec<f64> =
            parts.into_iter().map(|(sum, count)| sum / f64::from(count.max(1))).collect();
        let mean = parts.iter().sum::<f64>() / length as f64;
        for part in &mut parts {
            *part = if multiplies { *part / mean } else { *part - mean };
        }
        let usable = parts.iter().all(|part| part.is_finite() && (!multiplies || *part > 0.0));
        usable.then_some(Season { parts, multiplies })
    }

    /// A value without its season.
    pub(super) fn take_off(&self, t: usize, value: f64) -> f64 {
        let part = self.parts[t % self.parts.len()];
        if self.multiplies { value / part } else { value - part }
    }

    /// A value with its season.
    pub(super) fn put_back(&self, t: usize, value: f64) -> f64 {
        let part = self.parts[t % self.parts.len()];
        if self.multiplies { value * part } else { value + part }
    }
}

/// The mean of a season around each time that has one, the ends of an even season counting half.
fn moving_average(values: &[f64], length: usize) -> impl Iterator<Item = (usize, f64)> {
    let reach = length / 2;
    (reach..values.len().saturating_sub(reach)).map(move |t| {
        let around = &values[t - reach..=t + reach];
        let ends =
            if length.is_multiple_of(2) { (around[0] + around[2 * reach]) / 2.0 } else { 0.0 };
        (t, (around.iter().sum::<f64>() - ends) / length as f64)
    })
}

/// Whether values one season apart agree more than chance would have it.
fn is_seasonal(values: &[f64], length: usize) -> bool {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let variance: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    if variance <= 0.0 {
        return false;
    }
    let agreement = |lag: usize| {
        let pairs = values.iter().zip(&values[lag..]);
        pairs.map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / variance
    };
    let shorter: f64 = (1..length).map(|lag| agreement(lag).powi(2)).sum();
    agreement(length).abs() > SURE * ((1.0 + 2.0 * shorter) / values.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_no_season() {
        let noise: Vec<f64> = (0..120).map(|t| f64::from(t * 7919 % 101)).collect();
        assert!(Season::of(&noise, 12).is_none());
    }
}
