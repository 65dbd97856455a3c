//! Sizes of series: what makes errors in series of other units comparable.

use crate::Panel;

/// How much each series changes from one value to the next, in the mean and whatever the sign, over what
/// the series in the middle does; 1 where a series does not vary. It is what MASE of season 1 divides by: of a series
/// with a trend it tells how hard a step is to forecast, where the deviation tells how long the series is.
/// Of a single series it is 1: its errors keep their unit.
pub(crate) fn relative_sizes(panel: &Panel) -> Vec<f32> {
    let sizes: Vec<f64> = panel.series().iter().map(|one| mean_change(one.values())).collect();
    let mut known: Vec<f64> = sizes.iter().copied().filter(|size| *size > 0.0).collect();
    known.sort_unstable_by(f64::total_cmp);
    let middle = known.get(known.len() / 2).copied().unwrap_or(1.0);
    let relative = |size: f64| if size > 0.0 { (size / middle) as f32 } else { 1.0 };
    let usable = |size: f32| if size.is_normal() { size } else { 1.0 };
    sizes.into_iter().map(|size| usable(relative(size))).collect()
}

/// The mean change from a known value to the next that is known; 0 where there are none.
fn mean_change(values: &[f32]) -> f64 {
    let known: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).map(f64::from).collect();
    let sum: f64 = known.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum();
    sum / known.len().saturating_sub(1).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Columns;

    #[test]
    fn sizes_are_relative_to_the_series_in_the_middle() {
        let rows = |id: &str, values: [f32; 4]| {
            let rows = values.iter().enumerate().map(|(t, y)| format!("{id},{t},{y}\n"));
            rows.collect::<String>()
        };
        let panel = |csv: &str| {
            let csv = format!("unique_id,ds,y\n{csv}");
            Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap()
        };
        let a = rows("a", [1.0, 3.0, 1.0, 3.0]);
        let all = [a.clone(), rows("b", [10.0, 30.0, 10.0, 30.0]), rows("c", [7.0; 4])].concat();
        assert_eq!(relative_sizes(&panel(&all)), [0.1, 1.0, 1.0]);
        assert_eq!(relative_sizes(&panel(&a)), [1.0]);
        let trend = rows("d", [2.0, 4.0, 6.0, 8.0]);
        assert_eq!(relative_sizes(&panel(&[a, trend].concat())), [1.0, 1.0]);
        assert_eq!(mean_change(&[1.0, f32::NAN, 5.0, f32::NAN, 2.0]), 3.5);
    }
}
