//! The season of a panel whose time axis does not tell it: where series resemble themselves.

use crate::{Frequency, Panel};

/// Series looked at, and values of each.
const MOST_SERIES: usize = 200;
const MOST_VALUES: usize = 2000;
/// The longest season looked for.
const LONGEST: usize = 400;
/// The least mean autocorrelation of a season, however long the series are.
const CLEAR: f64 = 0.3;
/// How often, at most, noise may look like a season.
const CHANCE: f64 = 0.03;
/// Autocorrelations of the changes of `n` values of noise scatter by 1.5 / n, those of a random walk by 1 / n.
const SCATTER: f64 = 1.5;
/// The share of the clearest lag's autocorrelation that a shorter lag must have to be taken instead: a
/// season repeats at its multiples too.
const ALMOST: f64 = 0.8;

impl Panel {
    /// Steps after which its series repeat themselves; 1 if they do not. A calendar tells it; where times
    /// are mere numbers it is the lag at which changes of the series resemble each other most clearly, and
    /// more than those of noise would. What comes once a year or less has no season.
    pub fn season_length(&self) -> usize {
        match (self.frequency(), self.frequency().season_length()) {
            (Frequency::Months { count, .. }, 1) if count % 12 == 0 => 1,
            (_, 1) => self.season_seen(),
            (_, told) => told,
        }
    }

    fn season_seen(&self) -> usize {
        let step = self.series().len().div_ceil(MOST_SERIES).max(1);
        let sample = self.series().iter().step_by(step);
        let seen: Vec<Resemblance> =
            sample.filter_map(|one| Resemblance::of(one.values())).collect();
        let longest = seen.iter().map(|one| one.by_lag.len()).max().unwrap_or(0);
        // As sure for the clearest of all lags as for one: the tail of a normal distribution beyond z is
        // below exp(-z * z / 2).
        let z = (2.0 * (longest as f64 / CHANCE).ln()).sqrt();
        let common = in_common(&seen);
        let lags: Vec<(f64, f64)> =
            (0..longest).map(|lag| mean_and_least(&seen, lag, common, z)).collect();
        let at = |lag: usize| lags.get(lag).map_or(f64::NEG_INFINITY, |&(mean, _)| mean);
        let clear = |lag: usize| at(lag) >= lags[lag].1;
        let peaks = (2..longest)
            .filter(|&lag| at(lag) > at(lag - 1) && at(lag) >= at(lag + 1) && clear(lag));
        let clearest = peaks.clone().map(at).fold(CLEAR, f64::max);
        peaks.into_iter().find(|&lag| at(lag) >= ALMOST * clearest).unwrap_or(1)
    }
}

/// How the changes of a series resemble earlier ones.
struct Resemblance {
    /// The changes less their mean, over their deviation.
    changes: Vec<f64>,
    /// Autocorrelations by lag, from 0 on.
    by_lag: Vec<f64>,
}

impl Resemblance {
    /// None of a series that is too short or never changes.
    fn of(values: &[f32]) -> Option<Resemblance> {
        let values = &values[values.len().saturating_sub(MOST_VALUES)..];
        let changes: Vec<f64> = values
            .windows(2)
            .map(|pair| f64::from(pair[1]) - f64::from(pair[0]))
            .map(|change| if change.is_finite() { change } else { 0.0 })
            .collect();
        let longest = LONGEST.min(changes.len() / 3);
        let mean = changes.iter().sum::<f64>() / changes.len().max(1) as f64;
        let power = changes.iter().map(|change| (change - mean).powi(2)).sum::<f64>();
        if longest < 2 || power <= 0.0 {
            return None;
        }
        let deviation = (power / changes.len() as f64).sqrt();
        let changes: Vec<f64> = changes.iter().map(|change| (change - mean) / deviation).collect();
        let by_lag = (0..=longest).map(|lag| correlation(&changes, lag)).collect();
        Some(Resemblance { changes, by_lag })
    }
}

/// The correlation of values with those `lag` later; 0 where either never change.
fn correlation(centred: &[f64], lag: usize) -> f64 {
    let (first, later) = (&centred[..centred.len() - lag], &centred[lag..]);
    let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let power = product(first, first).sqrt() * product(later, later).sqrt();
    if power > 0.0 { product(first, later) / power } else { 0.0 }
}

/// The mean correlation of two of the series, from 0 to 1. Series are compared at their ends.
fn in_common(seen: &[Resemblance]) -> f64 {
    let longest = seen.iter().map(|one| one.changes.len()).max().unwrap_or(0);
    let (mut products, mut pairs) = (0.0, 0.0);
    for back in 1..=longest {
        let places =
            seen.iter().filter_map(|one| Some((one, one.changes.len().checked_sub(back)?)));
        let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
        for change in places.map(|(one, place)| one.changes[place]) {
            (sum, squares, count) = (sum + change, squares + change * change, count + 1.0);
        }
        products += sum * sum - squares;
        pairs += count * (count - 1.0);
    }
    if pairs > 0.0 { (products / pairs).clamp(0.0, 1.0) } else { 0.0 }
}

/// The mean autocorrelation at a lag, and what it must reach not to be that of noise `z` deviations off. What
/// series have in common scatters as in one series, the rest as in the mean of independent ones; Fisher's
/// transformation makes correlations normal.
fn mean_and_least(seen: &[Resemblance], lag: usize, common: f64, z: f64) -> (f64, f64) {
    let known = || seen.iter().filter(|one| lag < one.by_lag.len());
    let count = known().count() as f64;
    // A lag that few series are long enough for says nothing of the panel.
    if 2.0 * count < seen.len() as f64 {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    let mean = known().map(|one| one.by_lag[lag]).sum::<f64>() / count;
    let variances = known().map(|one| SCATTER / (one.changes.len() - lag) as f64);
    let variance = variances.sum::<f64>() / count;
    let by_chance = |variance: f64| (z * variance.sqrt()).tanh();
    let least = common * by_chance(variance) + (1.0 - common) * by_chance(variance / count);
    (mean, least.max(CLEAR))
}

#[cfg(test)]
mod tests {
    use crate::{Columns, Panel};

    fn season(value: impl Fn(usize) -> f64, rows: usize) -> usize {
        season_of(1, |_, t| value(t), rows)
    }

    fn season_of(series: usize, value: impl Fn(usize, usize) -> f64, rows: usize) -> usize {
        let row = |id, t| format!("s{id},{t},{}\n", value(id, t));
        let rows: String = (0..series)
            .flat_map(|id| (0..rows).map(move |t| (id, t)))
            .map(|(id, t)| row(id, t))
            .collect();
        let csv = format!("unique_id,ds,y\n{rows}");
        let panel = Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None);
        panel.unwrap().season_length()
    }

    /// Reproducible noise from -1 to 1.
    fn noise(t: usize) -> f64 {
        let hash = (t as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as f64 / (1 << 23) as f64
            - 1.0
    }

    #[test]
    fn a_season_is_seen_through_trend_and_noise() {
        let wave = |t: usize, m: f64| (std::f64::consts::TAU * t as f64 / m).sin();
        assert_eq!(season(|t| 0.5 * t as f64 + 10.0 * wave(t, 12.0) + noise(t), 120), 12);
        assert_eq!(season(|t| 9.0 * wave(t, 24.0) + 4.0 * wave(t, 12.0) + noise(t), 500), 24);
        assert_eq!(season(|t| [3.0, 9.0, 1.0, 4.0][t % 4] + noise(t), 60), 4);
    }

    #[test]
    fn where_nothing_repeats_there_is_no_season() {
        let mut walk = 0.0;
        let walks: Vec<f64> = (0..300)
            .map(|t| {
                walk += noise(t);
                walk
            })
            .collect();
        assert_eq!(season(|t| walks[t], 300), 1);
        assert_eq!(season(|t| t as f64, 50), 1);
        assert_eq!(season(|_| 5.0, 50), 1);
        assert_eq!(season(|_| 5.0, 2), 1);
    }

    /// Files of noise or of random walks in which a season is seen.
    fn seen_in_noise(rows: usize, files: usize, walks: bool) -> usize {
        let seen = |file: usize| {
            let mut sum = 0.0;
            let values: Vec<f64> = (0..rows)
                .map(|t| {
                    let draw = noise(file * rows + t);
                    sum += draw;
                    if walks { sum } else { draw }
                })
                .collect();
            season(|t| values[t], rows) > 1
        };
        (0..files).filter(|&file| seen(file)).count()
    }

    #[test]
    fn noise_and_random_walks_of_any_length_have_no_season() {
        for rows in [8, 12, 20, 30, 60, 120, 300] {
            for walks in [false, true] {
                let seen = seen_in_noise(rows, 200, walks);
                assert!(seen <= 4, "{rows} rows, walks: {walks}: {seen} of 200");
            }
        }
    }

    #[test]
    fn series_with_noise_in_common_have_no_season() {
        let alike = |file: usize| {
            let value = |id, t| noise(60 * file + t) + 0.3 * noise(90_000 + 60 * id + t);
            season_of(20, value, 60) > 1
        };
        let seen = (0..100).filter(|&file| alike(file)).count();
        assert!(seen <= 2, "{seen} of 100");
    }

    #[test]
    fn many_short_series_show_a_season_that_one_does_not() {
        let value = |id: usize, t: usize| [3.0, 4.0, 1.0, 2.0][t % 4] + 2.0 * noise(40 * id + t);
        assert_eq!(season_of(1, value, 20), 1);
        assert_eq!(season_of(100, value, 20), 4);
    }

    #[test]
    fn what_comes_once_a_year_has_no_season() {
        let rows: String =
            (0..60).map(|t| format!("s,{}-12-31,{}\n", 1900 + t, [3, 9, 1, 4][t % 4])).collect();
        let csv = format!("unique_id,ds,y\n{rows}");
        let panel = Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None);
        assert_eq!(panel.unwrap().season_length(), 1);
    }

    #[test]
    fn a_few_seasons_without_noise_are_enough() {
        assert_eq!(season(|t| [3.0, 9.0, 1.0, 4.0][t % 4], 16), 4);
        assert_eq!(season(|t| [5.0, 1.0, 7.0, 2.0, 8.0, 3.0, 0.0][t % 7], 28), 7);
    }
}
