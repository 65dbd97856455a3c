//! Reads a CSV file of a million rows `unique_id,ds,y` on two threads, and lets pyarrow, polars and
//! pandas do the same in turn; prints the median time of each and how much faster this reader is.
//!
//! `cargo run --release -p whimbrel-data --example csv_speed -- PYTHON [FILE]`
//!
//! PYTHON is an interpreter that has the three packages. The file is made if it is not given.

use std::error::Error;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;
use whimbrel_data::csv::{self, Options};
use whimbrel_data::time;
use whimbrel_threads::Pool;

const ROUNDS: usize = 9;
const THREADS: usize = 2;
const PEERS: [&str; 5] = ["pyarrow", "pyarrow-typed", "polars", "polars-typed", "pandas"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let python = arguments.next().ok_or("usage: csv_speed PYTHON [FILE]")?;
    let file = arguments.next().map_or_else(make_file, |file| Ok(PathBuf::from(file)))?;
    let mut peers = Peers::start(&python, &file)?;
    let pool = Pool::new(THREADS);
    let mut ours = Vec::new();
    let mut theirs = vec![Vec::new(); PEERS.len()];
    // The first round warms caches and is not counted.
    for round in 0..=ROUNDS {
        let start = Instant::now();
        let rows = csv::read_on(&file, &Options::default(), &pool)?.rows();
        let seconds = start.elapsed().as_secs_f64();
        for (peer, times) in theirs.iter_mut().enumerate() {
            let time = peers.read(PEERS[peer], rows)?;
            times.extend((round > 0).then_some(time));
        }
        ours.extend((round > 0).then_some(seconds));
    }
    println!("whimbrel        {:7.1} ms", 1e3 * median(&ours));
    for (peer, times) in PEERS.iter().zip(&theirs) {
        let ratios: Vec<f64> =
            times.iter().zip(&ours).map(|(theirs, ours)| theirs / ours).collect();
        println!("{peer:15} {:7.1} ms  {:5.2}x", 1e3 * median(times), median(&ratios));
    }
    let best: Vec<f64> = (0..ROUNDS)
        .map(|round| theirs.iter().map(|times| times[round]).fold(f64::MAX, f64::min) / ours[round])
        .collect();
    println!("against the best of each round: {:.2}x", median(&best));
    Ok(())
}

/// The other readers, in a process that waits for orders.
struct Peers {
    process: Child,
}

impl Peers {
    fn start(python: &str, file: &Path) -> Result<Peers, Box<dyn Error>> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/csv_peers.py");
        let mut command = Command::new(python);
        command.arg(script).arg(file).arg(THREADS.to_string());
        let process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        Ok(Peers { process })
    }

    /// Seconds in which a peer reads the file; an error if it finds another number of rows.
    fn read(&mut self, name: &str, rows: usize) -> Result<f64, Box<dyn Error>> {
        writeln!(self.process.stdin.as_mut().ok_or("no pipe")?, "{name}")?;
        let mut answer = String::new();
        // One line for each order, so nothing is lost in the buffer.
        BufReader::new(self.process.stdout.as_mut().ok_or("no pipe")?).read_line(&mut answer)?;
        let (seconds, found) = answer.trim().split_once(' ').ok_or("the peers have stopped")?;
        if found.parse() != Ok(rows) {
            return Err(format!("{name} finds {found} rows, not {rows}").into());
        }
        Ok(seconds.parse()?)
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// A thousand series of a thousand days.
fn make_file() -> Result<PathBuf, Box<dyn Error>> {
    const MICROS_PER_DAY: i64 = 86_400_000_000;
    let mut text = String::from("unique_id,ds,y\n");
    let mut random = 1_u64;
    for series in 0..1000 {
        for day in 0..1000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let y = (random >> 40) as f64 / 65_536.0;
            let date = time::format((10_957 + day) * MICROS_PER_DAY);
            writeln!(text, "series_{series:04},{date},{y:.4}")?;
        }
    }
    let file = std::env::temp_dir().join("whimbrel_csv_speed.csv");
    std::fs::write(&file, text)?;
    Ok(file)
}
