//! Batch: rows side by side, as the graphs take them.

use super::examples::gather;
use super::{Examples, RowForm, TargetForm, Targets};

/// Rows side by side: inputs `[feature, row]`, and targets `[value, row]` or the class of each row.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub rows: usize,
    pub inputs: Vec<f32>,
    pub targets: Targets,
    /// How much each row counts; empty where they all count alike.
    pub weights: Vec<f32>,
}

impl Batch {
    /// No rows yet.
    pub(super) fn new(form: RowForm) -> Batch {
        let targets = match form.target {
            TargetForm::Values { width } => Targets::Values { width, values: Vec::new() },
            TargetForm::Class => Targets::Classes(Vec::new()),
        };
        Batch { rows: 0, inputs: Vec::new(), targets, weights: Vec::new() }
    }

    /// Takes rows of examples.
    pub(super) fn gather(&mut self, examples: &Examples, rows: &[u32]) {
        self.rows = rows.len();
        gather(examples.inputs(), examples.features(), rows, &mut self.inputs);
        match (&mut self.targets, examples.targets()) {
            (Targets::Values { values, .. }, Targets::Values { width, values: all }) => {
                gather(all, *width, rows, values);
            }
            (Targets::Classes(classes), Targets::Classes(all)) => {
                classes.clear();
                classes.extend(rows.iter().map(|&row| all[row as usize]));
            }
            _ => {}
        }
        self.weights.clear();
        if let all @ [_, ..] = examples.weights() {
            self.weights.extend(rows.iter().map(|&row| all[row as usize]));
        }
    }

    /// Makes room for `rows` rows of a form, which [`set`](Batch::set) fills.
    pub(super) fn resize(&mut self, form: RowForm, rows: usize) {
        self.rows = rows;
        self.inputs.resize(rows * form.features, 0.0);
        match &mut self.targets {
            Targets::Values { width, values } => values.resize(rows * *width, 0.0),
            Targets::Classes(classes) => classes.resize(rows, 0),
        }
        self.weights.resize(if form.weighted { rows } else { 0 }, 1.0);
    }

    /// Puts a row of examples at `item`.
    pub(super) fn set(&mut self, item: usize, examples: &Examples, row: usize) {
        spread(&mut self.inputs, self.rows, item, examples.inputs(), examples.features(), row);
        match (&mut self.targets, examples.targets()) {
            (Targets::Values { values, .. }, Targets::Values { width, values: all }) => {
                spread(values, self.rows, item, all, *width, row);
            }
            (Targets::Classes(classes), Targets::Classes(all)) => classes[item] = all[row],
            _ => {}
        }
        if let (Some(weight), Some(&of_row)) =
            (self.weights.get_mut(item), examples.weights().get(row))
        {
            *weight = of_row;
        }
    }

    /// How much the rows count together.
    pub(super) fn weight(&self) -> f64 {
        match self.weights.is_empty() {
            true => self.rows as f64,
            false => self.weights.iter().map(|&weight| f64::from(weight)).sum(),
        }
    }
}

/// Puts a row of a table into a column of a batch.
fn spread(batch: &mut [f32], rows: usize, item: usize, table: &[f32], width: usize, row: usize) {
    let from = &table[row * width..(row + 1) * width];
    batch[item..].iter_mut().step_by(rows).zip(from).for_each(|(to, &x)| *to = x);
}
