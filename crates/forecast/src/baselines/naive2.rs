//! Naive2: the last value, season apart; the yardstick of the M competitions' overall weighted average.

use super::season::Season;

/// The last value without its season, and the season put back where a series surely has one.
pub(super) fn forecast(values: &[f32], season: usize, horizon: usize) -> Vec<f32> {
    let (past, last) = (values.len(), values[values.len() - 1]);
    let seasons = (season > 1).then(|| {
        let values: Vec<f64> = values.iter().map(|&x| f64::from(x)).collect();
        Season::of(&values, season)
    });
    match seasons.flatten() {
        Some(seasons) => {
            let plain = seasons.take_off(past - 1, f64::from(last));
            (past..past + horizon).map(|t| seasons.put_back(t, plain) as f32).collect()
        }
        None => vec![last; horizon],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sure_season_is_repeated_and_noise_is_not() {
        let season = [1.2f32, 0.8, 1.0, 1.0];
        let values: Vec<f32> = (0..40).map(|t| 100.0 * season[t % 4]).collect();
        for (step, value) in forecast(&values, 4, 8).into_iter().enumerate() {
            assert!((value - 100.0 * season[step % 4]).abs() < 1e-3, "{step}: {value}");
        }
        let noise: Vec<f32> = (0..120).map(|t| (t * 7919 % 101) as f32).collect();
        assert_eq!(forecast(&noise, 12, 2), [noise[119]; 2]);
    }
}
