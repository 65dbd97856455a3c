//! Data in every form that `whimbrel forecast` reads, and what lies beside them.

mod support;

use std::io::Write;
use std::path::{Path, PathBuf};
use support::{folder, forecast, text, whimbrel};

/// Runs one small network on a file and gives the forecast as CSV.
fn run(file: &Path, options: &str) -> String {
    let mut command = whimbrel();
    command.arg("forecast").arg(file).args(["--horizon", "2", "--max-steps", "20", "--out", "-"]);
    let model = if options.contains("--model") { "" } else { "--model nlinear" };
    let output =
        command.args(model.split_whitespace()).args(options.split_whitespace()).output().unwrap();
    assert!(output.status.success(), "{options}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Rows of forty days of two series, with columns beside their values.
fn days() -> String {
    let mut rows = String::from("unique_id,ds,y,price,visits\n");
    for (series, day) in ["a", "b"].into_iter().flat_map(|s| (0..40).map(move |day| (s, day))) {
        let (month, date, season) = (1 + day / 31, 1 + day % 31, (day * 5) % 7);
        let price = (day * day) % 11;
        rows += &format!("{series},2024-0{month}-{date:02},{},{price},{}\n", 10 + season, day % 5);
    }
    rows
}

fn write(test: &str, name: &str, content: &str) -> PathBuf {
    let file = folder(test).join(name);
    std::fs::write(&file, content).unwrap();
    file
}

const FUTURE: &str = "unique_id,ds,price\na,2024-02-10,1\na,2024-02-11,9\nb,2024-02-10,2\n\
                      b,2024-02-11,8\n";

#[test]
fn every_format_gives_the_same_forecast() {
    let csv = write("formats", "series.csv", &days());
    let table = whimbrel::csv::read(&csv, &whimbrel::csv::Options::default()).unwrap();
    let expected = run(&csv, "");
    assert_eq!(expected.lines().count(), 5);
    for ending in ["parquet", "arrow", "feather", "csv.gz"] {
        let file = csv.with_extension(ending);
        let plain = |to: &mut Vec<u8>| to.write_all(days().as_bytes());
        let bytes = whimbrel::data::encode(&file, plain, || table.clone()).unwrap();
        assert!(ending != "csv.gz" || bytes.starts_with(&[0x1f, 0x8b]));
        std::fs::write(&file, bytes).unwrap();
        assert_eq!(run(&file, ""), expected, "{ending}");
    }
}

#[test]
fn an_arrow_stream_may_be_piped() {
    let csv = write("stream", "series.csv", &days());
    let table = whimbrel::csv::read(&csv, &whimbrel::csv::Options::default()).unwrap();
    let file = csv.with_extension("arrow");
    let bytes = whimbrel::data::encode(&file, |_| Ok(()), || table).unwrap();
    // The stream begins with its first message; behind it come a footer, its length and six letters.
    let (rest, length) = bytes[..bytes.len() - 6].split_last_chunk::<4>().unwrap();
    let start = rest.windows(4).position(|mark| mark == [0xff; 4]).unwrap();
    let stream = &rest[start..rest.len() - u32::from_le_bytes(*length) as usize];
    std::fs::write(&file, stream).unwrap();
    let expected = run(&csv, "");
    assert_eq!(run(&file, ""), expected);
    let mut command = whimbrel();
    command.args(["forecast", "-", "--horizon", "2", "--max-steps", "20", "--out", "-"]);
    command.args(["--model", "nlinear"]).stdin(std::fs::File::open(&file).unwrap());
    let output = command.output().unwrap();
    assert_eq!(text(&output.stdout), expected, "{}", text(&output.stderr));
    // Of two, one after another, the second is not passed over.
    std::fs::write(&file, stream.repeat(2)).unwrap();
    let two = forecast(&format!("{} --horizon 2 --out -", file.display()));
    assert_eq!(two.status.code(), Some(2), "{}", text(&two.stderr));
}

#[test]
fn columns_of_a_wide_file_are_forecast_like_series_of_a_long_one() {
    let long: String = days().lines().skip(1).fold("unique_id,ds,y\n".into(), |rows, row| {
        let fields: Vec<&str> = row.split(',').take(3).collect();
        rows + &fields.join(",") + "\n"
    });
    let value = |series: &str, day: &str| {
        let row = long.lines().find(|row| row.starts_with(&format!("{series},{day},"))).unwrap();
        row.rsplit(',').next().unwrap().to_owned()
    };
    let days: Vec<&str> =
        long.lines().filter_map(|row| row.strip_prefix("a,")?.split(',').next()).collect();
    let rows = days.iter().map(|day| format!("{day},{},{}\n", value("b", day), value("a", day)));
    let wide = format!("when,b,a\n{}", rows.collect::<String>());
    let expected = run(&write("wide", "long.csv", &long), "");
    assert_eq!(run(&write("wide", "wide.csv", &wide), "--wide"), expected);
    assert_eq!(expected.lines().nth(1).unwrap().split(',').next(), Some("a"));
}

#[test]
fn gaps_are_filled_as_asked() {
    // A row that is missing, and one without a value. The rule repeats the last three values.
    let rows = |five: &str, six: &str| {
        format!("unique_id,ds,y\na,1,4\na,2,8\na,3,6\na,4,2\n{five}a,6,{six}\na,7,8\n")
    };
    let options = "--model seasonalnaive --season-length 3 --horizon 3";
    let forecast = |test: &str, content: &str, fill: &str| {
        let file = write("fills", &format!("{test}.csv"), content);
        let mut command = whimbrel();
        command.arg("forecast").arg(file).args(options.split(' ')).args(["--out", "-"]);
        command.args(["--fill", fill]).output().unwrap()
    };
    for (fill, five, six) in [("interpolate", "4", "6"), ("forward", "2", "2"), ("zero", "0", "0")]
    {
        let whole = forecast("whole", &rows(&format!("a,5,{five}\n"), six), "error");
        let filled = forecast("holes", &rows("", ""), fill);
        assert!(filled.status.success(), "{}", text(&filled.stderr));
        assert_eq!(text(&filled.stdout), text(&whole.stdout), "{fill}");
    }
    // A value that is not known counts as the one before it where a rule repeats it.
    let masked = forecast("holes", &rows("", ""), "mask");
    let values: Vec<String> = text(&masked.stdout)
        .lines()
        .skip(1)
        .map(|row| row.split(',').nth(2).unwrap().to_owned())
        .collect();
    assert_eq!(values, ["2", "2", "8"]);
    let refused = forecast("holes", &rows("", ""), "error");
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("add the missing row"), "{}", text(&refused.stderr));
}

#[test]
fn what_is_known_beside_the_series_changes_their_forecast() {
    let series = write("beside", "series.csv", &days());
    let future = write("beside", "future.csv", FUTURE);
    let other = write("beside", "other.csv", &FUTURE.replace(",9\n", ",0\n"));
    let fixed = write("beside", "static.csv", "unique_id,size,floors\na,1,5\nb,0,2\n");
    let plain = run(&series, "--model mlp");
    let path = |file: &PathBuf| file.display().to_string();
    let ahead = run(&series, &format!("--model mlp --future {}", path(&future)));
    let named = run(&series, &format!("--model mlp --futr-exog price --future {}", path(&future)));
    assert_eq!(named, ahead);
    let elsewhere = run(&series, &format!("--model mlp --future {}", path(&other)));
    let historic = run(&series, "--model mlp --hist-exog visits");
    let both = run(&series, &format!("--model mlp --static {}", path(&fixed)));
    let size = run(&series, &format!("--model mlp --static {} --stat-exog size", path(&fixed)));
    let all = [&plain, &ahead, &elsewhere, &historic, &both, &size];
    for (at, one) in all.iter().enumerate() {
        assert!(all[..at].iter().all(|other| other != one), "{at}: {one}");
    }
}

#[test]
fn features_are_columns_beside_the_series() {
    let series = write("features", "series.csv", &days());
    let plain = run(&series, "--model mlp");
    let each = ["lag7", "rolling_mean_3", "exponential_mean_0.5"];
    let features: Vec<String> =
        each.iter().map(|name| run(&series, &format!("--model mlp --features {name}"))).collect();
    let together = run(&series, &format!("--model mlp --features {}", each.join(",")));
    let all: Vec<&String> = [&plain, &together].into_iter().chain(&features).collect();
    for (at, one) in all.iter().enumerate() {
        assert!(all[..at].iter().all(|other| other != one), "{at}: {one}");
    }
}

#[test]
fn the_scaler_of_windows_changes_the_forecast() {
    let series = write("robust", "series.csv", &days());
    let [robust, standard] =
        ["robust", "standard"].map(|name| run(&series, &format!("--scaler-type {name}")));
    assert_eq!(robust.lines().count(), 5);
    assert_ne!(robust, standard);
}

/// The mean absolute error of the ensemble that `evaluate` finds.
fn error_of(forecasts: &Path, actual: &Path, options: &str) -> String {
    let mut command = whimbrel();
    command.arg("evaluate").arg(forecasts).arg("--actual").arg(actual).args(["--out", "-"]);
    let output = command.args(options.split_whitespace()).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let scores = text(&output.stdout);
    let mae = scores.lines().find(|row| row.contains("mae")).unwrap();
    mae.split(',').nth(2).unwrap().to_owned()
}

#[test]
fn years_and_slashed_dates_are_understood_as_options_say() {
    let file = |name: &str, rows: &[String]| {
        let content = format!("unique_id,ds,y\n{}", rows.concat());
        write("understood", name, &content)
    };
    let years: Vec<String> = (2000..2022).map(|year| format!("a,{year},7\n")).collect();
    let months: Vec<String> = (1..13).map(|month| format!("a,01/{month}/2024,7\n")).collect();
    for (name, rows, options, first) in [
        ("years", years, "--freq YE", "a,2020-12-31,7"),
        ("months", months, "--date-order dmy", "a,2024-11-01,7"),
    ] {
        let train = file(&format!("{name}_train.csv"), &rows[..rows.len() - 2]);
        let whole = file(&format!("{name}.csv"), &rows);
        let forecasts = run(&train, &format!("--model naive {options}"));
        assert!(forecasts.lines().nth(1).unwrap().starts_with(first), "{forecasts}");
        let written = write("understood", &format!("{name}_forecast.csv"), &forecasts);
        assert_eq!(error_of(&written, &whole, options), "0");
    }
}

#[test]
fn forecasts_of_zoned_data_are_scored_against_their_own_source() {
    let hours = |days: std::ops::Range<u32>| -> String {
        let hour = |t: u32| {
            let (day, hour) = (1 + t / 24, t % 24);
            format!("a,2024-01-{day:02}T{hour:02}:00+05:30,{}\n", t % 24)
        };
        format!("unique_id,ds,y\n{}", days.map(hour).collect::<String>())
    };
    let train = write("zoned", "train.csv", &hours(0..96));
    let whole = write("zoned", "whole.csv", &hours(0..98));
    let forecasts = run(&train, "--model seasonalnaive");
    assert!(forecasts.contains("a,2024-01-05 00:00:00+05:30,0"), "{forecasts}");
    let file = write("zoned", "forecast.csv", &forecasts);
    assert_eq!(error_of(&file, &whole, ""), "0");
    // The same moments on other clocks.
    let utc = whole.with_file_name("utc.csv");
    let first = "unique_id,ds,y\na,2024-01-04T17:30Z,23\n";
    std::fs::write(&utc, format!("{first}a,2024-01-04T18:30Z,0\na,2024-01-04T19:30Z,1\n")).unwrap();
    assert_eq!(error_of(&file, &utc, ""), "0");
}

/// What `forecast` says of rows that it refuses.
fn refused(name: &str, rows: &str) -> String {
    let file = write("refused", name, &format!("unique_id,ds,y\n{rows}"));
    let mut command = whimbrel();
    let output = command.arg("forecast").arg(file).args(["--horizon", "2"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    text(&output.stderr)
}

#[test]
fn hours_that_clocks_repeat_are_told_apart_by_their_offset() {
    let hint =
        "local times which clocks repeat in autumn need their offset, as 2024-10-27T02:00+01:00";
    let local = "a,2024-10-27T01:00,1\na,2024-10-27T02:00,2\na,2024-10-27T02:00,3\n";
    assert!(refused("local.csv", local).contains(hint));
    let days = refused("days.csv", "a,2024-10-27,1\na,2024-10-28,2\na,2024-10-28,3\n");
    assert!(days.contains("help: --id-col names") && !days.contains(hint), "{days}");
    let zoned = refused("zoned.csv", &local.replace(":00,", ":00+01:00,"));
    assert!(zoned.contains("help: --id-col names") && !zoned.contains(hint), "{zoned}");
}

#[test]
fn the_page_and_the_summary_have_the_times_of_the_file() {
    let hour = |t: usize| format!("a,2024-01-0{}T{:02}:00+02:00,{}\n", 1 + t / 24, t % 24, t % 24);
    let rows: String = (0..96).map(hour).collect();
    let file = write("named_times", "zoned.csv", &format!("unique_id,ds,y\n{rows}"));
    let out = folder("named_times").join("out");
    let _ = std::fs::remove_dir_all(&out);
    let mut command = whimbrel();
    command.arg("forecast").arg(&file).args(["--horizon", "2", "--model", "naive", "--out"]);
    let output = command.arg(&out).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let span = "2024-01-01 00:00:00+02:00 to 2024-01-04 23:00:00+02:00";
    let page = std::fs::read_to_string(out.join("forecast.html")).unwrap();
    for said in [text(&output.stdout), page.replace("&#43;", "+")] {
        assert!(said.contains(span), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_of_the_future_may_be_a_pipe() {
    let series = write("piped_future", "series.csv", &days());
    let future = write("piped_future", "future.csv", FUTURE);
    let from_file = run(&series, &format!("--model mlp --future {}", future.display()));
    let pipe = folder("piped_future").join("pipe");
    let _ = std::fs::remove_file(&pipe);
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let to = pipe.clone();
    let writer = std::thread::spawn(move || std::fs::write(to, FUTURE));
    let piped = run(&series, &format!("--model mlp --future {}", pipe.display()));
    writer.join().unwrap().unwrap();
    assert_eq!(piped, from_file);
}
