//! Data in every form that `whimbrel forecast` reads, and what lies beside them.

mod support;

use std::path::{Path, PathBuf};
use support::{folder, text, whimbrel};

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
