//! `whimbrel fann run`.

use super::network;
use crate::cli::RunFann;
use crate::command::terminal::Printer;
use crate::failure::Failure;
use serde_json::json;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use whimbrel::fann::{Network, TrainData};

pub fn run(options: &RunFann) -> Result<(), Failure> {
    let mut network = network(&options.net)?;
    let mut answer = Answer { printer: Printer::new(), json: options.json };
    match options.data.as_deref() {
        Some(path) if path.extension().is_some_and(|ending| ending == "data") => {
            let samples = TrainData::load(path).map_err(Failure::input)?;
            for row in samples.inputs().chunks_exact(samples.num_input().max(1)) {
                let place = || path.display().to_string();
                if !answer.give(&mut network, row, place)? {
                    break;
                }
            }
        }
        Some(path) => {
            let file = File::open(path).map_err(|error| unreadable(path, &error))?;
            lines(&mut answer, &mut network, path, BufReader::new(file))?;
        }
        None => lines(&mut answer, &mut network, Path::new("standard input"), io::stdin().lock())?,
    }
    answer.printer.finish()
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::input(format!("{}: cannot be read: {error}", path.display()))
}

/// Answers line by line, so that another program can ask one by one.
fn lines(
    answer: &mut Answer,
    network: &mut Network<f32>,
    path: &Path,
    input: impl BufRead,
) -> Result<(), Failure> {
    for (number, line) in input.lines().enumerate() {
        let line = line.map_err(|error| unreadable(path, &error))?;
        let place = || format!("{}, line {}", path.display(), number + 1);
        let words = line.split([',', ' ', '\t', ';']).filter(|word| !word.is_empty());
        let row = words
            .map(|word| {
                word.parse()
                    .map_err(|_| Failure::input(format!("{}: {word:?} is no number", place())))
            })
            .collect::<Result<Vec<f32>, Failure>>()?;
        if !row.is_empty() && !answer.give(network, &row, place)? {
            break;
        }
    }
    Ok(())
}

struct Answer {
    printer: Printer,
    json: bool,
}

impl Answer {
    /// Prints the outputs for a row; says whether there is anybody to read more.
    fn give(
        &mut self,
        network: &mut Network<f32>,
        row: &[f32],
        place: impl Fn() -> String,
    ) -> Result<bool, Failure> {
        let mut row = row.to_vec();
        let scaled = network.scaling().is_some();
        let failed = |error| Failure::input(format!("{}: {error}", place()));
        if scaled {
            network.scale_input(&mut row).map_err(failed)?;
        }
        let mut outputs = network.run(&row).map_err(failed)?.to_vec();
        if scaled {
            network.descale_output(&mut outputs).map_err(failed)?;
        }
        match self.json {
            true => self.printer.print(format_args!("{}\n", json!(outputs))),
            false => {
                let texts: Vec<String> = outputs.iter().map(f32::to_string).collect();
                self.printer.print(format_args!("{}\n", texts.join(",")))
            }
        }
    }
}
