//! Files of series as they come: holes, other layouts, other encodings.

use whimbrel_forecast::{
    Baseline, Columns, DateOrder, Fill, ForecastError, Frame, Frequency, Model, Panel, Reader,
    Score, Transform, models,
};

const MASK: Fill = Fill::Mask;

fn read(csv: &str, fill: Fill) -> Result<Panel, ForecastError> {
    Reader { fill, ..Reader::default() }.read_bytes("t.csv", csv.as_bytes())
}

fn values(panel: &Panel, series: usize) -> Vec<Option<f32>> {
    panel.series()[series].values().iter().map(|&x| (!x.is_nan()).then_some(x)).collect()
}

#[test]
fn skipped_times_and_empty_fields_are_filled_alike() {
    let skipped =
        "unique_id,ds,y\na,2024-01-31,1\na,2024-02-29,2\na,2024-04-30,4\na,2024-05-31,5\n";
    let empty = skipped.replace("a,2024-04", "a,2024-03-31,\na,2024-04");
    let nan = skipped.replace("a,2024-04", "a,2024-03-31,NaN\na,2024-04");
    for (fill, third) in [
        (Fill::Interpolate, Some(3.0)),
        (Fill::Forward, Some(2.0)),
        (Fill::Zero, Some(0.0)),
        (Fill::Mask, None),
    ] {
        for csv in [skipped, &empty, &nan] {
            let panel = read(csv, fill).unwrap();
            assert_eq!(panel.frequency().to_string(), "ME");
            let expected = [Some(1.0), Some(2.0), third, Some(4.0), Some(5.0)];
            assert_eq!(values(&panel, 0), expected, "{fill:?}");
        }
    }
    assert!(matches!(read(skipped, Fill::Error), Err(ForecastError::Gap { missing: 1, .. })));
    assert!(matches!(read(&nan, Fill::Error), Err(ForecastError::NoValue { .. })));
}

#[test]
fn what_cannot_be_filled_is_named() {
    let nothing = "unique_id,ds,y\na,1,\na,2,\nb,1,1\nb,2,2\n";
    for fill in [Fill::Zero, Fill::Mask, Fill::Interpolate] {
        let error = read(nothing, fill).unwrap_err().to_string();
        let says = "t.csv:2, column \"y\": series \"a\" has no value at all; remove it";
        assert_eq!(error, says);
    }
    let off =
        "unique_id,ds,y\na,2024-01-01,1\na,2024-01-02,1\na,2024-01-03,1\na,2024-01-04 12:00,1\n";
    let error = read(off, MASK).unwrap_err();
    assert!(matches!(error, ForecastError::OffAxis { .. }), "{error}");
    let long = "unique_id,ds,y\na,0001-01-01 00:00:00,1\na,0001-01-01 00:00:01,1\na,9999-01-01,1\n";
    let error = read(long, MASK).unwrap_err();
    assert!(error.to_string().contains("rows are missing at frequency s, too many"), "{error}");
}

#[test]
fn rules_and_models_forecast_series_with_holes() {
    let mut csv = String::from("unique_id,ds,y\n");
    for t in (0..60).filter(|t| t % 7 != 3 && !(20..26).contains(t)) {
        csv += &format!("a,{t},{}\nb,{t},{}\n", t % 4, 100 + t % 4);
    }
    let panel = read(&csv, MASK).unwrap();
    assert_eq!(panel.baseline(Baseline::Naive, 1), [2.0, 102.0]);
    for local_scaler_type in [
        Transform::Identity,
        Transform::Standard,
        Transform::Robust,
        Transform::QuantileNormal,
        Transform::Log1p,
        Transform::Difference(4),
    ] {
        let model = Model { max_steps: 30, input_size: 8, ..Model::new(models::NLinear {}, 4) };
        let model = Model { local_scaler_type, ..model };
        let forecast = model.fit(&panel).unwrap().predict(&panel).unwrap();
        let finite = forecast.column("NLinear").unwrap().iter().all(|x| x.is_finite());
        assert!(finite, "{local_scaler_type}");
    }
    let (past, held) = panel.hold_out(4);
    assert_eq!((past.rows(), held.len()), (panel.rows() - 8, 2));
}

#[test]
fn every_column_of_a_wide_file_is_a_series() {
    let csv = "date, b ,a\n2024-01-03,3,\n2024-01-01,1,\n2024-01-02,2,7\n2024-01-04,,9\n";
    let reader = Reader { wide: true, fill: Fill::Interpolate, ..Reader::default() };
    let panel = reader.read_bytes("t.csv", csv.as_bytes()).unwrap();
    let series: Vec<_> =
        panel.series().iter().map(|s| (s.id(), s.start().to_string(), s.values())).collect();
    assert_eq!(series[0], ("a", "2024-01-02".into(), &[7.0, 8.0, 9.0][..]));
    assert_eq!(series[1], ("b", "2024-01-01".into(), &[1.0, 2.0, 3.0][..]));
}

#[test]
fn a_file_without_names_of_series_is_one() {
    let panel = read("ds,y\n1,5\n2,6\n", Fill::Error).unwrap();
    assert_eq!((panel.series().len(), panel.series()[0].id()), (1, "t"));
}

#[test]
fn times_with_a_zone_are_one_axis_over_a_change_of_the_clocks() {
    let csv = "unique_id,ds,y\na,2024-03-31T01:00+01:00,1\na,2024-03-31T03:00+02:00,2\n\
               a,2024-03-31T04:00+02:00,3\n";
    let panel = read(csv, Fill::Error).unwrap();
    assert_eq!(panel.frequency(), Frequency::Seconds(3600));
    assert_eq!(panel.series()[0].start().to_string(), "2024-03-31");
    let mixed = csv.replace("03:00+02:00", "03:00");
    let error = read(&mixed, Fill::Error).unwrap_err().to_string();
    assert!(error.contains("t.csv:3, column \"ds\": times without a zone among times with one"));
}

/// What is written after a series, and how: the first row of its forecast.
fn next(csv: &str) -> String {
    let panel = read(csv, Fill::Error).unwrap();
    let mut written = Vec::new();
    panel.future(1).unwrap().write_csv(&mut written).unwrap();
    String::from_utf8(written).unwrap().lines().nth(1).unwrap().into()
}

#[test]
fn midnights_with_a_zone_are_the_days_where_they_are() {
    let csv = "unique_id,ds,y\na,2024-03-30T00:00+01:00,1\na,2024-03-31T00:00+01:00,2\n\
               a,2024-04-01T00:00+02:00,3\n";
    assert_eq!(read(csv, Fill::Error).unwrap().frequency().to_string(), "D");
    assert_eq!(next(csv), "a,2024-04-02");
    let months = "unique_id,ds,y\na,2024-02-01T00:00+01:00,1\na,2024-03-01T00:00+01:00,2\n\
                  a,2024-04-01T00:00+02:00,3\n";
    assert_eq!(read(months, Fill::Error).unwrap().frequency().to_string(), "MS");
    let india = "unique_id,ds,y\na,2024-01-01T00:00+05:30,1\na,2024-01-02T00:00+05:30,2\n";
    assert_eq!(next(india), "a,2024-01-03");
}

#[test]
fn midnights_with_a_zone_are_moments_where_the_usual_step_lies_within_a_day() {
    let csv = b"unique_id,ds,y\na,2024-01-04 00:00+02:00,5\n";
    let after = |step: &str, wide: bool| {
        let usual_frequency = Some(step.parse().unwrap());
        let csv = if wide { &b"ds,a\n2024-01-04 00:00+02:00,5\n"[..] } else { csv };
        let panel = Reader { usual_frequency, wide, ..Reader::default() }.read_bytes("t", csv);
        let panel = panel.unwrap();
        let frame = panel.future(1).unwrap();
        frame.time_text(frame.times()[0])
    };
    for wide in [false, true] {
        assert_eq!(after("h", wide), "2024-01-04 01:00:00+02:00");
        assert_eq!(after("D", wide), "2024-01-05");
    }
}

#[test]
fn a_zone_that_all_times_have_is_written_after_forecasts() {
    let csv = "unique_id,ds,y\na,2024-01-01T22:00+05:30,1\na,2024-01-01T23:00+05:30,2\n";
    assert_eq!(next(csv), "a,2024-01-02 00:00:00+05:30");
    let utc = csv.replace("+05:30", "Z");
    assert_eq!(next(&utc), "a,2024-01-02 00:00:00+00:00");
    let several = csv.replace("23:00+05:30", "19:30+02:00");
    assert_eq!(next(&several), "a,2024-01-01 18:30:00+00:00");
}

#[test]
fn errors_name_times_of_a_zone_as_the_file_has_them() {
    let says = |hours: &[&str], says: &str| {
        let rows = hours.iter().map(|hour| format!("a,2024-01-{hour}:00+02:00,1\n"));
        let csv = format!("unique_id,ds,y\n{}", rows.collect::<String>());
        let error = read(&csv, Fill::Error).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    };
    let twice = "already has a row for 2024-01-01 00:00:00+02:00, in line 2";
    says(&["01T00", "01T01", "01T00"], twice);
    let gap = "2024-01-01 23:00:00+02:00 follows 2024-01-01 01:00:00+02:00, but at frequency h 2024-01-01 \
               02:00:00+02:00 does";
    says(&["01T00", "01T01", "01T23", "02T00", "02T01"], gap);
    // Without a zone, an hourly midnight is one too.
    let local =
        "unique_id,ds,y\na,2024-01-01T00:00,1\na,2024-01-01T01:00,1\na,2024-01-01T00:00,1\n";
    let error = read(local, Fill::Error).unwrap_err().to_string();
    assert!(error.contains("already has a row for 2024-01-01 00:00:00, in"), "{error}");
}

#[test]
fn forecasts_are_compared_with_the_same_moments_in_another_zone() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let forecasts = folder.join("zoned_forecasts.csv");
    let rows = "unique_id,ds,cutoff,Naive\n\
                a,2024-01-02 00:00:00+01:00,2024-01-01 23:00:00+01:00,5\n\
                a,2024-01-02 01:00:00+01:00,2024-01-01 23:00:00+01:00,5\n";
    std::fs::write(&forecasts, rows).unwrap();
    let frame = Frame::read(&forecasts, &Columns::default()).unwrap();
    for actual in [
        "unique_id,ds,y\na,2024-01-01T22:00Z,4\na,2024-01-01T23:00Z,6\na,2024-01-02T00:00Z,7\n",
        "unique_id,ds,y\na,2024-01-01T22:00Z,4\na,2024-01-02T00:00+01:00,6\na,2024-01-02T00:00Z,7\n",
    ] {
        let panel = read(actual, Fill::Error).unwrap();
        let came = frame.clone().with_actuals(&panel).unwrap();
        assert_eq!(came.actual().unwrap(), [6.0, 7.0]);
        // With the clocks of the forecasts the past would be empty.
        let scored = came.evaluate(Some(&panel), Some(1)).unwrap();
        assert_eq!(scored.of_series("a", Score::Mae, "Naive"), Some(1.5));
    }
}

#[test]
fn cutoffs_at_midnight_are_moments_where_the_times_are() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("zoned_cutoffs.csv");
    let rows = "unique_id,ds,cutoff,Naive\n\
                a,2024-03-30 01:00+01:00,2024-03-30 00:00+01:00,5\n\
                a,2024-04-01 01:00+02:00,2024-04-01 00:00+02:00,5\n";
    std::fs::write(&file, rows).unwrap();
    let frame = Frame::read(&file, &Columns::default()).unwrap();
    let cutoffs: Vec<String> = frame.cutoffs().unwrap().iter().map(|t| t.to_string()).collect();
    assert_eq!(cutoffs, ["2024-03-29 23:00:00", "2024-03-31 22:00:00"]);

    let reader = Reader::default();
    let rows = "unique_id,ds,cutoff,Naive\na,2024-03-30 00:00+01:00,2024-03-29 23:00+01:00,5\n";
    let frame = reader.read_forecasts_bytes("t.csv", rows.as_bytes(), &[]).unwrap();
    assert_eq!(frame.times()[0].to_string(), "2024-03-29 23:00:00");
    assert_eq!(frame.time_text(frame.times()[0]), "2024-03-30 00:00:00+01:00");
    let unlike = rows.replace("30 00:00", "30 01:00").replace("23:00+01:00", "23:00");
    let error = reader.read_forecasts_bytes("t.csv", unlike.as_bytes(), &[]).unwrap_err();
    assert!(error.to_string().contains("t.csv, column \"cutoff\", have none"), "{error}");
}

#[test]
fn columns_known_ahead_may_be_in_another_zone() {
    let csv = "unique_id,ds,y,price\na,2024-03-30T22:00+01:00,1,5\na,2024-03-30T23:00+01:00,2,6\n";
    let reader = Reader { futr_exog_list: vec!["price".into()], ..Reader::default() };
    let mut panel = reader.read_bytes("t.csv", csv.as_bytes()).unwrap();
    let future = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("zoned_future.csv");
    std::fs::write(&future, "unique_id,ds,price\na,2024-03-31T01:00+02:00,7\n").unwrap();
    reader.read_future(&mut panel, &future).unwrap();
    assert_eq!(panel.series()[0].future(0), [5.0, 6.0, 7.0]);
    let unlike = reader.read_future_bytes(
        &mut panel,
        "f.csv",
        b"unique_id,ds,price\na,2024-03-31T01:00,7\n",
    );
    let error = unlike.unwrap_err().to_string();
    assert!(
        error.starts_with("times of the series have a zone, those of f.csv have none"),
        "{error}"
    );
}

#[test]
fn dates_with_slashes_are_read_in_one_order() {
    let csv = "unique_id,ds,y\na,30/01/2024,1\na,31/01/2024,2\na,01/02/2024,3\n";
    assert_eq!(next(csv), "a,2024-02-02");
    let months = "unique_id,ds,y\na,01/01/2024,1\na,01/02/2024,2\na,01/03/2024,3\n";
    assert!(matches!(read(months, Fill::Error), Err(ForecastError::AmbiguousDate { .. })));
    for (order, frequency) in [(DateOrder::Dmy, "MS"), (DateOrder::Mdy, "D")] {
        let reader = Reader { date_order: Some(order), ..Reader::default() };
        let panel = reader.read_bytes("t.csv", months.as_bytes()).unwrap();
        assert_eq!(panel.frequency().to_string(), frequency);
    }
}

#[test]
fn months_by_name_are_months() {
    let csv = "unique_id,ds,y\na,Jan 2024,1\na,Feb-2024,2\na,\"March 1, 2024\",3\n";
    assert_eq!(next(csv), "a,2024-04-01");
    let days = "unique_id,ds,y\na,31-Jan-2024,1\na,01 Feb 2024,2\n";
    assert_eq!(next(days), "a,2024-02-02");
}

#[test]
fn numbers_that_spell_dates_are_dates() {
    let daily = "unique_id,ds,y\na,20240130,1\na,20240131,2\na,20240201,3\n";
    let panel = read(daily, Fill::Error).unwrap();
    assert_eq!(panel.frequency().to_string(), "D");
    assert_eq!(panel.future(1).unwrap().times()[0].to_string(), "2024-02-02");
    let months = "unique_id,ds,y\na,20240131,1\na,20240229,2\na,20240331,3\n";
    assert_eq!(read(months, Fill::Error).unwrap().frequency().to_string(), "ME");
    let counts = "unique_id,ds,y\na,20240230,1\na,20240231,2\na,20240232,3\n";
    assert_eq!(read(counts, Fill::Error).unwrap().frequency(), Frequency::Integer(1));
    let named = Reader { frequency: Some(Frequency::Integer(1)), ..Reader::default() };
    let days = &daily[..daily.find("a,20240201").unwrap()];
    let panel = named.read_bytes("t.csv", days.as_bytes()).unwrap();
    assert_eq!(panel.future(1).unwrap().times()[0].to_string(), "20240132");
}

#[test]
fn numbers_may_spell_months_and_years() {
    let months = "unique_id,ds,y\na,202411,1\na,202412,2\na,202501,3\n";
    assert_eq!(next(months), "a,2025-02-01");
    let years = "unique_id,ds,y\na,2022,1\na,2023,2\na,2024,3\n";
    assert_eq!(next(years), "a,2025");
    for (csv, frequency, expected) in [
        (months, "ME", "2025-02-28"),
        (months, "1", "202502"),
        (years, "YS", "2025-01-01"),
        (years, "YE", "2025-12-31"),
    ] {
        let reader = Reader { frequency: frequency.parse().ok(), ..Reader::default() };
        let reader = Reader { fill: Fill::Zero, ..reader };
        let panel = reader.read_bytes("t.csv", csv.as_bytes()).unwrap();
        assert_eq!(panel.future(1).unwrap().times()[0].to_string(), expected, "{frequency}");
    }
}

#[test]
fn a_future_of_one_month_continues_months() {
    let csv = "unique_id,ds,y,price\na,202411,1,5\na,202412,2,6\n";
    let reader = Reader { futr_exog_list: vec!["price".into()], ..Reader::default() };
    let mut panel = reader.read_bytes("t.csv", csv.as_bytes()).unwrap();
    let future = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("month_ahead.csv");
    std::fs::write(&future, "unique_id,ds,price\na,202501,7\n").unwrap();
    reader.read_future(&mut panel, &future).unwrap();
    assert_eq!(panel.series()[0].future(0), [5.0, 6.0, 7.0]);
}

#[test]
fn two_byte_text_is_read_like_plain_text() {
    let plain = "unique_id,ds,y\nZürich,1,5\nZürich,2,6\n";
    let two_byte: Vec<u8> = "\u{feff}"
        .chars()
        .chain(plain.chars())
        .collect::<String>()
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let panel = Reader::default().read_bytes("t.csv", &two_byte).unwrap();
    assert_eq!(panel, read(plain, Fill::Error).unwrap());
}

#[test]
fn a_given_step_of_months_follows_the_day_of_the_data() {
    let csv = "unique_id,ds,y\na,2024-02-29,1\na,2024-03-31,2\n";
    let reader = Reader { frequency: "1mo".parse().ok(), ..Reader::default() };
    let panel = reader.read_bytes("t", csv.as_bytes()).unwrap();
    assert_eq!(panel.future(1).unwrap().times()[0].to_string(), "2024-04-30");
}

#[test]
fn values_that_f32_does_not_tell_apart_are_refused() {
    let csv = |values: [&str; 3]| {
        let rows = values.iter().enumerate().map(|(t, y)| format!("a,{t},{y}\n"));
        format!("unique_id,ds,y\n{}", rows.collect::<String>())
    };
    let error = read(&csv(["1000000000", "1000000003.5", "1000000007"]), Fill::Error).unwrap_err();
    assert_eq!(
        error.to_string(),
        "t.csv:3, column \"y\": series \"a\" has values so large and so close together that single precision does \
         not tell them apart, 1000000003.5 becoming 1000000000; subtract a constant such as the smallest from all of \
         them"
    );
    for well in [
        // Exact in f32.
        ["16777214", "16777215", "16777216"],
        // Far enough apart.
        ["1000000000.1", "1000100000", "1000200000"],
        // As good as equal.
        ["0.3", "0.30000000000000004", "0.3"],
        ["0.1", "", "0.1"],
    ] {
        assert!(read(&csv(well), Fill::Forward).is_ok(), "{well:?}");
    }
}
