//! Trains from a CSV of ten million rows (about 500 MB) and prints rows a second and the peak of
//! resident memory, as the training itself saw it.
//!
//!     cargo build --release -p whimbrel
//!     cargo run --release -p whimbrel --example stream_ten_million -- FOLDER [--threads N]
//!
//! The file is made in FOLDER where it is not there yet; what follows is passed to the training.

use serde_json::Value;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const ROWS: usize = 10_000_000;
const EPOCHS: usize = 2;

const NETWORK: &str = r#"
[data]
file = "large.csv"
target = "y"
validation = 0.01

[[network.layers]]
type = "linear"
out_features = 32
[[network.layers]]
type = "relu"
[[network.layers]]
type = "linear"
out_features = 1

[training]
loss = { type = "mse" }
optimiser = { type = "adam", lr = 0.001 }
epochs = 2
batch_size = 1024
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: stream_ten_million FOLDER [--threads N]")?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let data = folder.join("large.csv");
    if !data.exists() {
        make(&data)?;
    }
    fs::write(folder.join("large.toml"), NETWORK)?;
    if folder.join("large.run").exists() {
        fs::remove_dir_all(folder.join("large.run"))?;
    }
    let example = std::env::current_exe()?;
    let binary = example.ancestors().nth(2).ok_or("no folder of programs")?.join("whimbrel");
    let start = Instant::now();
    let mut command = Command::new(binary);
    command.args(["net", "train"]).arg(folder.join("large.toml")).args(arguments);
    let output = command.arg("--json").stderr(Stdio::inherit()).output()?;
    let seconds = start.elapsed().as_secs_f64();
    let result: Value = serde_json::from_slice(&output.stdout)?;
    let phases = result["monitor"].as_array().ok_or("the training says nothing of its phases")?;
    let peak = phases.iter().filter_map(|phase| phase["peak_bytes"].as_u64()).max();
    println!("{}, {} bytes of CSV", output.status, fs::metadata(&data)?.len());
    println!("{} steps, last epoch {}", result["steps"], result["last_epoch"]);
    println!("{seconds:.1} s, {:.0} rows/s", (EPOCHS * ROWS) as f64 / seconds);
    match peak {
        Some(bytes) => println!("{:.1} MB of resident memory at most", bytes as f64 / 1e6),
        None => println!("the system does not tell the resident memory"),
    }
    Ok(())
}

/// Five columns of numbers and a function of them.
fn make(path: &Path) -> Result<(), Box<dyn Error>> {
    let mut output = BufWriter::with_capacity(1 << 20, File::create(path)?);
    writeln!(output, "a,b,c,d,e,y")?;
    let mut random = 1_u64;
    for _ in 0..ROWS {
        let mut x = [0; 5];
        for x in &mut x {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *x = (random >> 33) % 1_000_000;
        }
        let [a, b, c, d, e] = x.map(|x| x as f64 / 1e6);
        let y = a * b + (c - d).abs() - e * e;
        for x in x {
            write!(output, "0.{x:06},")?;
        }
        writeln!(output, "{y:.6}")?;
    }
    output.flush()?;
    Ok(())
}
