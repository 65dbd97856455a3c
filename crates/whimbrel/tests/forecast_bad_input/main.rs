//! Files of series that cannot be used: the message names the place and the remedy, the exit code is 2, and
//! nothing is written.

mod beside;
mod series;
#[path = "../support/mod.rs"]
mod support;

use beside::{BESIDE, WIDE};
use series::{FIELDS, FILES, TIMES};
use support::{folder, forecast, text, whimbrel};

/// A file that is refused.
struct Case {
    name: &'static str,
    /// The file of the series.
    series: &'static [u8],
    /// The file of the future or of static numbers, where the options name it as `OTHER`.
    other: &'static [u8],
    options: &'static str,
    /// What the message says.
    says: &'static [&'static str],
}

const fn case(
    name: &'static str,
    series: &'static [u8],
    options: &'static str,
    says: &'static [&'static str],
) -> Case {
    Case { name, series, other: b"", options, says }
}

/// Four days, with a column that may be known ahead.
const DAYS: &[u8] = b"unique_id,ds,y,price\na,2024-01-01,1,5\na,2024-01-02,2,6\na,2024-01-03,3,7\n\
a,2024-01-04,4,8\n";

/// `forecast.csv` and `forecast.html` of an earlier run.
const EARLIER: [&str; 2] = [
    "unique_id,ds,Ensemble\na,2024-01-05,5\n",
    include_str!("../../../forecast/src/page/page.html"),
];

/// Runs every case: exit code 2, all that the message shall say, and nothing written.
fn refuse(cases: &[Case]) {
    let mut wrong = Vec::new();
    for Case { name, series, other, options, says } in cases {
        let folder = folder(&format!("refused_{name}"));
        let [file, beside, out] = ["in.csv", "other.csv", "out"].map(|name| folder.join(name));
        let results = ["forecast.csv", "forecast.html"].map(|name| out.join(name));
        std::fs::create_dir_all(&out).unwrap();
        // Ours, so that only the refusal keeps them.
        results.iter().zip(EARLIER).for_each(|(path, text)| std::fs::write(path, text).unwrap());
        std::fs::write(&file, series).unwrap();
        std::fs::write(&beside, other).unwrap();
        let mut options = options.replace("OTHER", &beside.display().to_string());
        if !options.contains("--horizon") {
            options += " --horizon 2";
        }
        let model = if options.contains("--model") { "" } else { "--model nlinear" };
        let output = forecast(&format!(
            "{} {model} --max-steps 3 --out {} {options}",
            file.display(),
            out.display()
        ));
        let message = text(&output.stderr);
        let told = message.starts_with("error: ") && says.iter().all(|part| message.contains(part));
        let earlier = results.iter().zip(EARLIER);
        let intact = std::fs::read(&file).unwrap() == *series
            && std::fs::read_dir(&out).unwrap().count() == results.len()
            && earlier
                .into_iter()
                .all(|(path, text)| std::fs::read_to_string(path).unwrap() == text);
        if output.status.code() != Some(2) || !told || !intact || !output.stdout.is_empty() {
            let code = output.status.code();
            wrong.push(format!(
                "{name}: {code:?}, untouched {intact}: {message}\n  lacks one of {says:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn files_that_are_no_tables_are_refused() {
    refuse(FILES);
}

#[test]
fn fields_that_are_no_values_are_refused() {
    refuse(FIELDS);
}

#[test]
fn times_that_are_no_axis_are_refused() {
    refuse(TIMES);
}

#[test]
fn wide_files_that_cannot_be_used_are_refused() {
    refuse(WIDE);
}

#[test]
fn what_is_not_known_beside_the_series_is_refused() {
    refuse(BESIDE);
}

#[test]
fn no_output_replaces_a_file_that_is_read() {
    let folder = folder("refused_out");
    let [series, other] = ["in.csv", "forecast.csv"].map(|name| folder.join(name));
    let future = "unique_id,ds,price\na,2024-01-05,1\n";
    std::fs::write(&series, DAYS).unwrap();
    std::fs::write(&other, future).unwrap();
    let options = format!("--horizon 1 --model mlp --max-steps 1 --future {}", other.display());
    let output =
        forecast(&format!("{} {options} --out {} --force", series.display(), folder.display()));
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("forecast.csv: is an input file; name another"));
    assert_eq!(std::fs::read_to_string(&other).unwrap(), future);
}

#[test]
fn names_that_no_file_can_have_are_refused_before_the_work() {
    let folder = folder("refused_names");
    let long = "x".repeat(300);
    for (name, says) in
        [("made/", "names a folder; name a file in it"), (&long[..], "cannot be written there")]
    {
        let save = format!("{}/{name}", folder.display());
        let mut command = whimbrel();
        command.args(["fit", "no/such.csv", "--horizon", "1", "--save", &save]);
        let output = command.output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(says), "{message}");
    }
}

#[test]
fn models_that_look_at_no_columns_are_not_fitted_with_some() {
    let folder = folder("refused_fit");
    let [series, save] = ["in.csv", "model.safetensors"].map(|name| folder.join(name));
    std::fs::write(&series, DAYS).unwrap();
    let mut command = whimbrel();
    command.arg("fit").arg(&series).arg("--save").arg(&save);
    command.args(["--horizon", "1", "--model", "nlinear", "--hist-exog", "price"]);
    let output = command.output().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(
        message.contains("NLinear looks at no exogenous columns, but --hist-exog"),
        "{message}"
    );
    assert!(!save.exists());
}
