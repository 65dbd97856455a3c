//! The season of a panel whose time axis does not tell it: where series resemble themselves.

use crate::Panel;

/// Series looked at, and values of each.
const MOST_SERIES: usize = 200;
const MOST_VALUES: usize = 2000;
/// The longest season looked for.
const LONGEST: usize = 400;
/// The least mean autocorrelation of a season.
const CLEAR: f64 = 0.3;
/// The share of the clearest lag's autocorrelation that a shorter lag must have to be taken instead: a
/// season repeats at its multiples too.
const ALMOST: f64 = 0.8;

impl Panel {
    /// Steps after which its series repeat themselves; 1 if they do not. A calendar tells it; where times
    /// are mere numbers it is the lag at which changes of the series resemble each other most clearly.
    pub fn season_length(&self) -> usize {
        match self.frequency().season_length() {
            1 => self.season_seen(),
            told => told,
        }
    }

    fn season_seen(&self) -> usize {
        let step = self.series().len().div_ceil(MOST_SERIES).max(1);
        let sample = self.series().iter().step_by(step);
        let correlations: Vec<Vec<f64>> = sample.filter_map(|one| seen(one.values())).collect();
        let longest = correlations.iter().map(Vec::len).max().unwrap_or(0);
        let mean: Vec<f64> = (0..longest)
            .map(|lag| {
                let known = correlations.iter().filter_map(|of_series| of_series.get(lag));
                // A lag that few series are long enough for says nothing of the panel.
                match 2 * known.clone().count() >= correlations.len() {
                    true => known.clone().sum::<f64>() / known.count() as f64,
                    false => f64::NEG_INFINITY,
                }
            })
            .collect();
        let at = |lag: usize| mean.get(lag).copied().unwrap_or(f64::NEG_INFINITY);
        let peaks = (2..mean.len()).filter(|&lag| at(lag) > at(lag - 1) && at(lag) >= at(lag + 1));
        let clearest = peaks.clone().map(at).fold(CLEAR, f64::max);
        peaks.into_iter().find(|&lag| at(lag) >= CLEAR.max(ALMOST * clearest)).unwrap_or(1)
    }
}

/// Autocorrelations of the changes of a series, by lag; none of one too short, or one that never changes.
fn seen(values: &[f32]) -> Option<Vec<f64>> {
    let values = &values[values.len().saturating_sub(MOST_VALUES)..];
    let changes: Vec<f64> = values
        .windows(2)
        .map(|pair| f64::from(pair[1]) - f64::from(pair[0]))
        .map(|change| if change.is_finite() { change } else { 0.0 })
        .collect();
    let longest = LONGEST.min(changes.len() / 3);
    let mean = changes.iter().sum::<f64>() / changes.len().max(1) as f64;
    let centred: Vec<f64> = changes.iter().map(|change| change - mean).collect();
    let power = centred.iter().map(|x| x * x).sum::<f64>();
    if longest < 2 || power <= 0.0 {
        return None;
    }
    let product = |lag: usize| centred.iter().zip(&centred[lag..]).map(|(a, b)| a * b).sum::<f64>();
    // Products are fewer at longer lags; their mean is what tells.
    let fair = |lag: usize| centred.len() as f64 / (centred.len() - lag) as f64;
    Some((0..=longest).map(|lag| product(lag) * fair(lag) / power).collect())
}

#[cfg(test)]
mod tests {
    use crate::{Columns, Panel};

    fn season(value: impl Fn(usize) -> f64, rows: usize) -> usize {
        let rows: String = (0..rows).map(|t| format!("s,{t},{}\n", value(t))).collect();
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
}
