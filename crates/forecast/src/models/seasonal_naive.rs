//! Seasonal naive: this season is as the last.

use crate::Panel;

/// The last `season_length` values of each series, repeated over `horizon` steps; series after
/// series. A series shorter than a season repeats what it has.
pub fn seasonal_naive(panel: &Panel, season_length: usize, horizon: usize) -> Vec<f32> {
    let forecasts = panel.series().iter().flat_map(|series| {
        let values = series.values();
        let season = &values[values.len().saturating_sub(season_length.max(1))..];
        season.iter().copied().cycle().take(horizon)
    });
    forecasts.collect()
}
