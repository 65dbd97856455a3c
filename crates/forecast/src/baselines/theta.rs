//! The Theta method (Assimakopoulos and Nikolopoulos, 2000): the mean of the line through a series and
//! the smoothed level of the series with its bend doubled; the season is taken off before and put back
//! after.

use super::ses;

/// How sure a season must be: the quantile 0.95 of the normal distribution.
const SURE: f64 = 1.645;

/// The forecast of the Theta method.
pub(super) fn forecast(values: &[f32], season: usize, horizon: usize) -> Vec<f32> {
    let mut values: Vec<f64> = values.iter().map(|&x| f64::from(x)).collect();
    let seasons = Season::of(&values, season);
    if let Some(seasons) = &seasons {
        let plain = values.iter().enumerate().map(|(t, &value)| seasons.take_off(t, value));
        values = plain.collect();
    }
    let (start, slope) = line(&values);
    let at = |t: usize| start + slope * t as f64;
    let bent: Vec<f64> = values.iter().enumerate().map(|(t, value)| 2.0 * value - at(t)).collect();
    let level = ses::level(&bent);
    let step = |t: usize| {
        let plain = (level + at(t)) / 2.0;
        seasons.as_ref().map_or(plain, |seasons| seasons.put_back(t, plain)) as f32
    };
    (values.len()..values.len() + horizon).map(step).collect()
}

/// The straight line of the least squares: its value at 0 and its slope.
fn line(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let (middle, mean) = ((count - 1.0) / 2.0, values.iter().sum::<f64>() / count);
    let offsets = || values.iter().enumerate().map(|(t, value)| (t as f64 - middle, value - mean));
    let spread: f64 = offsets().map(|(t, _)| t * t).sum();
    let slope =
        if spread > 0.0 { offsets().map(|(t, y)| t * y).sum::<f64>() / spread } else { 0.0 };
    (mean - slope * middle, slope)
}

/// What every step of a season adds to a series, or multiplies it by.
struct Season {
    parts: Vec<f64>,
    multiplies: bool,
}

impl Season {
    /// The season of a series, if it surely has one.
    fn of(values: &[f64], length: usize) -> Option<Season> {
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

    fn take_off(&self, t: usize, value: f64) -> f64 {
        let part = self.parts[t % self.parts.len()];
        if self.multiplies { value / part } else { value - part }
    }

    fn put_back(&self, t: usize, value: f64) -> f64 {
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
    fn a_season_on_a_line_goes_on() {
        let at = |t: usize| (100.0 + t as f64) * [1.2, 0.8, 1.0, 1.0][t % 4];
        let values: Vec<f32> = (0..80).map(|t| at(t) as f32).collect();
        for (step, value) in forecast(&values, 4, 8).into_iter().enumerate() {
            let expected = at(80 + step);
            assert!((f64::from(value) / expected - 1.0).abs() < 0.03, "{step}: {value} {expected}");
        }
    }

    #[test]
    fn a_season_below_zero_is_added() {
        let at = |t: usize| [10.0, -10.0, 3.0, -3.0][t % 4];
        let values: Vec<f32> = (0..40).map(|t| at(t) as f32).collect();
        for (step, value) in forecast(&values, 4, 4).into_iter().enumerate() {
            assert!((f64::from(value) - at(step)).abs() < 1.0, "{step}: {value}");
        }
    }

    #[test]
    fn noise_has_no_season() {
        let noise: Vec<f64> = (0..120).map(|t| f64::from(t * 7919 % 101)).collect();
        assert!(Season::of(&noise, 12).is_none());
    }
}
