//! The Theta method (Assimakopoulos and Nikolopoulos, 2000): the mean of the line through a series and
//! the smoothed level of the series with its bend doubled; the season is taken off before and put back
//! after.

use super::season::Season;
use super::ses;

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
}
