//! Sizes of series: what makes errors in series of other units comparable.

use crate::Panel;
use crate::moments::Moments;

/// The deviation of the values of each series over that of the series in the middle; 1 where a series
/// does not vary. Of a single series that is 1: its errors keep their unit.
pub(crate) fn relative_sizes(panel: &Panel) -> Vec<f32> {
    let deviation = |values: &[f32]| {
        let known: Vec<f32> = values.iter().copied().filter(|x| !x.is_nan()).collect();
        Moments::of(&known).deviation()
    };
    let sizes: Vec<f64> = panel.series().iter().map(|one| deviation(one.values())).collect();
    let mut known: Vec<f64> = sizes.iter().copied().filter(|size| *size > 0.0).collect();
    known.sort_unstable_by(f64::total_cmp);
    let middle = known.get(known.len() / 2).copied().unwrap_or(1.0);
    let relative = |size: f64| if size > 0.0 { (size / middle) as f32 } else { 1.0 };
    let usable = |size: f32| if size.is_normal() { size } else { 1.0 };
    sizes.into_iter().map(|size| usable(relative(size))).collect()
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
    }
}
