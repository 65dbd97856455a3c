//! Streams a CSV file and prints rows, seconds and the peak of resident memory:
//! `cargo run --release -p whimbrel-data --example csv_stream -- FILE`

use std::time::Instant;
use whimbrel_data::csv::{Options, Stream};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: csv_stream FILE")?;
    let start = Instant::now();
    let mut rows = 0;
    for table in Stream::open(&file, &Options::default())? {
        rows += table?.rows();
    }
    println!("{rows} rows in {:.2} s", start.elapsed().as_secs_f64());
    // Linux only; elsewhere nothing is printed.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    Ok(())
}
