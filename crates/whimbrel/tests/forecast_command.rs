//! `whimbrel forecast` on good input.

mod support;

use std::process::Stdio;
use support::{folder, forecast, root, text, whimbrel};

const EXAMPLE: &str = "examples/air_passengers.csv --horizon 12";

#[test]
fn the_example_is_forecast_as_an_aligned_table() {
    let output = forecast(EXAMPLE);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "progress is for terminals");
    let table = text(&output.stdout);
    let lines: Vec<&str> = table.lines().collect();
    let words = |line: &str| line.split_whitespace().map(String::from).collect::<Vec<_>>();
    assert_eq!(words(lines[0]), ["unique_id", "ds", "NLinear", "Naive", "SeasonalNaive", "Theta"]);
    assert_eq!(lines.len(), 13);
    assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{table}");
    let dates: Vec<_> = lines[1..].iter().map(|line| words(line)[1].clone()).collect();
    assert_eq!((&*dates[0], &*dates[1], &*dates[11]), ("1961-01-31", "1961-02-28", "1961-12-31"));
    assert_eq!(words(lines[1])[3..5], ["432.00", "417.00"]);
    for line in &lines[1..] {
        let value: f32 = words(line)[2].parse().unwrap();
        assert!((300.0..800.0).contains(&value), "{line}");
    }
}

#[test]
fn the_result_depends_on_the_seed_but_not_on_the_threads() {
    let run = |arguments: &str| {
        let output = forecast(&format!("{EXAMPLE} --max-steps 300 {arguments}"));
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let one = run("--threads 1");
    assert_eq!(one, run("--threads 2"));
    assert_eq!(one, run("--threads 3"));
    assert_ne!(one, run("--threads 1 --seed 2"));
}

#[test]
fn out_writes_the_same_forecast_as_csv() {
    let out = folder("out").join("forecast.csv");
    let arguments = format!("{EXAMPLE} --max-steps 50 --out {}", out.display());
    let loud = forecast(&arguments);
    assert!(loud.status.success(), "{}", text(&loud.stderr));
    assert_eq!(text(&loud.stdout).lines().count(), 13);
    let csv = std::fs::read_to_string(&out).unwrap();
    assert_eq!(csv.lines().next(), Some("unique_id,ds,NLinear,Naive,SeasonalNaive,Theta"));
    assert_eq!(csv.lines().count(), 13);
    assert!(csv.lines().nth(1).unwrap().starts_with("AirPassengers,1961-01-31,"));

    std::fs::remove_file(&out).unwrap();
    let quiet = forecast(&format!("{arguments} --quiet"));
    assert!(quiet.status.success() && quiet.stdout.is_empty() && quiet.stderr.is_empty());
    assert_eq!(std::fs::read_to_string(&out).unwrap(), csv);
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
    let output = forecast(&format!("{} {options}", file.display()));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    let starts = ["unique_id", "a \\\"c\\\", d  2024-01-03 12:00:00", "a \\\"c", "b ", "b "];
    assert_eq!(table.lines().count(), starts.len(), "{table}");
    for (line, start) in table.lines().zip(starts) {
        assert!(line.starts_with(start), "{table}");
    }
    let hourly = forecast(&format!("{} {options} --freq h", file.display()));
    assert_eq!(text(&hourly.stdout), table);
}

#[test]
fn standard_input_is_read_like_a_file() {
    let example = std::fs::File::open(root().join("examples/air_passengers.csv")).unwrap();
    let arguments = "forecast - --horizon 2 --max-steps 5".split(' ');
    let piped = whimbrel().args(arguments).stdin(example).output().unwrap();
    assert!(piped.status.success(), "{}", text(&piped.stderr));
    let named = forecast("examples/air_passengers.csv --horizon 2 --max-steps 5");
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
    command.arg("forecast").arg(&file).args(["--horizon", "3", "--max-steps", "1"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
}

#[test]
fn every_instruction_set_gives_the_same_table() {
    let run = |isa: &str| {
        let arguments = format!("forecast {EXAMPLE} --max-steps 200");
        let output =
            whimbrel().args(arguments.split(' ')).env("WHIMBREL_ISA", isa).output().unwrap();
        (output.status.code() == Some(0)).then(|| text(&output.stdout))
    };
    let column = |table: &str| -> Vec<f32> {
        let rows = table.lines().skip(1);
        rows.map(|row| row.split_whitespace().nth(2).unwrap().parse().unwrap()).collect()
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
