//! `whimbrel forecast` on good input.

mod support;

use std::process::Stdio;
use support::{folder, forecast, root, text, whimbrel};

const EXAMPLE: &str = "examples/air_passengers.csv --horizon 12";

/// Runs without trying anything but one small network, and prints the forecast as CSV.
fn quick(arguments: &str) -> Vec<Vec<String>> {
    let output = forecast(&format!("{arguments} --model nlinear --out -"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "progress is for terminals");
    let rows = text(&output.stdout);
    rows.lines().map(|row| row.split(',').map(String::from).collect()).collect()
}

#[test]
fn the_main_job_says_what_it_found_tried_and_forecasts() {
    let out = folder("main_job").join("new/folder");
    let _ = std::fs::remove_dir_all(&out);
    let output = forecast(&format!("{EXAMPLE} --out {}", out.display()));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "progress is for terminals");
    let said = text(&output.stdout);
    let note =
        "Ensemble being the weighted mean, at each point with weights learned from the others";
    for part in ["1 series, 144 rows, frequency ME", "season 12", "MASE", "NHITS", "Theta", note] {
        assert!(said.contains(part), "{said}");
    }
    let score = |model: &str| -> f64 {
        let line = said.lines().find(|line| line.trim_start().starts_with(model)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    assert!(score("Ensemble") < score("SeasonalNaive"), "{said}");
    let dates = ["1961-01-31", "1961-02-28", "1961-12-31"];
    assert!(dates.iter().all(|date| said.contains(date)), "{said}");
    let csv = std::fs::read_to_string(out.join("forecast.csv")).unwrap();
    assert!(csv.starts_with("unique_id,ds,Ensemble,Ensemble-lo-90,Ensemble-lo-80,Ensemble-hi-80,"));
    assert_eq!(csv.lines().count(), 13);
    let page = std::fs::read_to_string(out.join("forecast.html")).unwrap();
    assert!(page.contains("air_passengers.csv: 12 steps ahead") && page.contains("1961-12-31"));
}

#[test]
fn the_page_takes_every_chosen_network_apart_or_says_why_not() {
    let out = folder("parts");
    let page = |options: &str| {
        let quick = "--max-steps 5 --windows-batch-size 8 --quiet";
        let output = forecast(&format!("{EXAMPLE} {quick} {options} --out {}", out.display()));
        assert!(output.status.success(), "{}", text(&output.stderr));
        std::fs::read_to_string(out.join("forecast.html")).unwrap()
    };
    let whole = "{\"model\":\"NBEATS\",\"why_whole\":null}";
    let apart = page("--model nbeats");
    assert!(apart.contains(whole) && apart.contains("\"seasonality\":["));
    let several = page("--model nbeats --loss normal");
    let why = "{\"model\":\"NBEATS\",\"why_whole\":\"its loss makes several forecasts at once\"}";
    assert!(several.contains(why) && !several.contains("\"seasonality\":["));
    let curved = page("--model nbeats --scaler-type revin");
    assert!(curved.contains("parts do not add up where windows are scaled by revin"));
    assert!(page("--model nlinear").contains("\"parts\":[]"));
}

#[test]
fn files_of_ours_are_replaced_and_others_are_not() {
    let out = folder("replaced");
    for name in ["forecast.csv", "forecast.html"] {
        let _ = std::fs::remove_file(out.join(name));
    }
    let run = |options: &str| {
        let quick = "--model naive --quiet";
        let output = forecast(&format!("{EXAMPLE} {quick} {options} --out {}", out.display()));
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let done = (Some(0), String::new(), String::new());
    assert_eq!(run(""), done);
    assert_eq!(run(""), done);
    for (name, foreign) in [
        ("forecast.html", "<!doctype html>\n<p>Not content=\"whimbrel\"\n"),
        ("forecast.csv", "notes\nunique_id,ds,Ensemble\n"),
        ("forecast.csv", "unique_id,ds,EnsembleOfMine\n"),
        ("forecast.csv", "unique_id,ds,Prophet\n"),
    ] {
        std::fs::write(out.join(name), foreign).unwrap();
        let (code, _, message) = run("");
        assert_eq!(code, Some(2), "{foreign}");
        let told = message.contains(&format!("{name}: is there already"));
        assert!(told && message.contains("--force"), "{message}");
        assert_eq!(std::fs::read_to_string(out.join(name)).unwrap(), foreign);
        if name == "forecast.html" {
            std::fs::remove_file(out.join(name)).unwrap();
        }
    }
    assert_eq!(run("--force"), done);
    assert!(std::fs::read_to_string(out.join("forecast.csv")).unwrap().contains("Ensemble"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_nothing_can_be_written_in_is_refused_before_the_work() {
    for out in ["/proc", "/proc/whimbrel/results"] {
        let output = forecast(&format!("no/such.csv --horizon 2 --out {out}"));
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("forecast.csv: cannot be written there"), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_not_replaced() {
    let out = folder("dangling");
    let link = out.join("forecast.csv");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink("nowhere.csv", &link).unwrap();
    let output = forecast(&format!("{EXAMPLE} --model naive --out {}", out.display()));
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("forecast.csv: is there already"));
    assert!(link.is_symlink());
    let cv = ["cv", "examples/air_passengers.csv", "--model", "naive", "--horizon", "1", "--out"];
    let output = whimbrel().args(cv).arg(&link).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_result_depends_on_the_seed_but_not_on_the_threads() {
    let run = |arguments: &str| quick(&format!("{EXAMPLE} --max-steps 300 {arguments}"));
    let one = run("--threads 1");
    assert_eq!(one, run("--threads 2"));
    assert_eq!(one, run("--threads 3"));
    assert_ne!(one, run("--threads 1 --seed 2"));
}

#[test]
fn json_holds_scores_weights_and_rows() {
    let out = folder("json");
    let arguments = format!("{EXAMPLE} --model naive,theta --json --out {}", out.display());
    let output = forecast(&arguments);
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["season_length"], 12);
    assert_eq!(said["forecast"].as_array().unwrap().len(), 12);
    assert!(said["scores"]["Theta"]["mase"].as_f64().unwrap() > 0.0);
    assert!(said["weights"].as_object().unwrap().values().all(|w| w.as_f64().unwrap() <= 1.0));
    let found = serde_json::json!({
        "series": 1, "rows": 144, "frequency": "ME", "first": "1949-01-31", "last": "1960-12-31"
    });
    assert_eq!(said["found"], found);
    let files = ["forecast.csv", "forecast.html"].map(|name| out.join(name));
    assert_eq!(said["files"], serde_json::json!(files));
    let printed = |options: &str| -> serde_json::Value {
        let arguments = format!("{EXAMPLE} --model naive,theta --json --out - {options}");
        serde_json::from_slice(&forecast(&arguments).stdout).unwrap()
    };
    let unwritten = printed("");
    assert_eq!(unwritten["forecast"], said["forecast"]);
    assert_eq!(unwritten["files"], serde_json::json!([]));
    assert_eq!(printed("--quiet"), unwritten);
    let quiet = forecast(&format!("{arguments} --quiet"));
    assert_eq!((quiet.status.code(), quiet.stdout, quiet.stderr), (Some(0), vec![], vec![]));
}

#[test]
fn forecasts_are_drawn_after_their_past() {
    let out = folder("plot");
    let run = forecast(&format!("{EXAMPLE} --model theta --quiet --out {}", out.display()));
    assert!(run.status.success(), "{}", text(&run.stderr));
    let plot = |picture: &str, options: &[&str]| {
        let mut command = whimbrel();
        command.arg("plot").arg(out.join("forecast.csv")).args(options).arg("--force");
        command.arg("--past").arg("examples/air_passengers.csv");
        command.arg("--out").arg(out.join(picture)).output().unwrap()
    };
    assert!(plot("a.png", &[]).status.success());
    assert!(std::fs::read(out.join("a.png")).unwrap().starts_with(b"\x89PNG"));
    assert!(plot("a.svg", &["--model", "Theta,Naive"]).status.success());
    let svg = std::fs::read_to_string(out.join("a.svg")).unwrap();
    assert!([">y<", ">Theta<", ">Naive<"].iter().all(|name| svg.contains(name)));
    let said: serde_json::Value =
        serde_json::from_slice(&plot("a.svg", &["--json"]).stdout).unwrap();
    let expected = serde_json::json!({
        "file": out.join("a.svg"), "format": "svg", "unique_id": "AirPassengers"
    });
    assert_eq!(said, expected);
    assert_eq!(plot("a.svg", &["--json", "--quiet"]).stdout, b"");
    for options in [["--model", "oracle"], ["--id", "nobody"]] {
        let refused = plot("b.svg", &options);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains(options[1]) && !out.join("b.svg").exists());
    }
}

#[test]
fn a_chosen_rule_repeats_the_season_that_was_found() {
    let values = [3, 9, 1, 5];
    let rows: String = (0..40).map(|t| format!("a,{t},{}\n", values[t % 4])).collect();
    let file = folder("chosen_rule").join("steps.csv");
    std::fs::write(&file, format!("unique_id,ds,y\n{rows}")).unwrap();
    let arguments = format!("{} --horizon 4 --model seasonalnaive --out -", file.display());
    let said = text(&forecast(&arguments).stdout);
    assert_eq!(said.matches("SeasonalNaive").count(), 1, "{said}");
    let forecasts: Vec<&str> =
        said.lines().skip(1).map(|row| row.split(',').nth(2).unwrap()).collect();
    assert_eq!(forecasts, ["3", "9", "1", "5"]);
}

#[test]
fn what_was_asked_for_and_is_missing_is_said() {
    let file = folder("missing").join("short.csv");
    std::fs::write(&file, "unique_id,ds,y\na,1,3\na,2,5\na,3,4\n").unwrap();
    let short = format!("{} --horizon 2 --out -", file.display());
    let said = |arguments: &str| text(&forecast(arguments).stderr);
    for level in ["", "--level 50"] {
        let levels = said(&format!("{short} {level}"));
        assert!(levels.contains("warning: 1 of 1 series have no intervals"), "{levels}");
        assert_eq!(said(&format!("{short} {level} --quiet")), "");
    }
    let hurried = said(&format!("{EXAMPLE} --budget 0 --out -"));
    assert!(hurried.contains("left out: NHITS, which takes longer than --budget"), "{hurried}");
    assert_eq!(said(&format!("{EXAMPLE} --budget 0 --out - --quiet")), "");
}

#[test]
fn a_page_says_that_there_is_no_season() {
    let out = folder("no_season");
    let file = out.join("short.csv");
    std::fs::write(&file, "unique_id,ds,y\na,1,3\na,2,5\na,3,4\n").unwrap();
    let output = forecast(&format!("{} --horizon 2 --out {}", file.display(), out.display()));
    assert!(text(&output.stdout).contains(", no season"), "{}", text(&output.stdout));
    let page = std::fs::read_to_string(out.join("forecast.html")).unwrap();
    assert!(page.contains("[\"season\",\"none\"]"));
}

#[test]
fn a_level_that_is_no_number_is_told_what_is_wanted() {
    for arguments in ["--level 80 90 examples/air_passengers.csv --horizon 2", "a --level abc"] {
        let output = forecast(arguments);
        assert_eq!(output.status.code(), Some(2));
        let said = text(&output.stderr);
        let wanted = "must be a number of per cent, such as 80; the file comes first";
        assert!(said.contains(wanted) && said.contains("FILE --level 80 90"), "{said}");
    }
}

#[test]
fn the_help_of_the_program_has_examples() {
    let help = text(&whimbrel().arg("--help").output().unwrap().stdout);
    for example in
        ["whimbrel forecast ", "whimbrel fit ", "whimbrel predict ", "whimbrel net train "]
    {
        assert!(help.contains(&format!("  {example}")), "{help}");
    }
}

#[test]
fn what_cannot_be_forecast_is_refused_before_the_work() {
    let refused = |arguments: &str| {
        let output = forecast(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        text(&output.stderr)
    };
    let mqloss = "--model nlinear --max-steps 5 --loss mqloss --out -";
    let sides = refused(&format!("{EXAMPLE} {mqloss} --quantiles 0.1 0.9"));
    assert!(sides.contains("lack the median, which is combined; add 0.5"), "{sides}");
    let columns = forecast(&format!("{EXAMPLE} {mqloss} --quantiles 0.1 0.5 0.9"));
    assert!(
        text(&columns.stdout).starts_with("unique_id,ds,Ensemble,"),
        "{}",
        text(&columns.stderr)
    );

    let file = folder("not_ahead").join("priced.csv");
    let rows: String = (0..60).map(|t| format!("{t},{},{}\n", t % 5, t % 3)).collect();
    std::fs::write(&file, format!("ds,y,price\n{rows}")).unwrap();
    // Also where rules might be chosen, which look at no columns.
    let ahead = refused(&format!("{} --horizon 4 --futr-exog price --out -", file.display()));
    assert!(ahead.contains("column \"price\" is not known ahead"), "{ahead}");
}

#[test]
fn the_demo_needs_no_file() {
    let out = folder("demo");
    let arguments = ["demo", "--quiet", "--out"];
    let output = whimbrel().args(arguments).arg(&out).output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty(), "{}", text(&output.stderr));
    let csv = std::fs::read_to_string(out.join("forecast.csv")).unwrap();
    assert!(csv.contains("AirPassengers,1961-12-31,"), "{csv}");
}

#[test]
fn columns_frequency_and_order_of_the_rows_are_free() {
    let mut rows: Vec<String> = Vec::new();
    for hour in 0..60 {
        for shop in ["b", "a \"c\", d"] {
            let shop = format!("\"{}\"", shop.replace('"', "\"\""));
            rows.push(format!("2024-01-{:02}T{:02}:00,{hour},{shop}", 1 + hour / 24, hour % 24));
        }
    }
    rows.reverse();
    let file = folder("columns").join("shops.csv");
    std::fs::write(&file, format!("\u{feff}when,sold,shop\r\n{}\r\n", rows.join("\r\n"))).unwrap();
    let options = "--horizon 2 --max-steps 10 --id-col shop --time-col when --target-col sold";
    let rows = quick(&format!("{} {options}", file.display()));
    assert_eq!(rows.len(), 5);
    assert_eq!(rows[1][..3], ["\"a \"\"c\"\"", " d\"", "2024-01-03 12:00:00"]);
    assert_eq!(rows[3][..2], ["b", "2024-01-03 12:00:00"]);
    assert_eq!(rows, quick(&format!("{} {options} --freq h", file.display())));
}

#[test]
fn standard_input_is_read_like_a_file() {
    let example = std::fs::File::open(root().join("examples/air_passengers.csv")).unwrap();
    let options = "--horizon 2 --model nlinear --max-steps 5 --out -";
    let arguments = format!("forecast - {options}");
    let piped = whimbrel().args(arguments.split(' ')).stdin(example).output().unwrap();
    assert!(piped.status.success(), "{}", text(&piped.stderr));
    let named = forecast(&format!("examples/air_passengers.csv {options}"));
    assert_eq!(text(&piped.stdout), text(&named.stdout));
    let nothing =
        whimbrel().args(["forecast", "-", "--horizon", "2"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(nothing.status.code(), Some(2));
    assert!(text(&nothing.stderr).starts_with("error: standard input: is empty"));
}

#[test]
fn a_reader_that_closes_early_is_no_error() {
    let mut rows = String::from("unique_id,ds,y\n");
    for (series, t) in (0..3000).flat_map(|series| (0..9).map(move |t| (series, t))) {
        rows += &format!("a rather long name of series number {series},{t},{t}\n");
    }
    let file = folder("pipe").join("many.csv");
    std::fs::write(&file, rows).unwrap();
    let mut command = whimbrel();
    command
        .arg("forecast")
        .arg(&file)
        .args(["--horizon", "3", "--model", "naive", "--out", "-"])
        .arg("--quiet");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
}

#[test]
fn every_instruction_set_gives_the_same_table() {
    let run = |isa: &str| {
        let arguments = format!("forecast {EXAMPLE} --model nlinear --max-steps 200 --out -");
        let output =
            whimbrel().args(arguments.split(' ')).env("WHIMBREL_ISA", isa).output().unwrap();
        (output.status.code() == Some(0)).then(|| text(&output.stdout))
    };
    let column = |table: &str| -> Vec<f32> {
        let rows = table.lines().skip(1);
        rows.map(|row| row.split(',').nth(2).unwrap().parse().unwrap()).collect()
    };
    let portable = column(&run("portable").unwrap());
    for table in ["avx2", "avx512"].iter().filter_map(|isa| run(isa)) {
        for (a, b) in portable.iter().zip(column(&table)) {
            assert!((a - b).abs() < 1.0, "{a} {b}");
        }
    }
}

#[test]
fn help_shows_the_commands_and_an_example() {
    let help = whimbrel().args(["forecast", "--help"]).output().unwrap();
    assert!(help.status.success());
    let help = text(&help.stdout);
    for word in
        ["Examples:", "whimbrel forecast examples/air_passengers.csv --horizon 12", "--freq"]
    {
        assert!(help.contains(word), "{help}");
    }
    assert!(root().join("examples/air_passengers.csv").is_file());
}
