//! Scores are those of utilsforecast and of the M competitions.

use std::path::{Path, PathBuf};
use whimbrel_forecast::{
    Baseline, Columns, CrossValidation, ForecastError, Frame, Panel, Rule, Score,
};

fn golden(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/evaluation").join(file)
}

fn read(file: &str) -> Frame {
    Frame::read(golden(file), &Columns::default()).unwrap()
}

fn panel(file: PathBuf) -> Panel {
    Panel::read(file, &Columns::default(), None).unwrap()
}

#[test]
fn scores_equal_utilsforecasts() {
    let evaluation =
        read("forecasts.csv").evaluate(Some(&panel(golden("train.csv"))), Some(4)).unwrap();
    assert_eq!((evaluation.models().len(), evaluation.ids().len()), (2, 2));
    let scores = std::fs::read_to_string(golden("scores.csv")).unwrap();
    let mut compared = 0;
    for line in scores.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let named = |score: &&Score| score.to_string() == fields[1];
        let score = *evaluation.scores().iter().find(named).expect(line);
        for (model, expected) in ["Good", "Bad"].into_iter().zip(&fields[2..]) {
            let expected: f64 = expected.parse().unwrap();
            let made = evaluation.of_series(fields[0], score, model).unwrap();
            assert!((made - expected).abs() < 1e-5 * expected.abs(), "{line}: {made}");
            compared += 1;
        }
    }
    assert_eq!(compared, 10 * 2 * 2);
}

#[test]
fn scores_that_need_the_past_or_intervals_are_made_only_with_them() {
    let plain = read("forecasts.csv").evaluate(None, None).unwrap();
    assert_eq!(plain.overall(Score::Mase, "Good"), None);
    assert!(plain.overall(Score::Coverage(90.0), "Good").unwrap() > 0.5);
    let naive = CrossValidation { n_windows: 2, ..CrossValidation::new(3) };
    let train = panel(golden("train.csv"));
    let frame = naive.run(&[Baseline::Naive.into(), Baseline::Naive2.into()], &train).unwrap();
    let scores = frame.evaluate(Some(&train), Some(4)).unwrap();
    assert_eq!(scores.overall(Score::Owa, "Naive2"), Some(1.0));
    assert_eq!(scores.overall(Score::Crps, "Naive2"), None);
    let table = scores.to_string();
    assert!(table.starts_with("model "), "{table}");
    assert_eq!(table.lines().count(), 3, "{table}");
}

#[test]
fn what_cannot_be_compared_is_named() {
    let train = panel(golden("train.csv"));
    let forecast = train.future(2).unwrap().with_baseline(&train, Baseline::Naive);
    let without = forecast.evaluate(None, None).unwrap_err();
    assert!(matches!(without, ForecastError::NoActuals));
    let missing = forecast.with_actuals(&train).unwrap_err().to_string();
    assert!(missing.contains("series \"a\" at 41"), "{missing}");
}

#[test]
fn the_competition_table_is_reproduced() {
    let m4 = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/m4");
    if !m4.is_dir() {
        println!("skipped: the M4 data are not there");
        return;
    }
    let (train, test) =
        (panel(m4.join("hourly_train.csv.gz")), panel(m4.join("hourly_test.csv.gz")));
    let mut frame = train.future(48).unwrap();
    for baseline in [Baseline::SeasonalNaive, Baseline::Naive2] {
        let rule = Rule { season_length: Some(24), ..baseline.into() };
        let mut fitted = whimbrel_forecast::Forecaster::from(rule).fit(&train).unwrap();
        frame = frame.beside(fitted.predict(&train, 48).unwrap());
    }
    let scores = frame.with_actuals(&test).unwrap().evaluate(Some(&train), Some(24)).unwrap();
    for (model, smape, mase, owa) in
        [("SeasonalNaive", 13.912, 1.193, 0.627), ("Naive2", 18.383, 2.395, 1.0)]
    {
        let of = |score| scores.overall(score, model).unwrap();
        let made = (200.0 * of(Score::Smape), of(Score::Mase), of(Score::Owa));
        let near = |a: f64, b: f64| (a - b).abs() < 6e-4;
        assert!(near(made.0, smape) && near(made.1, mase) && near(made.2, owa), "{model} {made:?}");
    }
}
