//! Examples: the rows that are learned from, in memory.

use super::{RowForm, TargetForm, TrainError};
use crate::hash::Fnv;

/// Rows of inputs, each with what should be predicted for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Examples {
    features: usize,
    inputs: Vec<f32>,
    targets: Targets,
    /// How much each row counts, where they do not all count alike.
    weights: Option<Vec<f32>>,
}

/// What should be predicted.
#[derive(Clone, Debug, PartialEq)]
pub enum Targets {
    /// Numbers, `width` for each row, row by row.
    Values {
        /// Numbers of a row.
        width: usize,
        /// The numbers.
        values: Vec<f32>,
    },
    /// The right class of each row, from 0.
    Classes(Vec<i32>),
}

impl Targets {
    fn rows(&self) -> usize {
        match self {
            Targets::Values { width, values } => values.len() / (*width).max(1),
            Targets::Classes(classes) => classes.len(),
        }
    }
}

impl Examples {
    /// Rows of `features` inputs each, row by row, and their targets; all numbers are finite.
    pub fn new(
        features: usize,
        inputs: Vec<f32>,
        targets: Targets,
    ) -> Result<Examples, TrainError> {
        match inputs.iter().any(|x| x.is_nan()) {
            true => Err(not_finite()),
            false => Examples::with_missing(features, inputs, targets),
        }
    }

    /// The same with inputs some of which are missing, NaN; see [`fill_missing`].
    ///
    /// [`fill_missing`]: crate::trainer::Trainer::fill_missing
    pub fn with_missing(
        features: usize,
        inputs: Vec<f32>,
        targets: Targets,
    ) -> Result<Examples, TrainError> {
        let data = |problem: String, remedy| Err(TrainError::Data { problem, remedy });
        let rows = targets.rows();
        if features == 0 || rows == 0 {
            let problem = format!("there are {rows} rows of {features} inputs");
            return data(problem, "give at least one of each");
        }
        if rows > u32::MAX as usize {
            return data(format!("there are {rows} rows"), "give fewer than 4294967296");
        }
        let whole = match &targets {
            Targets::Values { width, values } => values.len() == rows * width,
            Targets::Classes(_) => true,
        };
        if inputs.len() != rows * features || !whole {
            let problem = format!("{} inputs do not make {rows} rows of {features}", inputs.len());
            return data(problem, "give as many rows of inputs as of targets");
        }
        let finite = match &targets {
            Targets::Values { values, .. } => values.iter().all(|x| x.is_finite()),
            Targets::Classes(_) => true,
        };
        if !finite || inputs.iter().any(|x| x.is_infinite()) {
            return Err(not_finite());
        }
        Ok(Examples { features, inputs, targets, weights: None })
    }

    /// The same rows, each of which counts as much in the loss as its weight says: a number from 0 on.
    pub fn weighted(self, weights: Vec<f32>) -> Result<Examples, TrainError> {
        let data = |problem: String, remedy| Err(TrainError::Data { problem, remedy });
        if weights.len() != self.rows() {
            let problem = format!("there are {} weights for {} rows", weights.len(), self.rows());
            return data(problem, "give one for each row");
        }
        let fits = |weight: &f32| weight.is_finite() && *weight >= 0.0;
        match weights.iter().position(|weight| !fits(weight)) {
            Some(row) => {
                let problem = format!("the weight of row {} is {}", row + 1, weights[row]);
                data(problem, "give numbers that are not negative")
            }
            None => Ok(Examples { weights: Some(weights), ..self }),
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.targets.rows()
    }

    /// Inputs of a row.
    pub fn features(&self) -> usize {
        self.features
    }

    /// What should be predicted.
    pub fn targets(&self) -> &Targets {
        &self.targets
    }

    /// What a row is.
    pub fn form(&self) -> RowForm {
        let target = match &self.targets {
            Targets::Values { width, .. } => TargetForm::Values { width: *width },
            Targets::Classes(_) => TargetForm::Class,
        };
        RowForm { features: self.features, target, weighted: self.weights.is_some() }
    }

    /// The inputs, row by row.
    pub(super) fn inputs(&self) -> &[f32] {
        &self.inputs
    }

    /// The weights of the rows; none where they all count alike.
    pub(super) fn weights(&self) -> &[f32] {
        self.weights.as_deref().unwrap_or_default()
    }

    /// No rows yet, but room for some.
    pub(super) fn with_capacity(form: RowForm, rows: usize) -> Examples {
        let targets = match form.target {
            TargetForm::Values { width } => {
                Targets::Values { width, values: Vec::with_capacity(rows * width) }
            }
            TargetForm::Class => Targets::Classes(Vec::with_capacity(rows)),
        };
        let inputs = Vec::with_capacity(rows * form.features);
        let weights = form.weighted.then(|| Vec::with_capacity(rows));
        Examples { features: form.features, inputs, targets, weights }
    }

    /// Adds a row of examples of the same form.
    pub(super) fn push(&mut self, other: &Examples, row: usize) {
        self.inputs.extend_from_slice(of_row(&other.inputs, self.features, row));
        match (&mut self.targets, &other.targets) {
            (Targets::Values { width, values }, Targets::Values { values: more, .. }) => {
                values.extend_from_slice(of_row(more, *width, row));
            }
            (Targets::Classes(classes), Targets::Classes(more)) => classes.push(more[row]),
            _ => {}
        }
        if let (Some(weights), Some(more)) = (&mut self.weights, &other.weights) {
            weights.push(more[row]);
        }
    }

    /// Puts a row of examples of the same form in the place of one.
    pub(super) fn replace(&mut self, at: usize, other: &Examples, row: usize) {
        let from = at * self.features;
        let inputs = of_row(&other.inputs, self.features, row);
        self.inputs[from..from + self.features].copy_from_slice(inputs);
        match (&mut self.targets, &other.targets) {
            (Targets::Values { width, values }, Targets::Values { values: more, .. }) => {
                let from = at * *width;
                values[from..from + *width].copy_from_slice(of_row(more, *width, row));
            }
            (Targets::Classes(classes), Targets::Classes(more)) => classes[at] = more[row],
            _ => {}
        }
        if let (Some(weights), Some(more)) = (&mut self.weights, &other.weights) {
            weights[at] = more[row];
        }
    }

    /// Removes a row; the last one takes its place.
    pub(super) fn swap_remove(&mut self, at: usize) {
        let last = self.rows() - 1;
        swap_remove(&mut self.inputs, self.features, at, last);
        match &mut self.targets {
            Targets::Values { width, values } => swap_remove(values, *width, at, last),
            Targets::Classes(classes) => {
                classes.swap_remove(at);
            }
        }
        if let Some(weights) = &mut self.weights {
            weights.swap_remove(at);
        }
    }

    /// A number that tells these examples from others: the hash FNV-1a of all there is to them.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hash = Fnv::new();
        let mut add = |word: u32| hash.bytes(&word.to_le_bytes());
        add(self.features as u32);
        self.inputs.iter().for_each(|x| add(x.to_bits()));
        match &self.targets {
            Targets::Values { values, .. } => values.iter().for_each(|x| add(x.to_bits())),
            Targets::Classes(classes) => classes.iter().for_each(|&class| add(class as u32)),
        }
        self.weights().iter().for_each(|x| add(x.to_bits()));
        hash.value()
    }
}

fn not_finite() -> TrainError {
    let (problem, remedy) = ("a number is not finite".into(), "fill it in, or remove the row");
    TrainError::Data { problem, remedy }
}

/// The numbers of a row.
fn of_row(table: &[f32], width: usize, row: usize) -> &[f32] {
    &table[row * width..(row + 1) * width]
}

fn swap_remove(table: &mut Vec<f32>, width: usize, at: usize, last: usize) {
    table.copy_within(last * width.., at * width);
    table.truncate(last * width);
}

/// Rows of a table as a batch, in which the row is the last axis.
pub(super) fn gather(table: &[f32], width: usize, rows: &[u32], batch: &mut Vec<f32>) {
    batch.resize(width * rows.len(), 0.0);
    for (item, &row) in rows.iter().enumerate() {
        let from = row as usize * width;
        for (column, &x) in table[from..from + width].iter().enumerate() {
            batch[column * rows.len() + item] = x;
        }
    }
}
