//! Missing inputs, which stand in rows as NaN: they count as the mean of their column over the rows that
//! are learned from.
//!
//! The means are state of the graphs: checkpoints and weights hold them, and predictions fill gaps with
//! the numbers the network learned with.

use super::TrainError;
use crate::NnError;
use whimbrel_graph::ops::Role;
use whimbrel_graph::{Init, Var};

/// The name of the means among the state.
pub(crate) const MEANS: &str = "inputs.mean";

/// Inputs `[feature, batch]` with means in the place of what is missing.
pub(super) fn fill(x: Var) -> Result<Var, NnError> {
    let features = x.shape()[0];
    let means = x.builder().state(MEANS, [features, 1], Init::Zeros, Role::Table)?;
    // NaN alone differs from itself.
    Ok(x.eq(x)?.select(x, means)?)
}

/// The means of columns, gathered row by row.
#[derive(Clone, Debug)]
pub(super) struct Means {
    columns: Vec<(f64, u64)>,
}

impl Means {
    /// No rows yet.
    pub(super) fn new(features: usize) -> Means {
        Means { columns: vec![(0.0, 0); features] }
    }

    /// Adds the inputs of a row.
    pub(super) fn add(&mut self, row: &[f32]) {
        for ((sum, count), &x) in self.columns.iter_mut().zip(row) {
            if !x.is_nan() {
                (*sum, *count) = (*sum + f64::from(x), *count + 1);
            }
        }
    }

    /// The mean of each column.
    pub(super) fn finish(&self) -> Result<Vec<f32>, TrainError> {
        match self.columns.iter().position(|&(_, count)| count == 0) {
            Some(column) => Err(TrainError::Data {
                problem: format!(
                    "input {} has no value in any row that is learned from, and so no mean",
                    column + 1
                ),
                remedy: "leave it out of the inputs",
            }),
            None => {
                Ok(self.columns.iter().map(|&(sum, count)| (sum / count as f64) as f32).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_do_not_count_in_a_mean_and_an_empty_column_has_none() {
        let mut means = Means::new(2);
        for row in [[1.0, f32::NAN], [4.0, f32::NAN], [f32::NAN, f32::NAN]] {
            means.add(&row);
        }
        let message = means.finish().unwrap_err().to_string();
        assert!(message.starts_with("input 2 has no value in any row"), "{message}");
        means.add(&[f32::NAN, -3.0]);
        assert_eq!(means.finish().unwrap(), [2.5, -3.0]);
    }
}
