//! Intervals hold as many of the values to come as they say.

use std::path::Path;
use whimbrel_forecast::{
    Baseline, Columns, Conformal, CrossValidation, ForecastError, Forecaster, Frame, Method, Panel,
    Rule, Score,
};

/// Reproducible numbers that are nearly normal: sums of twelve uniform ones.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        let mut uniform = || {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..12).map(|_| uniform()).sum::<f64>() - 6.0
    }
}

/// Noise around a level, both ten times as large from series to series.
fn noisy(series: usize, length: usize) -> Panel {
    let mut noise = Noise(7);
    let mut csv = String::from("unique_id,ds,y\n");
    for s in 0..series {
        let size = 10f64.powi(s as i32 % 4);
        for t in 0..length {
            csv += &format!("s{s:03},{t},{}\n", size * (5.0 + noise.next()));
        }
    }
    Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap()
}

/// The mean of the last twenty values, whose error has a deviation of sqrt(1.05) of the noise's.
fn average() -> Forecaster {
    Rule { baseline: Baseline::WindowAverage, season_length: Some(20) }.into()
}

/// The share of the last `horizon` values within intervals made from what came before.
fn coverage(panel: &Panel, cv: CrossValidation, method: Method, level: f32) -> f64 {
    let (past, _) = panel.hold_out(cv.horizon);
    let conformal = Conformal::of(&cv.run(&[average()], &past).unwrap(), method).unwrap();
    let forecast = average().fit(&past).unwrap().predict(&past, cv.horizon).unwrap();
    let frame = conformal.intervals(forecast, &[level]).unwrap().with_actuals(panel).unwrap();
    let scores = frame.evaluate(None, None).unwrap();
    scores.overall(Score::Coverage(level), "WindowAverage").unwrap()
}

#[test]
fn pooled_errors_of_few_windows_cover_what_they_promise() {
    let panel = noisy(200, 60);
    let cv = CrossValidation { n_windows: 3, ..CrossValidation::new(8) };
    for level in [50.0, 80.0, 90.0] {
        let covered = coverage(&panel, cv, Method::ConformalDistribution, level);
        let promised = f64::from(level) / 100.0;
        assert!((covered - promised).abs() < 0.03, "{level}: {covered}");
    }
    let wider = coverage(&panel, cv, Method::ConformalError, 90.0);
    assert!((0.93..0.98).contains(&wider), "{wider}");
}

#[test]
fn the_errors_of_many_windows_cover_for_each_series_by_itself() {
    let panel = noisy(60, 120);
    let cv = CrossValidation { n_windows: 60, step_size: 1, ..CrossValidation::new(5) };
    let covered = coverage(&panel, cv, Method::ConformalDistribution, 90.0);
    assert!((0.87..0.95).contains(&covered), "{covered}");
}

#[test]
fn a_single_series_pools_its_steps() {
    let mut hits = 0.0;
    for rounds in 0..20 {
        let (panel, _) = noisy(1, 400).hold_out(15 * rounds);
        let cv = CrossValidation { n_windows: 4, ..CrossValidation::new(6) };
        hits += coverage(&panel, cv, Method::ConformalDistribution, 80.0) / 20.0;
    }
    assert!((0.7..0.92).contains(&hits), "{hits}");
}

#[test]
fn columns_are_named_and_nested_as_levels_are() {
    let panel = noisy(3, 50);
    let cv = CrossValidation { n_windows: 2, ..CrossValidation::new(4) };
    let frame = cv.run(&[Baseline::Naive.into(), average()], &panel).unwrap();
    let conformal = Conformal::of(&frame, Method::default()).unwrap();
    let forecast = average().fit(&panel).unwrap().predict(&panel, 9).unwrap();
    let forecast = conformal.intervals(forecast, &[80.0, 97.5, 80.0]).unwrap();
    let names = ["", "-lo-97.5", "-lo-80", "-hi-80", "-hi-97.5"];
    let expected = names.map(|end| format!("WindowAverage{end}"));
    assert_eq!(forecast.columns().collect::<Vec<_>>(), expected);
    let column = |end: &str| forecast.column(&format!("WindowAverage{end}")).unwrap();
    for row in 0..forecast.rows() {
        let [point, wide_low, low, high, wide_high] = names.map(|end| column(end)[row]);
        assert!(wide_low <= low && low < point && point < high && high <= wide_high, "{row}");
    }
}

#[test]
fn too_little_to_tell_errors_from_is_named() {
    let panel = noisy(3, 30);
    let frame = CrossValidation::new(4).run(&[average()], &panel).unwrap();
    let error = Conformal::of(&frame, Method::default()).unwrap_err();
    assert!(matches!(error, ForecastError::FewWindows { .. }), "{error}");
    let two = CrossValidation { n_windows: 2, ..CrossValidation::new(4) };
    let conformal =
        Conformal::of(&two.run(&[average()], &panel).unwrap(), Method::default()).unwrap();
    for level in [0.0, 100.0, f32::NAN] {
        let error = conformal.intervals(panel.future(2).unwrap(), &[level]).unwrap_err();
        assert!(matches!(error, ForecastError::Level { .. }), "{error}");
    }
    let other = noisy(4, 30);
    let forecast = average().fit(&other).unwrap().predict(&other, 4).unwrap();
    let low = conformal.intervals(forecast, &[90.0]).unwrap();
    let low = low.column("WindowAverage-lo-90").unwrap();
    assert!(low[11].is_finite() && low[12].is_nan(), "a series without known errors");
}

/// The share of values within their 90 % intervals, rolling over the last days of M4's hourly series:
/// each time three windows before the forecast are all that the intervals are made of.
#[test]
fn m4_hourly_is_covered_as_promised() {
    let m4 = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/m4");
    if !m4.is_dir() {
        println!("skipped: the M4 data are not there");
        return;
    }
    let read = |file: &str| Panel::read_csv(m4.join(file), &Columns::default(), None).unwrap();
    let panel = read("hourly_train.csv.gz");
    let naive: Forecaster =
        Rule { baseline: Baseline::SeasonalNaive, season_length: Some(24) }.into();
    let mut shares = Vec::new();
    for days in 0..6 {
        let (known, _) = panel.hold_out(48 * days);
        let (past, _) = known.hold_out(48);
        let cv = CrossValidation { n_windows: 3, ..CrossValidation::new(48) };
        let conformal = cv.run(std::slice::from_ref(&naive), &past).unwrap();
        let conformal = Conformal::of(&conformal, Method::default()).unwrap();
        let forecast: Frame = naive.fit(&past).unwrap().predict(&past, 48).unwrap();
        let frame = conformal.intervals(forecast, &[90.0]).unwrap().with_actuals(&known).unwrap();
        let scores = frame.evaluate(None, None).unwrap();
        shares.push(scores.overall(Score::Coverage(90.0), "SeasonalNaive").unwrap());
    }
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    assert!((0.87..=0.93).contains(&mean), "{mean} of {shares:?}");
}
