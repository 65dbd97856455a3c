//! Naive: tomorrow is as today.

use crate::Panel;

/// The last value of each series, `horizon` times; series after series.
pub fn naive(panel: &Panel, horizon: usize) -> Vec<f32> {
    let last = |values: &[f32]| values.last().copied().unwrap_or(f32::NAN);
    let forecasts = panel.series().iter().map(|s| std::iter::repeat_n(last(s.values()), horizon));
    forecasts.flatten().collect()
}
