//! Transforms, scalers and features give what scikit-learn, scipy, coreforecast, NeuralForecast, pandas
//! and utilsforecast give.

#[path = "../../nn/tests/golden/mod.rs"]
mod golden;

use golden::{Case, cases};
use whimbrel_forecast::features::{
    Calendar, Feature, Features, Wave, Window, difference, exponential_mean, fourier, lag, rolling,
};
use whimbrel_forecast::transforms::Map;
use whimbrel_forecast::{Columns, Frequency, Panel, Scaler, Time, Transform};
use whimbrel_threads::Pool;

/// NaN where NaN is due, and within 1e-5 of the size of the values.
fn close(what: &str, got: &[f32], want: &[f32]) {
    assert_eq!(got.len(), want.len(), "{what}");
    let size = want.iter().filter(|x| x.is_finite()).fold(1e-2f32, |most, x| most.max(x.abs()));
    for (at, (got, want)) in got.iter().zip(want).enumerate() {
        let same = got.is_nan() && want.is_nan() || (got - want).abs() <= 1e-5 * size;
        assert!(same, "{what}: {got} is not {want} at {at}");
    }
}

fn transform(case: &Case) -> Transform {
    serde_json::from_value(case.settings.clone()).unwrap_or_else(|e| panic!("{}: {e}", case.name))
}

#[test]
fn every_transform_equals_its_peers() {
    let cases = cases("transforms");
    for case in &cases {
        let values = &case.get("values").data;
        let want = &case.get("transformed").data;
        let map = transform(case).fit(values, values.len()).unwrap();
        let got = map.apply(values);
        match &map {
            // Ours is theirs, shifted and scaled.
            Map::BoxCox(power) => {
                let lambda = f64::from(case.get("power").data[0]);
                assert!((power.lambda - lambda).abs() < 1e-4, "{}: {power:?}", case.name);
                let scale = (lambda * power.log_mean).exp();
                let shift = if lambda == 0.0 { power.log_mean } else { (scale - 1.0) / lambda };
                let theirs = got.iter().map(|&z| (f64::from(z) * scale + shift) as f32);
                let theirs: Vec<f32> = theirs.collect();
                let size = want.iter().fold(0f32, |most, x| most.max(x.abs()));
                for (got, want) in theirs.iter().zip(want) {
                    assert!((got - want).abs() <= 2e-4 * size, "{}: {got} {want}", case.name);
                }
            }
            _ => close(&case.name, &got, want),
        }
        let mut back = got;
        map.invert(&values[..map.left_out()], &mut back);
        close(&case.name, &back, &values[map.left_out()..]);
    }
    for name in ["standard", "minmax", "robust", "robust_iqr", "log1p", "boxcox"] {
        assert!(cases.iter().any(|case| case.settings == name), "{name}");
    }
}

#[test]
fn windows_are_scaled_as_in_neuralforecast() {
    let cases = cases("scalers");
    for case in &cases {
        let scaler: Scaler = serde_json::from_value(case.settings.clone()).unwrap();
        let values = &case.get("values").data;
        let map = scaler.fit(&mut values.clone());
        let scaled = values.iter().map(|&x| map.scale(x));
        let got: Vec<f32> = match scaler {
            Scaler::Invariant => scaled.map(f32::asinh).collect(),
            _ => scaled.collect(),
        };
        close(&case.name, &got, &case.get("scaled").data);
    }
    assert_eq!(cases.len(), 7 * 3 - 1);
}

#[test]
fn lags_rolling_and_exponential_means_equal_those_of_pandas() {
    let mut compared = 0;
    for case in cases("features") {
        let Some(values) = case.find("values") else { continue };
        let src = &values.data;
        for (name, want) in case.under("") {
            let mut got = vec![0.0; src.len()];
            let words: Vec<&str> = name.split(' ').collect();
            let number = |at: usize| words[at].parse::<f64>().unwrap();
            let window = || Window::at_least(number(2) as usize, number(1) as usize);
            match words[0] {
                "lag" => lag(src, number(1) as usize, &mut got),
                "difference" => difference(src, number(1) as usize, &mut got),
                "mean" => rolling::rolling_mean(src, window(), &mut got),
                "std" => rolling::rolling_std(src, window(), &mut got),
                "min" => rolling::rolling_min(src, window(), &mut got),
                "max" => rolling::rolling_max(src, window(), &mut got),
                "quantile" => rolling::rolling_quantile(src, window(), number(3), &mut got),
                "exponential" => exponential_mean(src, number(1), words[2] == "true", &mut got),
                _ => continue,
            }
            close(&format!("{} {name}", case.name), &got, &want.data);
            compared += 1;
        }
    }
    assert_eq!(compared, 3 * (3 + 2 + 5 * 8 + 4));
}

#[test]
fn calendar_features_equal_those_of_pandas() {
    let mut compared = 0;
    for case in cases("features") {
        let Some(start) = case.settings.get("start").and_then(|start| start.as_str()) else {
            continue;
        };
        let frequency: Frequency = case.settings["freq"].as_str().unwrap().parse().unwrap();
        let start = Time::parse(start).unwrap();
        for field in Calendar::ALL {
            let want = &case.get(field.name()).data;
            let times = (0..want.len()).map(|row| frequency.after(start, row as i64).unwrap());
            let got: Vec<f32> = times.map(|time| field.of(time).unwrap()).collect();
            assert_eq!(&got, want, "{} {}", case.name, field.name());
            compared += 1;
        }
    }
    assert_eq!(compared, 5 * 13);
}

fn integers(lengths: &[usize]) -> Panel {
    let longest = lengths.iter().max().unwrap();
    let mut csv = String::from("unique_id,ds,y\n");
    for (number, rows) in lengths.iter().enumerate() {
        for t in longest - rows..*longest {
            csv += &format!("s{number:04},{t},{}\n", (t * 7919 + number * 31) % 1009);
        }
    }
    Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap()
}

#[test]
fn fourier_terms_and_trend_equal_those_of_utilsforecast() {
    let panel = integers(&[9, 5]);
    for (case, features) in [
        ("fourier 7 2", Features::new().fourier(7.0, 2)),
        ("trend", Features::new().with(Feature::Trend)),
    ] {
        let case = cases("features").into_iter().find(|c| c.name == case).unwrap();
        let names: Vec<String> = serde_json::from_value(case.settings["columns"].clone()).unwrap();
        assert_eq!(features.names(), names);
        let known = features.compute(&panel).unwrap();
        let ahead = features.compute_ahead(&panel, 3).unwrap();
        for (part, columns) in [("known", known), ("ahead", ahead)] {
            for (name, column) in names.iter().zip(columns) {
                close(name, &column, &case.get(&format!("{part}/{name}")).data);
            }
        }
    }
}

fn every_kind() -> Features {
    let window = Window::at_least(3, 50);
    Features::new()
        .lags([1, 30])
        .with(Feature::Difference(2))
        .rolling_mean(window)
        .rolling_std(window)
        .with(Feature::RollingMin(window))
        .with(Feature::RollingMax(window))
        .with(Feature::RollingQuantile(window, 0.25))
        .fourier(24.0, 1)
        .fourier(365.25, 1)
        .with(Feature::Trend)
}

#[test]
fn columns_of_a_panel_are_those_of_its_series_for_any_number_of_threads() {
    let exponential = Feature::ExponentialMean { alpha: 0.2, adjust: true };
    let many: Vec<usize> = (0..400).map(|number| 290 + number % 3 * 20).collect();
    for lengths in [&[140_000, 3, 1, 20_000, 700, 700, 40][..], &many] {
        let panel = integers(lengths);
        for features in [every_kind(), every_kind().with(exponential)] {
            let one = computed(&panel, &features, 1);
            assert_eq!(one, computed(&panel, &features, 2));
            assert_eq!(one, computed(&panel, &features, 5));
            compare_with_series(&panel, &one);
        }
    }
}

/// The bits of all columns.
fn computed(panel: &Panel, features: &Features, threads: usize) -> Vec<Vec<u32>> {
    let mut columns = vec![vec![0.0; panel.rows()]; features.list().len()];
    let mut slices: Vec<&mut [f32]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
    features.compute_into(panel, &Pool::new(threads), &mut slices).unwrap();
    columns.into_iter().map(|column| column.into_iter().map(f32::to_bits).collect()).collect()
}

/// Holds columns of `every_kind` to the functions over single series.
fn compare_with_series(panel: &Panel, columns: &[Vec<u32>]) {
    let longest = panel.series().iter().map(|series| series.values().len()).max().unwrap();
    let (names, window, mut row) = (every_kind().names(), Window::at_least(3, 50), 0);
    for series in panel.series() {
        let (src, rows) = (series.values(), row..row + series.values().len());
        let mut got = vec![0.0; src.len()];
        let same = |column: usize, got: &[f32]| {
            let got: Vec<u32> = got.iter().map(|x| x.to_bits()).collect();
            assert_eq!(got, columns[column][rows.clone()], "{} of {}", names[column], series.id());
        };
        lag(src, 30, &mut got);
        same(1, &got);
        rolling::rolling_mean(src, window, &mut got);
        same(3, &got);
        rolling::rolling_std(src, window, &mut got);
        same(4, &got);
        rolling::rolling_max(src, window, &mut got);
        same(6, &got);
        fourier(Wave::Sin, 24.0, 1, (longest + 1 - src.len()) as i64, &mut got);
        same(8, &got);
        fourier(Wave::Cos, 365.25, 1, (longest + 1 - src.len()) as i64, &mut got);
        same(11, &got);
        row = rows.end;
    }
}

#[test]
fn a_million_values_far_from_zero_do_not_drift() {
    let rows = 1_000_000;
    // One value of a wholly different size in the middle.
    let value = |t: usize| match t {
        500_000 => 1e12,
        _ => 1e5 + (t * 7919 % 1009) as f32 / 128.0,
    };
    let src: Vec<f32> = (0..rows).map(value).collect();
    let (mut mean, mut std) = (vec![0.0; rows], vec![0.0; rows]);
    for size in [7, 168] {
        rolling::rolling_mean_std(&src, Window::of(size), &mut mean, &mut std);
        for row in (size..rows).step_by(997).chain([500_000 + size, rows - 1]) {
            let window = src[row + 1 - size..=row].iter().map(|&x| f64::from(x));
            let exact = window.clone().sum::<f64>() / size as f64;
            let squares = window.map(|x| (x - exact).powi(2)).sum::<f64>();
            let deviation = (squares / (size - 1) as f64).sqrt();
            assert!((f64::from(mean[row]) - exact).abs() <= 1e-6 * exact, "mean {size} {row}");
            assert!(
                (f64::from(std[row]) - deviation).abs() <= 1e-6 * deviation,
                "std {size} {row}"
            );
        }
    }
}

#[test]
fn what_cannot_be_computed_is_named() {
    let panel = integers(&[4]);
    let month =
        Features::new().calendar([Calendar::Month]).compute(&panel).unwrap_err().to_string();
    assert_eq!(month, "feature month: needs times that are dates");
    let ahead = Features::new().lags([2]).compute_ahead(&panel, 2).unwrap_err().to_string();
    assert_eq!(ahead, "feature lag2: is made of values, so it is not known ahead of them");
    let mut short = [0.0; 3];
    let columns = &mut [&mut short[..]];
    assert!(Features::new().lags([1]).compute_into(&panel, &Pool::new(1), columns).is_err());
}
