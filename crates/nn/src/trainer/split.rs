//! Which rows are learned from and which validate.

use super::order::{Purpose, reorder};
use super::{Examples, Targets, TrainError};
use std::collections::BTreeMap;

/// Rows by what they are for, each in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Split {
    pub learn: Vec<u32>,
    pub validate: Vec<u32>,
}

impl Split {
    /// Keeps `share` of the rows for validation; of classes the same share of each.
    pub(super) fn of(examples: &Examples, share: f64, seed: u64) -> Result<Split, TrainError> {
        let mut groups: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
        for row in 0..examples.rows() {
            let group = match examples.targets() {
                Targets::Classes(classes) => classes[row],
                Targets::Values { .. } => 0,
            };
            groups.entry(group).or_default().push(row as u32);
        }
        let mut split = Split { learn: Vec::new(), validate: Vec::new() };
        for mut rows in groups.into_values() {
            reorder(&mut rows, seed, Purpose::Split);
            let kept = (rows.len() as f64 * share).round() as usize;
            split.learn.extend_from_slice(&rows[kept..]);
            split.validate.extend_from_slice(&rows[..kept]);
        }
        split.learn.sort_unstable();
        split.validate.sort_unstable();
        let lacking = split.learn.is_empty() || (share > 0.0 && split.validate.is_empty());
        match lacking {
            true => Err(TrainError::Data {
                problem: format!(
                    "of {} rows a validation of {share} leaves {} to learn from and {} to validate",
                    examples.rows(),
                    split.learn.len(),
                    split.validate.len()
                ),
                remedy: "change the share, or give more rows",
            }),
            false => Ok(split),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_gives_the_same_share() {
        let classes: Vec<i32> = (0..100).map(|row| i32::from(row % 10 == 0)).collect();
        let examples = Examples::new(1, vec![0.0; 100], Targets::Classes(classes)).unwrap();
        let split = Split::of(&examples, 0.2, 1).unwrap();
        assert_eq!(split.validate.iter().filter(|&&row| row % 10 == 0).count(), 2);
        assert_eq!(split.validate.len(), 20);
        let mut all = [split.learn, split.validate].concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..100));
    }

    #[test]
    fn a_split_that_leaves_nothing_is_refused() {
        let values = Targets::Values { width: 1, values: vec![0.0; 2] };
        let examples = Examples::new(1, vec![0.0; 2], values).unwrap();
        assert!(Split::of(&examples, 0.1, 1).is_err());
        assert!(Split::of(&examples, 0.9, 1).is_err());
        assert!(Split::of(&examples, 0.5, 1).is_ok());
    }
}
