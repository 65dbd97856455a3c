//! What train and cascade have in common: settings, progress, saving, and the result.

use super::curve::Curve;
use super::unwritten;
use crate::cli::{FannResult, FannSettings};
use crate::command::output::{check_file, talks};
use crate::command::picture::{Picture, draw};
use crate::command::terminal::{print, say};
use crate::failure::Failure;
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::{Duration, Instant};
use whimbrel::fann::{Activation, Network, Random, TrainData};
use whimbrel::replace;

/// The longest time for which the work of a training can be lost.
const BETWEEN_SAVES: Duration = Duration::from_secs(10);
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// Gives a new network functions that suit the outputs it is to learn: FANN's own choice, from 0 to 1, never
/// learns others.
pub fn suit(network: &mut Network<f32>, samples: &TrainData<f32>) {
    let within = |range: RangeInclusive<f32>| samples.outputs().iter().all(|y| range.contains(y));
    network.set_activation_function_hidden(Activation::SigmoidSymmetric);
    network.set_activation_function_output(match () {
        () if within(0.0..=1.0) => Activation::Sigmoid,
        () if within(-1.0..=1.0) => Activation::SigmoidSymmetric,
        () => Activation::Linear,
    });
}

impl FannSettings {
    /// Gives a network the settings that were named.
    pub fn apply(&self, network: &mut Network<f32>) {
        network.set_random(Random::seeded(self.seed));
        if let Some(function) = self.activation_function_hidden {
            network.set_activation_function_hidden(function);
        }
        if let Some(function) = self.activation_function_output {
            network.set_activation_function_output(function);
        }
        if let Some(steepness) = self.activation_steepness_hidden {
            network.set_activation_steepness_hidden(steepness);
        }
        if let Some(steepness) = self.activation_steepness_output {
            network.set_activation_steepness_output(steepness);
        }
        let training = &mut network.training;
        set(&mut training.training_algorithm, self.algorithm);
        set(&mut training.learning_rate, self.learning_rate);
        set(&mut training.learning_momentum, self.learning_momentum);
        set(&mut training.train_error_function, self.train_error_function);
        set(&mut training.train_stop_function, self.stop_function);
        set(&mut training.bit_fail_limit, self.bit_fail_limit);
    }
}

fn set<T>(to: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *to = value;
    }
}

impl FannResult {
    /// Refuses, before the work, files that cannot be written, would replace others or have no known format.
    pub fn check(&self, inputs: &[&Path]) -> Result<(), Failure> {
        check_file("--out", &self.out, inputs, self.force)?;
        let Some(plot) = &self.plot else { return Ok(()) };
        Picture::of(plot)?;
        check_file("--plot", plot, inputs, self.force)
    }

    /// Writes the network and the picture, then prints the result.
    pub fn give(&self, network: &Network<f32>, watch: Watch, fields: Value) -> Result<(), Failure> {
        if watch.talk {
            say("\r\x1b[K");
        }
        save(network, &self.out)?;
        if let Some(path) = &self.plot {
            let failed = |e| Failure::run(format!("{}: cannot be written: {e}", path.display()));
            replace(path, &draw(&watch.curve.chart(), path)?).map_err(failed)?;
        }
        if self.json {
            return print(format_args!("{fields}\n"));
        }
        if self.quiet {
            return Ok(());
        }
        let (mse, off) = (network.mse(), network.bit_fail());
        let count = watch.curve.count();
        let unit = if count == 1 { watch.unit.trim_end_matches('s') } else { watch.unit };
        let missed = match fields["desired_error_reached"] {
            Value::Bool(true) => "",
            _ => ", the desired error is not reached",
        };
        let out = self.out.display();
        print(format_args!(
            "{count} {unit}, mean square error {mse:.6}, {off} outputs off{missed}\n{out}\n"
        ))
    }
}

/// What a training came to, for programs.
pub fn outcome(network: &Network<f32>, count: (&str, u32), reached: bool) -> Value {
    json!({
        count.0: count.1,
        "mse": network.mse(),
        "bit_fail": network.bit_fail(),
        "desired_error_reached": reached,
    })
}

fn save(network: &Network<f32>, path: &Path) -> Result<(), Failure> {
    network.save(path).map_err(unwritten)
}

/// Who watches a training: remembers the error, says how far it is, keeps what was learned.
pub struct Watch<'a> {
    talk: bool,
    out: &'a Path,
    curve: Curve,
    unit: &'static str,
    looked: Instant,
    saved: Instant,
    /// Reports from one look at the clock to the next, and those left: an epoch can be shorter than a look.
    stride: u32,
    left: u32,
}

impl<'a> Watch<'a> {
    /// `unit` is what is counted, such as epochs.
    pub fn new(result: &'a FannResult, unit: &'static str) -> Watch<'a> {
        let now = Instant::now();
        Watch {
            talk: talks(result.quiet || result.json),
            out: &result.out,
            curve: Curve::new(unit),
            unit,
            looked: now,
            saved: now,
            stride: 1,
            left: 1,
        }
    }

    /// Takes note of the network after so many epochs or neurons.
    pub fn see(&mut self, network: &Network<f32>, count: u32, of: u32) -> Result<(), Failure> {
        self.curve.add(count, network.mse());
        self.left -= 1;
        if self.left > 0 {
            return Ok(());
        }
        let since = self.looked.elapsed();
        self.looked = Instant::now();
        self.stride = match since < BETWEEN_LOOKS {
            true => self.stride.saturating_mul(2),
            false => (self.stride / 2).max(1),
        };
        self.left = self.stride;
        if self.talk {
            let (unit, mse, off) = (self.unit, network.mse(), network.bit_fail());
            say(&format!("\r\x1b[K{count} of {of} {unit}, error {mse:.6}, {off} outputs off"));
        }
        if self.saved.elapsed() >= BETWEEN_SAVES {
            save(network, self.out)?;
            self.saved = Instant::now();
        }
        Ok(())
    }
}
