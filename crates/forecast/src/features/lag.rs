//! Lags and differences: the value some steps before, and the change since then.

use whimbrel_kernels::copy::copy;

/// `dst[t] = src[t - steps]`, NaN before there is one. As pandas' `shift`.
pub fn lag(src: &[f32], steps: usize, dst: &mut [f32]) {
    lag_from(src, steps, 0, dst);
}

/// [`lag`] for the rows from `first` on.
pub(super) fn lag_from(src: &[f32], steps: usize, first: usize, dst: &mut [f32]) {
    let (unknown, known) = split(steps, first, dst);
    unknown.fill(f32::NAN);
    let before = src.get(first.saturating_sub(steps)..).unwrap_or_default();
    let rows = known.len().min(before.len());
    copy(&before[..rows], &mut known[..rows]);
}

/// `dst[t] = src[t] - src[t - steps]`, NaN before there is one. As pandas' `diff`.
pub fn difference(src: &[f32], steps: usize, dst: &mut [f32]) {
    difference_from(src, steps, 0, dst);
}

/// [`difference`] for the rows from `first` on.
pub(crate) fn difference_from(src: &[f32], steps: usize, first: usize, dst: &mut [f32]) {
    let (unknown, known) = split(steps, first, dst);
    unknown.fill(f32::NAN);
    let before = src.get(first.saturating_sub(steps)..).unwrap_or_default();
    let now = src.get(first.max(steps)..).unwrap_or_default();
    for ((z, x), before) in known.iter_mut().zip(now).zip(before) {
        *z = x - before;
    }
}

/// The rows from `first` on that come before `steps`, and the others.
fn split(steps: usize, first: usize, dst: &mut [f32]) -> (&mut [f32], &mut [f32]) {
    let unknown = steps.saturating_sub(first).min(dst.len());
    dst.split_at_mut(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_before_the_first_value_are_not_known() {
        let src = [1.0, 3.0, 6.0, 10.0];
        let mut dst = [0.0; 4];
        for (steps, lags, differences) in [
            (0, [1.0, 3.0, 6.0, 10.0], [0.0; 4]),
            (1, [f32::NAN, 1.0, 3.0, 6.0], [f32::NAN, 2.0, 3.0, 4.0]),
            (3, [f32::NAN, f32::NAN, f32::NAN, 1.0], [f32::NAN, f32::NAN, f32::NAN, 9.0]),
            (9, [f32::NAN; 4], [f32::NAN; 4]),
        ] {
            lag(&src, steps, &mut dst);
            assert_eq!(dst.map(f32::to_bits), lags.map(f32::to_bits), "{steps}");
            difference(&src, steps, &mut dst);
            assert_eq!(dst.map(f32::to_bits), differences.map(f32::to_bits), "{steps}");
        }
    }
}
