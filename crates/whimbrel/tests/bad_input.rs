//! What is said about input and usage that cannot be served: the message, the remedy, the exit code.

mod support;

use support::{folder, forecast, root, text, whimbrel};

/// Runs on a file with this content and expects a refusal that says all of `says`.
fn refused(name: &str, content: &[u8], options: &str, says: &[&str]) {
    let folder = folder(&format!("bad_{name}"));
    let (file, out) = (folder.join("in.csv"), folder.join("out.csv"));
    std::fs::write(&file, content).unwrap();
    let output = forecast(&format!(
        "{} --horizon 2 --model nlinear --max-steps 5 --out {} {options}",
        file.display(),
        out.display()
    ));
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{name}: {message}");
    assert!(output.stdout.is_empty() && !out.exists(), "{name}: output was touched");
    for part in says {
        assert!(message.contains(part), "{name}: {message:?} lacks {part:?}");
    }
    assert!(message.starts_with("error: ") && !message.contains("panicked"), "{name}: {message}");
}

/// Days of January 2024 with a value each, after a header.
fn days(values: &[(&str, &str)]) -> Vec<u8> {
    let rows = values.iter().map(|(day, y)| format!("a,2024-01-{day},{y}\n"));
    format!("unique_id,ds,y\n{}", rows.collect::<String>()).into_bytes()
}

#[test]
fn files_that_are_not_csv_are_named_with_line_and_remedy() {
    refused("empty", b"", "", &["in.csv: is empty; the first line must name the columns"]);
    refused("no_rows", b"unique_id,ds,y\n", "", &["in.csv: has a header but no rows"]);
    refused(
        "utf16",
        b"\xff\xfeu\0n\0i",
        "",
        &["is UTF-16 text that is cut short within the character at byte 6; copy it again"],
    );
    refused(
        "latin1",
        b"unique_id,ds,y\ncaf\xe9,1,2\n",
        "",
        &["in.csv:2, column \"unique_id\": is not UTF-8 text (byte 0xe9)", "save the file"],
    );
    refused("duplicate", b"unique_id,ds,y,y\n", "", &["in.csv:1: two columns are called \"y\""]);
    refused(
        "ragged",
        b"unique_id,ds,y\na,1,2\na,2\n",
        "",
        &["in.csv:3: has 2 fields, the header names 3; complete the row"],
    );
    refused("quote", b"unique_id,ds,y\n\"a,1,2\n", "", &["in.csv:2: a quote opens here"]);
    refused("after_quote", b"unique_id,ds,y\n\"a\"b,1,2\n", "", &["in.csv:2: text follows"]);
    refused(
        "missing_column",
        b"unique_id,ds,Y\na,1,2\n",
        "",
        &["in.csv:1: there is no column \"y\"", "did you mean \"Y\"?", "help: --id-col"],
    );
    refused(
        "semicolons",
        b"unique_id;ds;y\na;1;2\n",
        "",
        &["there is no column \"unique_id\"", "by commas, not semicolons"],
    );
    refused("other_column", b"unique_id,ds,y\n", "--target-col z", &["no column \"z\""]);
}

#[test]
fn fields_that_cannot_be_used_are_named_with_their_column() {
    let number = |y: &str| days(&[("01", "1"), ("02", y)]);
    let place = "in.csv:3, column \"y\": ";
    let cases = [
        ("word", "many", "\"many\" is not a number; write it like 1234.5"),
        ("comma", "\"1,5\"", "\"1,5\" is not a number"),
        ("blank", "", "series \"a\" has no value at 2024-01-02; write it, or have it filled"),
        ("nan", "NaN", "series \"a\" has no value at 2024-01-02"),
        ("infinite", "-inf", "\"-inf\" is not a finite number; fill it in"),
        ("huge", "1e39", "\"1e39\" is beyond 1e30; divide the whole column"),
    ];
    for (name, y, says) in cases {
        refused(name, &number(y), "", &[&format!("{place}{says}")]);
    }
    refused(
        "date",
        b"unique_id,ds,y\na,31/02/2024,2\n",
        "",
        &["in.csv:2, column \"ds\": \"31/02/2024\" is not a time; write dates like 2024-01-31"],
    );
    refused("no_date", b"unique_id,ds,y\na,,2\n", "", &["in.csv:2, column \"ds\": is empty"]);
    refused("no_id", b"unique_id,ds,y\n,1,2\n", "", &["column \"unique_id\": is empty"]);
    refused(
        "mixed",
        b"unique_id,ds,y\na,2024-01-01,2\nb,5,2\n",
        "",
        &["in.csv:3, column \"ds\": whole numbers among dates; use one kind"],
    );
}

#[test]
fn time_axes_with_holes_are_named_with_series_and_remedy() {
    refused(
        "twice",
        &days(&[("01", "1"), ("02", "2"), ("01", "3")]),
        "",
        &["in.csv:4, column \"ds\": series \"a\" already has a row for 2024-01-01, in line 2"],
    );
    let gap = days(&[("01", "1"), ("02", "2"), ("03", "3"), ("05", "5")]);
    refused(
        "gap",
        &gap,
        "",
        &[
            "in.csv:5, column \"ds\": series \"a\": 2024-01-05 follows 2024-01-03",
            "at frequency D 2024-01-04 does; add the missing row,",
            "help: --fill",
        ],
    );
    let daily = days(&[("01", "1"), ("02", "2"), ("03", "3")]);
    refused("other_frequency", &daily, "--freq MS", &["frequency MS 2024-02-01 does"]);
    refused(
        "integer_frequency",
        &daily,
        "--freq 1",
        &["frequency 1 does not fit times that are dates"],
    );
    refused("one_row", &days(&[("01", "1")]), "", &["no series has two rows", "help: --freq"]);
    refused(
        "last_day",
        b"unique_id,ds,y\na,9999-12-28,1\na,9999-12-29,2\na,9999-12-30,2\na,9999-12-31,2\n",
        "--input-size 2",
        &["series \"a\" ends at 9999-12-31; the forecast would leave the calendar"],
    );
}

#[test]
fn a_series_of_one_row_is_named() {
    refused(
        "one_row",
        &days(&[("01", "1")]),
        "--freq D",
        &["no series is long enough to learn from: two rows are needed", "(\"a\") has 1"],
    );
}

#[test]
fn usage_errors_name_the_option() {
    for (arguments, says) in [
        ("forecast", "required arguments were not provided"),
        ("forecast a.csv", "--horizon <N>"),
        ("forecast a.csv --horizon 0", "invalid value '0' for '--horizon <N>'"),
        ("forecast a.csv --horizon -3", "'-3' for '--horizon <N>': must be a whole number from 1"),
        ("forecast a.csv --horizon 1 --seed -1", "'-1' for '--seed <N>': must be a whole number"),
        ("forecast a.csv --horizon 1 --budget -1", "must be a number of seconds, 0 or more"),
        ("forecast a.csv --horizon 1 --budget nan", "must be a number of seconds, 0 or more"),
        (
            "forecast examples/air_passengers.csv --horizon 1 --level -5",
            "level -5: must be above 0 and below 100",
        ),
        (
            "cv examples/air_passengers.csv --horizon 1 --model naive --level -5",
            "level -5: must be above 0 and below 100",
        ),
        ("forecast a.csv --horizon 99999999999999999999", "for '--horizon <N>'"),
        ("forecast a.csv --horizon 1 --windows-batch-size 0", "for '--windows-batch-size <N>'"),
        ("forecast a.csv --horizon 1 --threads 0", "for '--threads <N>'"),
        ("forecast a.csv --horizon 1 --max-steps x", "for '--max-steps <N>'"),
        ("forecast a.csv --horizon 1 --freq fortnight", "\"fortnight\" is not a frequency"),
        ("forecast a.csv --horizon 1 --model oracle", "the models are mlp, dlinear, nlinear, rnn"),
        ("forecast a.csv --horizon 1 --nope", "unexpected argument '--nope'"),
        ("foretell", "unrecognized subcommand 'foretell'"),
        ("", "Usage: whimbrel <COMMAND>"),
        ("forecast no/such.csv --horizon 1", "no/such.csv: cannot be read: No such file"),
        ("forecast examples --horizon 1", "examples: cannot be read: "),
        (
            "forecast examples/air_passengers.csv --horizon 2 --model nlinear --learning-rate 0",
            "learning rate 0: must be a positive number",
        ),
        (
            "forecast examples/air_passengers.csv --horizon 2 --model nlinear --learning-rate nan",
            "learning rate NaN",
        ),
        (
            "forecast examples/air_passengers.csv --horizon 2 --model nlinear --windows-batch-size 1000000000",
            "batch size 1000000000: windows",
        ),
        (
            "forecast examples/air_passengers.csv --horizon 1000000000",
            "horizon 1000000000: is too large",
        ),
        ("forecast examples/air_passengers.csv --horizon 1 --max-steps 9", "--model <NAME>"),
        (
            "forecast examples/air_passengers.csv --horizon 1 --model naive --level 100",
            "level 100: must be above 0 and below 100",
        ),
        (
            "forecast examples/air_passengers.csv --horizon 1 --out ./examples/air_passengers.csv",
            "is a file; name a folder",
        ),
    ] {
        let output = whimbrel().args(arguments.split_whitespace()).output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
        assert!(message.contains(says), "{arguments}: {message:?} lacks {says:?}");
        assert!(output.stdout.is_empty(), "{arguments}");
    }
    let intact = std::fs::read_to_string(root().join("examples/air_passengers.csv")).unwrap();
    assert_eq!(intact.lines().count(), 145);
}

#[test]
fn an_instruction_set_the_machine_lacks_is_refused() {
    let arguments = ["forecast", "examples/air_passengers.csv", "--horizon", "1"];
    let output = whimbrel().args(arguments).env("WHIMBREL_ISA", "mmx").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("error: WHIMBREL_ISA=mmx: not one of portable"));
}

#[test]
fn a_number_of_threads_that_is_none_is_refused() {
    let run = |threads: &str| {
        let arguments = ["cv", "examples/air_passengers.csv", "--horizon", "1", "--model", "naive"];
        let output = whimbrel().args(arguments).env("WHIMBREL_THREADS", threads).output().unwrap();
        (output.status.code(), text(&output.stderr))
    };
    for threads in ["abc", "0", "-1", "1.5"] {
        let (code, message) = run(threads);
        let says = format!("error: WHIMBREL_THREADS={threads}: must be a whole number");
        assert!(code == Some(2) && message.starts_with(&says), "{message}");
    }
    for threads in ["2", " 1 ", "5000", ""] {
        assert_eq!(run(threads), (Some(0), String::new()), "{threads:?}");
    }
}

#[test]
fn a_model_that_was_asked_for_and_takes_too_long_is_an_error() {
    let output =
        forecast("examples/air_passengers.csv --horizon 2 --model nhits --budget 0 --out -");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("help: --budget says"), "{message}");
}

#[test]
fn a_run_that_fails_ends_with_one() {
    // Of a single step, the weights tell and not the loss.
    for steps in [200, 1] {
        let diverges = "--horizon 2 --model nlinear --learning-rate 3e38";
        let out = folder("diverged").join("nothing");
        let out_dir = out.display();
        let output = forecast(&format!(
            "examples/air_passengers.csv {diverges} --max-steps {steps} --out {out_dir}"
        ));
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("training diverged") && message.contains("help: --learning-rate"));
        assert!(output.stdout.is_empty() && !out.exists());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let arguments = "forecast examples/air_passengers.csv --horizon 1 --model naive --out -";
    let output = whimbrel().args(arguments.split(' ')).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("standard output: cannot be written: No space left"));
}
