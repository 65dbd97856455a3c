//! Which rows are learned from and which validate.

use super::order::{Purpose, reorder};
use super::{Examples, Targets};
use std::collections::BTreeMap;

/// Rows by what they are for, each in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Split {
    pub learn: Vec<u32>,
    pub validate: Vec<u32>,
}

impl Split {
    /// Keeps `share` of the rows for validation; of classes the same share of each.
    pub(super) fn of(examples: &Examples, share: f64, seed: u64) -> Split {
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
        split
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_gives_the_same_share() {
        let classes: Vec<i32> = (0..100).map(|row| i32::from(row % 10 == 0)).collect();
        let examples = Examples::new(1, vec![0.0; 100], Targets::Classes(classes)).unwrap();
        let split = Split::of(&examples, 0.2, 1);
        assert_eq!(split.validate.iter().filter(|&&row| row % 10 == 0).count(), 2);
        assert_eq!(split.validate.len(), 20);
        let mut all = [split.learn, split.validate].concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..100));
    }
}
