//! Seasonal naive: this season is as the last.

/// The last `season` values, repeated; a series shorter than a season repeats what it has.
pub(super) fn forecast(values: &[f32], season: usize, horizon: usize) -> Vec<f32> {
    let last = &values[values.len().saturating_sub(season)..];
    last.iter().copied().cycle().take(horizon).collect()
}
