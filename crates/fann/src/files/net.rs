//! Network files, `.net`: version 2.0 and 2.1 in floating point, 2.0 in fixed point, as libfann 2.2 writes them.
//!
//! A file is a list of settings in a fixed order, then layer sizes, scaling, a record for each neuron and a
//! record for each connection.

use super::Description;
use super::number::{Number, plain};
use super::scan::Scanner;
use super::version_1;
use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::network::Network;
use crate::parameters::{
    Algorithm, CascadeParameters, ErrorFunction, NetworkType, StopFunction, TrainParameters,
};
use crate::real::Real;
use crate::scaling::{Scaling, SideScaling};
use std::fmt::Write;
use std::path::Path;

pub(super) const NEURONS: &str = "neurons (num_inputs, activation_function, activation_steepness)=";
pub(super) const CONNECTIONS: &str = "connections (connected_to_neuron, weight)=";

impl<T: Real> Network<T> {
    /// Reads a network from a `.net` file.
    ///
    /// # Errors
    /// FANN's: the file cannot be opened, has a version unknown, lacks a setting, or describes no network.
    pub fn load(path: impl AsRef<Path>) -> Result<Network<T>> {
        let path = path.as_ref();
        Network::from_bytes(&path.display().to_string(), &super::read(path)?)
    }

    /// Reads a network from the bytes of a `.net` file, which errors call `file`.
    ///
    /// # Errors
    /// As [`Network::load`].
    pub fn from_bytes(file: &str, mut bytes: &[u8]) -> Result<Network<T>> {
        Network::from_front(file, &mut bytes)
    }

    /// Reads a network from the front of bytes, which are cut down to those behind it.
    ///
    /// # Errors
    /// As [`Network::load`].
    pub fn from_front(file: &str, bytes: &mut &[u8]) -> Result<Network<T>> {
        // Both number types read the same text; the wider one loses nothing on the way.
        let described = parse::<f64>(file, bytes)?;
        convert::<T>(described).network(file)
    }

    /// Writes the network to a `.net` file that libfann reads.
    ///
    /// # Errors
    /// [`Error::CantOpenConfigW`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        super::write(path.as_ref(), &self.to_text())
    }

    /// The text of the network's `.net` file.
    pub fn to_text(&self) -> String {
        print(&convert_back(Description::of(self)))
    }
}

/// The same description in another number type.
fn convert<T: Real>(d: Description<f64>) -> Description<T> {
    d.map(T::of)
}

fn convert_back<T: Real>(d: Description<T>) -> Description<f64> {
    d.map(T::f64)
}

impl<V: Copy> Description<V> {
    /// The description with every number of the network's type replaced.
    pub fn map<W>(self, f: impl Fn(V) -> W) -> Description<W> {
        let (t, c) = (self.training, self.cascade);
        Description {
            decimal_point: self.decimal_point,
            network_type: self.network_type,
            connection_rate: self.connection_rate,
            training: TrainParameters {
                bit_fail_limit: f(t.bit_fail_limit),
                training_algorithm: t.training_algorithm,
                learning_rate: t.learning_rate,
                learning_momentum: t.learning_momentum,
                train_error_function: t.train_error_function,
                train_stop_function: t.train_stop_function,
                quickprop_decay: t.quickprop_decay,
                quickprop_mu: t.quickprop_mu,
                rprop_increase_factor: t.rprop_increase_factor,
                rprop_decrease_factor: t.rprop_decrease_factor,
                rprop_delta_min: t.rprop_delta_min,
                rprop_delta_max: t.rprop_delta_max,
                rprop_delta_zero: t.rprop_delta_zero,
                sarprop_weight_decay_shift: t.sarprop_weight_decay_shift,
                sarprop_step_error_threshold_factor: t.sarprop_step_error_threshold_factor,
                sarprop_step_error_shift: t.sarprop_step_error_shift,
                sarprop_temperature: t.sarprop_temperature,
                sarprop_epoch: t.sarprop_epoch,
            },
            cascade: CascadeParameters {
                weight_multiplier: f(c.weight_multiplier),
                candidate_limit: f(c.candidate_limit),
                activation_steepnesses: c.activation_steepnesses.into_iter().map(&f).collect(),
                output_change_fraction: c.output_change_fraction,
                output_stagnation_epochs: c.output_stagnation_epochs,
                candidate_change_fraction: c.candidate_change_fraction,
                candidate_stagnation_epochs: c.candidate_stagnation_epochs,
                max_out_epochs: c.max_out_epochs,
                min_out_epochs: c.min_out_epochs,
                max_cand_epochs: c.max_cand_epochs,
                min_cand_epochs: c.min_cand_epochs,
                activation_functions: c.activation_functions,
                num_candidate_groups: c.num_candidate_groups,
            },
            scaling: self.scaling,
            sizes: self.sizes,
            functions: self.functions,
            steepness: self.steepness.into_iter().map(&f).collect(),
            counts: self.counts,
            sources: self.sources,
            weights: self.weights.into_iter().map(&f).collect(),
        }
    }
}

/// A scanner that turns what is missing into FANN's errors.
pub(super) struct Reader<'a> {
    pub scanner: Scanner<'a>,
    pub file: &'a str,
}

impl Reader<'_> {
    pub fn bad(&self, parameter: &str) -> Error {
        Error::CantReadConfig { parameter: parameter.into(), file: self.file.into() }
    }

    /// What stands before records. Where it is missing, libfann goes on to the records and fails on those,
    /// but for the end of the file.
    fn heading(&mut self, text: &str, records: impl FnOnce(String) -> Error) -> Result<()> {
        let missing = |r: &Self| match r.scanner.left() {
            0 => r.bad(text),
            _ => records(r.file.into()),
        };
        self.scanner.literal(text).ok_or_else(|| missing(self))
    }

    /// `name=value` and the line's end.
    fn setting<V>(
        &mut self,
        name: &str,
        scan: impl FnOnce(&mut Scanner<'_>) -> Option<V>,
    ) -> Result<V> {
        let found = self.scanner.literal(name).and_then(|()| self.scanner.literal("="));
        let value = found.and_then(|()| scan(&mut self.scanner)).ok_or_else(|| self.bad(name))?;
        self.scanner.space();
        Ok(value)
    }

    fn float(&mut self, name: &str) -> Result<f32> {
        self.setting(name, f32::scan)
    }

    fn count(&mut self, name: &str) -> Result<u32> {
        self.setting(name, |scanner| scanner.unsigned())
    }

    fn code<C>(&mut self, name: &str, from_code: impl FnOnce(u32) -> Option<C>) -> Result<C> {
        self.setting(name, |scanner| scanner.unsigned().and_then(from_code))
    }

    /// `name=` and as many values.
    fn list<V>(
        &mut self,
        name: &str,
        count: usize,
        mut scan: impl FnMut(&mut Scanner<'_>) -> Option<V>,
    ) -> Result<Vec<V>> {
        let found = self.scanner.literal(name).and_then(|()| self.scanner.literal("="));
        found.ok_or_else(|| self.bad(name))?;
        let mut values = Vec::with_capacity(count.min(self.scanner.left()));
        for _ in 0..count {
            values.push(scan(&mut self.scanner).ok_or_else(|| self.bad(name))?);
            self.scanner.space();
        }
        self.scanner.space();
        Ok(values)
    }
}

/// Reads a file of numbers of this type, and cuts the bytes down to those behind it.
pub(super) fn parse<V: Number>(file: &str, bytes: &mut &[u8]) -> Result<Description<V>> {
    let mut reader = Reader { scanner: Scanner::new(bytes), file };
    let wrong = || Error::WrongConfigVersion { file: file.into() };
    reader.scanner.literal(V::KIND).ok_or_else(wrong)?;
    let described = match reader.scanner.literal("1.1\n") {
        Some(()) => version_1::parse(&mut reader)?,
        None => version_2(&mut reader)?,
    };
    let left = reader.scanner.left();
    *bytes = &bytes[bytes.len() - left..];
    Ok(described)
}

fn version_2<V: Number>(reader: &mut Reader<'_>) -> Result<Description<V>> {
    let wrong = |reader: &Reader<'_>| Error::WrongConfigVersion { file: reader.file.into() };
    let version = reader.scanner.literal("2.1\n").or_else(|| reader.scanner.literal("2.0\n"));
    version.ok_or_else(|| wrong(reader))?;
    let decimal_point = match V::KIND {
        i32::KIND => reader.setting("decimal_point", |s| s.unsigned().filter(|n| *n < 31))?,
        _ => 0,
    };
    let num_layers = reader.setting("num_layers", |s| s.unsigned().filter(|n| *n >= 2))?;
    let mut d = settings::<V>(reader)?;
    d.decimal_point = decimal_point;
    d.sizes =
        reader.list("layer_sizes", num_layers as usize, |s| s.unsigned().map(|n| n as usize))?;
    if d.sizes
        .iter()
        .try_fold(0usize, |sum, n| sum.checked_add(*n))
        .is_none_or(|n| n > i32::MAX as usize)
    {
        return Err(reader.bad("layer_sizes"));
    }
    if V::KIND != i32::KIND && reader.scanner.literal("scale_included=").is_some() {
        let included = reader.scanner.unsigned();
        reader.scanner.space();
        if included == Some(1) {
            d.scaling = Some(Box::new(scaling(reader, &d)?));
        }
    }
    neurons(reader, &mut d)?;
    connections(reader, &mut d, ", ")?;
    Ok(d)
}

fn settings<V: Number>(r: &mut Reader<'_>) -> Result<Description<V>> {
    let learning_rate = r.float("learning_rate")?;
    let connection_rate = r.float("connection_rate")?;
    let network_type = r.code("network_type", NetworkType::from_code)?;
    let mut training = TrainParameters::with_limit(V::default());
    training.learning_rate = learning_rate;
    training.learning_momentum = r.float("learning_momentum")?;
    training.training_algorithm = r.code("training_algorithm", Algorithm::from_code)?;
    training.train_error_function = r.code("train_error_function", ErrorFunction::from_code)?;
    training.train_stop_function = r.code("train_stop_function", StopFunction::from_code)?;
    let output_change_fraction = r.float("cascade_output_change_fraction")?;
    training.quickprop_decay = r.float("quickprop_decay")?;
    training.quickprop_mu = r.float("quickprop_mu")?;
    training.rprop_increase_factor = r.float("rprop_increase_factor")?;
    training.rprop_decrease_factor = r.float("rprop_decrease_factor")?;
    training.rprop_delta_min = r.float("rprop_delta_min")?;
    training.rprop_delta_max = r.float("rprop_delta_max")?;
    training.rprop_delta_zero = r.float("rprop_delta_zero")?;
    let mut cascade = CascadeParameters {
        output_change_fraction,
        output_stagnation_epochs: r.count("cascade_output_stagnation_epochs")?,
        candidate_change_fraction: r.float("cascade_candidate_change_fraction")?,
        candidate_stagnation_epochs: r.count("cascade_candidate_stagnation_epochs")?,
        max_out_epochs: r.count("cascade_max_out_epochs")?,
        min_out_epochs: r.count("cascade_min_out_epochs")?,
        max_cand_epochs: r.count("cascade_max_cand_epochs")?,
        min_cand_epochs: r.count("cascade_min_cand_epochs")?,
        num_candidate_groups: r.count("cascade_num_candidate_groups")?,
        candidate_limit: V::default(),
        weight_multiplier: V::default(),
        activation_functions: Vec::new(),
        activation_steepnesses: Vec::new(),
    };
    training.bit_fail_limit = r.setting("bit_fail_limit", V::scan)?;
    cascade.candidate_limit = r.setting("cascade_candidate_limit", V::scan)?;
    cascade.weight_multiplier = r.setting("cascade_weight_multiplier", V::scan)?;
    let count = r.count("cascade_activation_functions_count")? as usize;
    let function = |s: &mut Scanner<'_>| s.unsigned().and_then(Activation::from_code);
    cascade.activation_functions = r.list("cascade_activation_functions", count, function)?;
    let count = r.count("cascade_activation_steepnesses_count")? as usize;
    cascade.activation_steepnesses = r.list("cascade_activation_steepnesses", count, V::scan)?;
    Ok(Description::empty(network_type, connection_rate, training, cascade))
}

impl<V> Description<V> {
    /// A description without layers.
    pub fn empty(
        network_type: NetworkType,
        connection_rate: f32,
        training: TrainParameters<V>,
        cascade: CascadeParameters<V>,
    ) -> Description<V> {
        Description {
            decimal_point: 0,
            network_type,
            connection_rate,
            training,
            cascade,
            scaling: None,
            sizes: Vec::new(),
            functions: Vec::new(),
            steepness: Vec::new(),
            counts: Vec::new(),
            sources: Vec::new(),
            weights: Vec::new(),
        }
    }
}

fn scaling<V>(r: &mut Reader<'_>, d: &Description<V>) -> Result<Scaling> {
    let bias = usize::from(d.network_type == NetworkType::Layer);
    let inputs = d.sizes.first().map_or(0, |n| n.saturating_sub(1));
    let outputs = d.sizes.last().map_or(0, |n| n.saturating_sub(bias));
    let mut side = |side: &str, width: usize| {
        let mut list = |what: &str| r.list(&format!("scale_{what}_{side}"), width, f32::scan);
        Ok(SideScaling {
            mean: list("mean")?,
            deviation: list("deviation")?,
            new_min: list("new_min")?,
            factor: list("factor")?,
        })
    };
    Ok(Scaling { input: side("in", inputs)?, output: side("out", outputs)? })
}

fn neurons<V: Number>(r: &mut Reader<'_>, d: &mut Description<V>) -> Result<()> {
    r.heading(NEURONS, |file| Error::CantReadNeuron { file })?;
    let total: usize = d.sizes.iter().sum();
    for _ in 0..total {
        let mut record = || {
            r.scanner.literal("(")?;
            let count = r.scanner.unsigned()?;
            r.scanner.literal(", ")?;
            let function = r.scanner.unsigned().and_then(Activation::from_code)?;
            r.scanner.literal(", ")?;
            let steepness = V::scan(&mut r.scanner)?;
            r.scanner.literal(") ")?;
            Some((count, function, steepness))
        };
        let (count, function, steepness) =
            record().ok_or_else(|| Error::CantReadNeuron { file: r.file.into() })?;
        d.counts.push(count);
        d.functions.push(function);
        d.steepness.push(steepness);
    }
    Ok(())
}

/// The connections, whose records have `between` their two numbers.
pub(super) fn connections<V: Number>(
    r: &mut Reader<'_>,
    d: &mut Description<V>,
    between: &str,
) -> Result<()> {
    let total: u64 = d.counts.iter().map(|count| u64::from(*count)).sum();
    if between == ", " {
        r.heading(CONNECTIONS, |file| Error::CantReadConnections { file })?;
    }
    for _ in 0..total {
        let mut record = || {
            r.scanner.literal("(")?;
            let source = r.scanner.unsigned()?;
            r.scanner.literal(between)?;
            let weight = V::scan(&mut r.scanner)?;
            r.scanner.literal(") ")?;
            Some((source, weight))
        };
        let (source, weight) =
            record().ok_or_else(|| Error::CantReadConnections { file: r.file.into() })?;
        d.sources.push(source);
        d.weights.push(weight);
    }
    Ok(())
}

/// The text of a file.
pub(super) fn print<V: Number>(d: &Description<V>) -> String {
    let mut text = String::new();
    let is_fixed = V::KIND == i32::KIND;
    let version = if is_fixed { "2.0" } else { "2.1" };
    // Writing to a string cannot fail.
    let _ = print_settings(d, is_fixed, version, &mut text);
    let _ = print_network(d, is_fixed, &mut text);
    text
}

fn print_settings<V: Number>(
    d: &Description<V>,
    is_fixed: bool,
    version: &str,
    out: &mut String,
) -> std::fmt::Result {
    let (t, c) = (&d.training, &d.cascade);
    writeln!(out, "{}{version}", V::KIND)?;
    if is_fixed {
        writeln!(out, "decimal_point={}", d.decimal_point)?;
    }
    writeln!(out, "num_layers={}", d.sizes.len())?;
    writeln!(out, "learning_rate={}", plain(t.learning_rate))?;
    writeln!(out, "connection_rate={}", plain(d.connection_rate))?;
    writeln!(out, "network_type={}", d.network_type.code())?;
    writeln!(out, "learning_momentum={}", plain(t.learning_momentum))?;
    writeln!(out, "training_algorithm={}", t.training_algorithm.code())?;
    writeln!(out, "train_error_function={}", t.train_error_function.code())?;
    writeln!(out, "train_stop_function={}", t.train_stop_function.code())?;
    writeln!(out, "cascade_output_change_fraction={}", plain(c.output_change_fraction))?;
    writeln!(out, "quickprop_decay={}", plain(t.quickprop_decay))?;
    writeln!(out, "quickprop_mu={}", plain(t.quickprop_mu))?;
    writeln!(out, "rprop_increase_factor={}", plain(t.rprop_increase_factor))?;
    writeln!(out, "rprop_decrease_factor={}", plain(t.rprop_decrease_factor))?;
    writeln!(out, "rprop_delta_min={}", plain(t.rprop_delta_min))?;
    writeln!(out, "rprop_delta_max={}", plain(t.rprop_delta_max))?;
    writeln!(out, "rprop_delta_zero={}", plain(t.rprop_delta_zero))?;
    writeln!(out, "cascade_output_stagnation_epochs={}", c.output_stagnation_epochs)?;
    writeln!(out, "cascade_candidate_change_fraction={}", plain(c.candidate_change_fraction))?;
    writeln!(out, "cascade_candidate_stagnation_epochs={}", c.candidate_stagnation_epochs)?;
    writeln!(out, "cascade_max_out_epochs={}", c.max_out_epochs)?;
    writeln!(out, "cascade_min_out_epochs={}", c.min_out_epochs)?;
    writeln!(out, "cascade_max_cand_epochs={}", c.max_cand_epochs)?;
    writeln!(out, "cascade_min_cand_epochs={}", c.min_cand_epochs)?;
    writeln!(out, "cascade_num_candidate_groups={}", c.num_candidate_groups)?;
    writeln!(out, "bit_fail_limit={}", t.bit_fail_limit.print())?;
    writeln!(out, "cascade_candidate_limit={}", c.candidate_limit.print())?;
    writeln!(out, "cascade_weight_multiplier={}", c.weight_multiplier.print())?;
    writeln!(out, "cascade_activation_functions_count={}", c.activation_functions.len())?;
    print_list(out, "cascade_activation_functions", &c.activation_functions, |f| {
        f.code().to_string()
    })?;
    writeln!(out, "cascade_activation_steepnesses_count={}", c.activation_steepnesses.len())?;
    print_list(out, "cascade_activation_steepnesses", &c.activation_steepnesses, |x| x.print())
}

fn print_list<V>(
    out: &mut String,
    name: &str,
    values: &[V],
    print: impl Fn(&V) -> String,
) -> std::fmt::Result {
    write!(out, "{name}=")?;
    values.iter().try_for_each(|value| write!(out, "{} ", print(value)))?;
    writeln!(out)
}

fn print_network<V: Number>(
    d: &Description<V>,
    is_fixed: bool,
    out: &mut String,
) -> std::fmt::Result {
    print_list(out, "layer_sizes", &d.sizes, usize::to_string)?;
    if !is_fixed {
        writeln!(out, "scale_included={}", u8::from(d.scaling.is_some()))?;
        for (name, side) in d.scaling.iter().flat_map(|s| [("in", &s.input), ("out", &s.output)]) {
            let lists = [&side.mean, &side.deviation, &side.new_min, &side.factor];
            for (what, list) in ["mean", "deviation", "new_min", "factor"].into_iter().zip(lists) {
                print_list(out, &format!("scale_{what}_{name}"), list, |x| plain(*x))?;
            }
        }
    }
    write!(out, "{NEURONS}")?;
    for ((count, function), steepness) in d.counts.iter().zip(&d.functions).zip(&d.steepness) {
        write!(out, "({count}, {}, {}) ", function.code(), steepness.print())?;
    }
    write!(out, "\n{CONNECTIONS}")?;
    for (source, weight) in d.sources.iter().zip(&d.weights) {
        write!(out, "({source}, {}) ", weight.print())?;
    }
    writeln!(out)
}
