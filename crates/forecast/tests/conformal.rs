//! Intervals hold as many of the values to come as they say.

use std::ops::ControlFlow;
use std::path::Path;
use whimbrel_forecast::{
    Baseline, Columns, Conformal, CrossValidation, ForecastError, Forecaster, Frame, Method, Panel,
    PredictionIntervals, Rule, Score,
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
    Rule { season_length: Some(20), ..Baseline::WindowAverage.into() }.into()
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
fn a_cross_validation_has_intervals_of_the_errors_before_each_cutoff() {
    let panel = noisy(200, 80);
    let cv = CrossValidation { n_windows: 2, ..CrossValidation::new(8) };
    let three = PredictionIntervals { n_windows: 3, method: Method::default() };
    let run = |panel: &Panel| {
        let go_on = |_: &Forecaster, _, _| ControlFlow::Continue(());
        cv.run_with_intervals(&[average()], panel, (three, &[90.0]), go_on).unwrap()
    };
    let frame = run(&panel);
    let scores = frame.evaluate(None, None).unwrap();
    let covered = scores.overall(Score::Coverage(90.0), "WindowAverage").unwrap();
    assert!((0.87..0.93).contains(&covered), "{covered}");
    // What comes after the first cutoff, 16 rows before the end, says nothing about its intervals.
    let (past, _) = panel.hold_out(16);
    let single = CrossValidation { n_windows: 3, ..CrossValidation::new(8) };
    let errors = single.run(&[average()], &past).unwrap();
    let conformal =
        Conformal::of_panel(&errors, &past, past.season_length(), Method::default()).unwrap();
    let forecast = average().fit(&past).unwrap().predict(&past, 8).unwrap();
    let alone = conformal.intervals(forecast, &[90.0]).unwrap();
    let column = |frame: &Frame, name: &str| {
        let mut bytes = Vec::new();
        frame.write_csv(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let mut rows = text.lines().map(|row| row.split(',').collect::<Vec<_>>());
        let place = rows.next().unwrap().iter().position(|head| *head == name).unwrap();
        rows.take(8).map(|row| row[place].to_owned()).collect::<Vec<_>>()
    };
    for name in ["WindowAverage-lo-90", "WindowAverage-hi-90"] {
        assert_eq!(column(&frame, name), column(&alone, name), "{name}");
    }
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

#[test]
fn windows_that_overlap_do_not_make_intervals_narrow() {
    let panel = noisy(300, 34);
    let (past, _) = panel.hold_out(6);
    let cv = CrossValidation { n_windows: 3, step_size: 1, ..CrossValidation::new(6) };
    let run = cv.run(&[average()], &past).unwrap();
    let conformal = Conformal::of_panel(&run, &past, 1, Method::default()).unwrap();
    let forecast = average().fit(&past).unwrap().predict(&past, 6).unwrap();
    let frame = conformal.intervals(forecast, &[90.0]).unwrap().with_actuals(&panel).unwrap();
    let scores = frame.evaluate(None, None).unwrap();
    let covered = scores.overall(Score::Coverage(90.0), "WindowAverage").unwrap();
    assert!((0.87..0.94).contains(&covered), "{covered}");
}

#[test]
fn a_series_without_windows_borrows_from_the_others() {
    // The last series, ten thousand times as large as the first, is too short for a window.
    let (mut noise, mut csv) = (Noise(3), String::from("unique_id,ds,y\n"));
    for s in 0..40 {
        let (size, length) = if s == 39 { (1e4, 6) } else { (1.0, 40) };
        for t in 0..length {
            csv += &format!("s{s:02},{t},{}\n", size * (5.0 + noise.next()));
        }
    }
    let panel = Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap();
    let cv = CrossValidation { n_windows: 2, ..CrossValidation::new(6) };
    let run = cv.run(&[average()], &panel).unwrap();
    let forecast = || average().fit(&panel).unwrap().predict(&panel, 6).unwrap();
    let reach = |conformal: Conformal| {
        let frame = conformal.intervals(forecast(), &[90.0]).unwrap();
        let edge = |end: &str| frame.column(&format!("WindowAverage{end}")).unwrap().to_vec();
        let (low, high) = (edge("-lo-90"), edge("-hi-90"));
        low.iter().zip(&high).map(|(low, high)| (high - low) / 2.0).collect::<Vec<f32>>()
    };
    let borrowed = reach(Conformal::of_panel(&run, &panel, 1, Method::default()).unwrap());
    let last = borrowed.len() - 1;
    assert!((0.5..2.5).contains(&(borrowed[last] / 1.7e4)), "{}", borrowed[last]);
    assert!((0.5..2.0).contains(&(borrowed[0] / 1.7)), "{}", borrowed[0]);
    assert!(reach(Conformal::of(&run, Method::default()).unwrap())[last].is_nan());
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
    let read = |file: &str| Panel::read(m4.join(file), &Columns::default(), None).unwrap();
    let panel = read("hourly_train.csv.gz");
    let naive: Forecaster =
        Rule { season_length: Some(24), ..Baseline::SeasonalNaive.into() }.into();
    let (mut shares, mut with_changes) = (Vec::new(), Vec::new());
    for days in 0..6 {
        let (known, _) = panel.hold_out(48 * days);
        let (past, _) = known.hold_out(48);
        let cv = CrossValidation { n_windows: 3, ..CrossValidation::new(48) };
        let run = cv.run(std::slice::from_ref(&naive), &past).unwrap();
        let forecast: Frame = naive.fit(&past).unwrap().predict(&past, 48).unwrap();
        let covered = |conformal: Conformal| {
            let frame = conformal.intervals(forecast.clone(), &[90.0]).unwrap();
            let scores = frame.with_actuals(&known).unwrap().evaluate(None, None).unwrap();
            scores.overall(Score::Coverage(90.0), "SeasonalNaive").unwrap()
        };
        shares.push(covered(Conformal::of(&run, Method::default()).unwrap()));
        let changes = Conformal::of_panel(&run, &past, 24, Method::default()).unwrap();
        with_changes.push(covered(changes));
    }
    for shares in [shares, with_changes] {
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        println!("covered {mean:.3} of {shares:.3?}");
        assert!((0.87..=0.93).contains(&mean), "{mean} of {shares:?}");
    }
}
