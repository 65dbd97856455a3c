//! What `whimbrel evaluate` and `plot` read, and what `cv` says of series it has no forecasts of.

mod support;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Output, Stdio};
use support::{folder, text, whimbrel};

const DATA: &str = "examples/air_passengers.csv";

fn run(arguments: &str) -> Output {
    whimbrel().args(arguments.split_whitespace()).output().unwrap()
}

/// What a command prints that succeeds and says nothing on standard error.
fn done(arguments: &str) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments}: {}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "{arguments}");
    text(&output.stdout)
}

/// What a command says that refuses its input.
fn refused(arguments: &str) -> String {
    let output = run(arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
    message
}

/// A file that is not there yet; each test has names of its own.
fn fresh(name: &str) -> PathBuf {
    let file = folder("evaluate").join(name);
    let _ = fs::remove_file(&file);
    file
}

/// What a command prints that gets a text as standard input.
fn piped(input: &str, arguments: &str) -> String {
    let mut command = whimbrel();
    command.args(arguments.split_whitespace()).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn forecasts_are_read_from_standard_input() {
    let (out, picture) = (fresh("piped.csv"), fresh("piped.svg"));
    let cv = format!("cv {DATA} --model naive --horizon 12 --n-windows 2");
    let table = done(&format!("{cv} --out {}", out.display()));
    let csv = done(&format!("{cv} --out -"));
    assert_eq!(piped(&csv, &format!("evaluate - --train {DATA}")), table);
    let drawn = |file: &str| {
        let out = format!("--out {} --force", picture.display());
        piped(&csv, &format!("plot {file} --past {DATA} {out}"));
        fs::read_to_string(&picture).unwrap()
    };
    assert_eq!(drawn("-"), drawn(&out.display().to_string()));
    let output = whimbrel().args(["evaluate", "-"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("error: standard input: is empty"));
}

#[test]
fn right_values_and_pasts_are_read_as_series_are() {
    let folder = folder("evaluate_wide");
    let file = |name: &str| folder.join(name).display().to_string();
    let rows = |hours: std::ops::Range<usize>| -> String {
        let time = |t: usize| format!("2024-01-{:02} {:02}:00", 1 + t / 24, t % 24);
        hours.map(|t| format!("{},{},{}\n", time(t), t % 5, t % 7)).collect()
    };
    for (name, hours) in [("all.csv", 0..72), ("train.csv", 0..71), ("test.csv", 71..72)] {
        fs::write(file(name), format!("date,north,south\n{}", rows(hours))).unwrap();
    }
    let [all, train, test] = ["all.csv", "train.csv", "test.csv"].map(file);
    let cv = "--wide --model naive,seasonalnaive --horizon 6 --n-windows 2";
    let (out, ahead) = (fresh("wide.csv"), fresh("ahead.csv"));
    let table = done(&format!("cv {all} {cv} --out {}", out.display()));
    assert_eq!(done(&format!("evaluate {} --train {all} --wide", out.display())), table);
    // The step of a file with one row for each series is not in it.
    let forecast = done(&format!("forecast {train} --wide --horizon 1 --model naive --out -"));
    fs::write(&ahead, forecast).unwrap();
    let evaluate = format!("evaluate {} --actual {test} --wide", ahead.display());
    let message = refused(&evaluate);
    assert!(message.contains("help: --freq says the frequency"), "{message}");
    let scores = done(&format!("{evaluate} --freq h --train {train} --json"));
    let scores: serde_json::Value = serde_json::from_str(&scores).unwrap();
    // Each changes by one in the last hour.
    assert_eq!(scores["Naive"]["mae"], 1.0);
    let picture = fresh("south.svg");
    let drawn = format!("--past {train} --wide --id south --out {}", picture.display());
    assert_eq!(done(&format!("plot {} {drawn} --quiet", ahead.display())), "");
    assert!(fs::read_to_string(&picture).unwrap().contains(">y<"));
    // Holes do not count unless they are filled.
    let hole = fs::read_to_string(&train).unwrap().replace("2024-01-02 03:00,2,6\n", "");
    fs::write(&train, hole).unwrap();
    let filled =
        |fill: &str| done(&format!("{evaluate} --freq h --train {train} --fill {fill} --json"));
    assert_ne!(filled("mask"), filled("interpolate"));
    let gap = refused(&format!("{evaluate} --freq h --train {train} --fill error"));
    assert!(gap.contains("help: --fill"), "{gap}");
}

#[test]
fn a_past_without_the_series_is_said() {
    let (data, ahead, picture) = (fresh("west.csv"), fresh("east.csv"), fresh("east.svg"));
    fs::write(&data, "unique_id,ds,y\nwest,1,3\nwest,2,5\n").unwrap();
    fs::write(&ahead, "unique_id,ds,M\neast,3,2\neast,4,2\n").unwrap();
    let (data, ahead, picture) = (data.display(), ahead.display(), picture.display());
    let plot = format!("plot {ahead} --past {data} --out {picture} --force");
    let output = run(&plot);
    let expected = "warning: --past has no series \"east\": its forecasts are drawn alone\n";
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), expected.into()));
    assert_eq!(done(&format!("{plot} --quiet")), "");
}

#[test]
fn series_that_do_not_reach_back_to_a_cutoff_are_counted() {
    let file = fresh("mixed.csv");
    let rows = |id: &str, from: usize| -> String {
        (from..40).map(|t| format!("{id},{t},{}\n", t % 4)).collect()
    };
    let csv = format!("unique_id,ds,y\n{}{}{}", rows("a", 0), rows("b", 30), rows("c", 0));
    fs::write(&file, csv).unwrap();
    let cv = format!("cv {} --model naive --horizon 4 --n-windows", file.display());
    let output = run(&format!("{cv} 3"));
    let expected = "warning: 2 of 3 series reach back to the first cutoff; the others are left out of its scores\n";
    assert_eq!(text(&output.stderr), expected);
    assert_eq!(text(&output.stdout), done(&format!("{cv} 3 --quiet")));
    // With fewer cutoffs all of them do.
    done(&format!("{cv} 2"));
}

#[test]
fn a_series_without_a_name_is_the_same_one_in_another_file() {
    let (train, test, out) =
        (fresh("nameless_train.csv"), fresh("later.csv"), fresh("nameless_out.csv"));
    let rows = |steps: std::ops::Range<usize>| -> String {
        steps.map(|t| format!("{t},{}\n", t % 4)).collect()
    };
    fs::write(&train, format!("ds,y\n{}", rows(0..40))).unwrap();
    fs::write(&test, format!("ds,y\n{}", rows(40..44))).unwrap();
    let [train, test, out] = [train, test, out].map(|file| file.display().to_string());
    let csv = done(&format!(
        "forecast {train} --horizon 4 --model seasonalnaive --season-length 4 --out -"
    ));
    fs::write(&out, csv).unwrap();
    let scores =
        done(&format!("evaluate {out} --actual {test} --train {train} --season-length 4 --json"));
    let scores: serde_json::Value = serde_json::from_str(&scores).unwrap();
    assert_eq!(scores["SeasonalNaive"]["mae"], 0.0);
    // Among named series a name says which.
    let named: String = (40..44).map(|t| format!("a,{t},0\n")).collect();
    fs::write(&test, format!("unique_id,ds,y\n{named}")).unwrap();
    let other = refused(&format!("evaluate {out} --actual {test}"));
    assert!(other.contains("there is no value of series \"nameless_train\""), "{other}");
}

/// Hours of local time, each with its number as value, that end at 23:00 where `zone` is `+02:00`.
fn hours(name: &str, hours: std::ops::Range<usize>, zone: &str) -> String {
    let row = |t: usize| format!("a,2024-01-{:02} {:02}:00{zone},{t}\n", 1 + t / 24, t % 24);
    let file = folder("evaluate_zones").join(name);
    fs::write(&file, format!("unique_id,ds,y\n{}", hours.map(row).collect::<String>())).unwrap();
    file.display().to_string()
}

/// A forecast of an hour that is midnight where it is, each as text, and its file.
fn forecast_of_midnight(name: &str, zone: &str) -> (String, String) {
    let past = hours(&format!("past_{name}"), 0..72, zone);
    let csv = done(&format!("forecast {past} --horizon 1 --model naive --out -"));
    let file = folder("evaluate_zones").join(name);
    fs::write(&file, &csv).unwrap();
    (csv, file.display().to_string())
}

#[test]
fn midnights_of_an_hourly_forecast_are_no_dates() {
    let (csv, file) = forecast_of_midnight("zoned.csv", "+02:00");
    assert!(csv.contains("a,2024-01-04 00:00:00+02:00,71"), "{csv}");
    let whole = hours("whole.csv", 0..96, "+02:00");
    let mae = |file: &str, more: &str| {
        let scores = done(&format!("evaluate {file} --actual {whole} --out - {more}"));
        scores
            .lines()
            .find(|row| row.contains("mae"))
            .unwrap()
            .split(',')
            .nth(2)
            .unwrap()
            .to_owned()
    };
    assert_eq!(mae(&file, ""), "1");
    assert_eq!(mae(&file, &format!("--train {whole}")), "1");
    assert_eq!(mae(&file, "--freq h"), "1");
    let drawn = |file: &str| {
        let picture = fresh("midnight.svg");
        done(&format!("plot {file} --past {whole} --out {}", picture.display()));
        fs::read_to_string(&picture).unwrap()
    };
    let utc = folder("evaluate_zones").join("utc.csv");
    fs::write(&utc, csv.replace("04 00:00:00+02:00", "03 22:00:00+00:00")).unwrap();
    let utc = utc.display().to_string();
    assert_eq!(mae(&utc, ""), "1");
    assert_eq!(drawn(&file), drawn(&utc));
}

#[test]
fn times_with_and_without_a_zone_are_not_compared() {
    let remedy = "write it, as in 2024-01-31 13:00:00+02:00, in both or in neither";
    for (zone, other) in [("+02:00", ""), ("", "+02:00")] {
        let (_, file) = forecast_of_midnight(&format!("of{zone}.csv"), zone);
        let [same, unlike] =
            [zone, other].map(|zone| hours(&format!("all{zone}.csv"), 0..96, zone));
        let [zoned, unzoned] = if zone.is_empty() { [&unlike, &file] } else { [&file, &unlike] };
        let says = format!("times of {zoned} have a zone, those of {unzoned} have none; {remedy}");
        let out = fresh("unlike.svg").display().to_string();
        for arguments in [
            format!("evaluate {file} --actual {unlike}"),
            format!("evaluate {file} --actual {same} --train {unlike}"),
            format!("plot {file} --past {unlike} --out {out}"),
        ] {
            let message = refused(&arguments);
            assert!(message.contains(&says), "{arguments}: {message}");
        }
        done(&format!("evaluate {file} --actual {same} --train {same}"));
        done(&format!("plot {file} --past {same} --out {out}"));
    }
}

#[test]
fn dates_are_compared_whatever_their_zone() {
    let file = |name: &str, rows: &str, zone: &str| {
        let file = folder("evaluate_zones").join(name);
        fs::write(&file, rows.replace('@', zone)).unwrap();
        file.display().to_string()
    };
    let rows = "unique_id,ds,y\na,2024-01-01@,1\na,2024-01-02@,2\na,2024-01-03@,5\n";
    let forecast = "unique_id,ds,Naive\na,2024-01-03@,4\n";
    for (ours, theirs) in [("", "T00:00+02:00"), ("T00:00+02:00", ""), ("T00:00Z", "T00:00+02:00")]
    {
        let (days, ahead) = (file("days.csv", rows, ours), file("ahead.csv", forecast, theirs));
        let scores = done(&format!("evaluate {ahead} --actual {days} --train {days} --out -"));
        assert!(scores.contains("mae,1\n"), "{scores}");
    }
}

#[test]
fn forecasts_of_a_zoned_file_are_compared_from_every_format() {
    let past = hours("of_formats.csv", 0..72, "+02:00");
    let whole = hours("for_formats.csv", 0..96, "+02:00");
    let cv = format!("cv {past} --horizon 1 --model naive --n-windows 2");
    let scores = ["ahead.parquet", "ahead.arrow", "ahead.csv"].map(|name| {
        let out = fresh(name).display().to_string();
        done(&format!("{cv} --out {out}"));
        done(&format!("evaluate {out} --actual {whole} --train {whole} --out -"))
    });
    assert!(scores[0] == scores[2] && scores[1] == scores[2], "{scores:?}");
}

/// A file of the test's own.
fn written(name: &str, text: &str) -> String {
    let file = fresh(name);
    fs::write(&file, text).unwrap();
    file.display().to_string()
}

#[test]
fn a_forecast_that_is_no_number_is_named_by_its_row() {
    let rows = "unique_id,ds,A,B,note,y\nx,2024-01-01,1,2,fine,1\nx,2024-01-02,2,oops,,3\n";
    let file = written("words.csv", rows);
    let picture = fresh("words.svg");
    for command in [format!("evaluate {file}"), format!("plot {file} --out {}", picture.display())]
    {
        let message = refused(&command);
        assert!(
            message.contains("words.csv:3, column \"B\": \"oops\" is not a number"),
            "{message}"
        );
    }
    assert!(!picture.exists());
    let comma =
        written("comma.csv", "unique_id,ds,A,y\nx,2024-01-01,1,\"1,5\"\nx,2024-01-02,2,3\n");
    let message = refused(&format!("evaluate {comma}"));
    assert!(message.contains("comma.csv:2, column \"y\": \"1,5\" is not a number"), "{message}");
    // A column of words alone is no forecast.
    let scores = done(&format!("evaluate {}", written("note.csv", &rows.replace("oops", "4"))));
    assert!(scores.contains("\nB") && !scores.contains("note"), "{scores}");
}

#[test]
fn two_forecasts_for_one_time_are_refused() {
    let twice = "unique_id,ds,A,y\nx,2024-01-02,1,1\nx,2024-01-01,1,1\nx,2024-01-02,9,1\n";
    let message = refused(&format!("evaluate {}", written("twice.csv", twice)));
    let wanted =
        "twice.csv:4, column \"ds\": series \"x\" already has a row for 2024-01-02, in line 2";
    assert!(message.contains(wanted), "{message}");
    // At another cutoff it is another forecast.
    let cutoffs =
        "unique_id,ds,cutoff,A,y\nx,2024-01-03,2024-01-01,1,1\nx,2024-01-03,2024-01-02,9,1\n";
    done(&format!("evaluate {}", written("cutoffs.csv", cutoffs)));
}

#[test]
fn dates_are_not_compared_with_whole_numbers() {
    let dated = written("dated.csv", "unique_id,ds,A,y\nx,2024-01-01,1,1\nx,2024-01-02,1,2\n");
    let counted = written("counted.csv", "unique_id,ds,y\nx,1,1\nx,2,2\n");
    let picture = fresh("counted.svg");
    let plot = format!("plot {dated} --past {counted} --out {}", picture.display());
    for command in [format!("evaluate {dated} --train {counted}"), plot] {
        let message = refused(&command);
        let wanted = format!("times of {dated} are dates, those of {counted} are whole numbers");
        assert!(message.contains(&wanted), "{message}");
    }
}

#[test]
fn what_lacks_values_to_compare_with_is_named() {
    let forecast = written("late.csv", "unique_id,ds,A\nx,2024-01-03,1\nx,2024-01-04,1\n");
    let actual = written("early.csv", "unique_id,ds,y\nx,2024-01-02,1\nx,2024-01-03,2\n");
    let message = refused(&format!("evaluate {forecast} --actual {actual}"));
    assert!(
        message.contains("early.csv: there is no value of series \"x\" at 2024-01-04"),
        "{message}"
    );
    let whole = written("whole.csv", "unique_id,ds,y\nx,2024-01-03,1\nx,2024-01-04,2\n");
    let message = refused(&format!("evaluate {forecast} --actual {whole} --train {whole}"));
    let wanted = "whole.csv: there are no values of series \"x\" before its forecasts";
    assert!(message.contains(wanted), "{message}");
}

#[test]
fn forecasts_without_right_values_are_named() {
    let forecast = written("alone.csv", "unique_id,ds,A\nx,2024-01-03,1\n");
    let message = refused(&format!("evaluate {forecast}"));
    assert!(message.contains("alone.csv: the forecasts have no column y"), "{message}");
    let mut command = whimbrel();
    command.args(["evaluate", "-"]).stdin(fs::File::open(&forecast).unwrap());
    let message = text(&command.output().unwrap().stderr);
    assert!(message.contains("standard input: the forecasts have no column y"), "{message}");
}

#[test]
fn a_result_of_an_unknown_format_is_refused_before_the_work() {
    let out = fresh("scores.xlsx");
    let message = refused(&format!("cv {DATA} --model naive --horizon 12 --out {}", out.display()));
    assert!(
        message.contains("let it end in .csv, .csv.gz, .parquet, .arrow or .feather"),
        "{message}"
    );
    assert!(!out.exists());
}
