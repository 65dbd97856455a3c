//! Rolling quantiles, from a window that is kept sorted.

use super::Window;

/// The value below which a share `q` of each window lies, interpolated between neighbours.
pub fn rolling_quantile(src: &[f32], window: Window, q: f64, dst: &mut [f32]) {
    quantile_from(src, window, q, 0, dst);
}

/// [`rolling_quantile`] for the rows from `first` on.
pub(in crate::features) fn quantile_from(
    src: &[f32],
    window: Window,
    q: f64,
    first: usize,
    dst: &mut [f32],
) {
    let (length, needs) = (window.length(src.len()), window.needs());
    let start = first.saturating_sub(length);
    let known = src.get(start..first).unwrap_or_default().iter().copied();
    let mut sorted: Vec<f32> = known.filter(|x| x.is_finite()).collect();
    sorted.sort_unstable_by(f32::total_cmp);
    let place = |sorted: &[f32], x: f32| sorted.partition_point(|y| y.total_cmp(&x).is_lt());
    let rows = src.iter().enumerate().skip(first);
    for (result, (row, &x)) in dst.iter_mut().zip(rows) {
        if let Some(&old) = row.checked_sub(length).and_then(|old| src.get(old))
            && old.is_finite()
        {
            sorted.remove(place(&sorted, old));
        }
        if x.is_finite() {
            sorted.insert(place(&sorted, x), x);
        }
        *result = if sorted.len() >= needs { at_share(&sorted, q) } else { f32::NAN };
    }
}

/// The value at a share of the way through sorted values, of which there is one at least.
fn at_share(sorted: &[f32], q: f64) -> f32 {
    let place = (sorted.len() - 1) as f64 * q.clamp(0.0, 1.0);
    let low = f64::from(sorted[place as usize]);
    match sorted.get(place as usize + 1) {
        Some(&high) => (low + (f64::from(high) - low) * place.fract()) as f32,
        None => low as f32,
    }
}
