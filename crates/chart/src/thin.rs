//! Fewer points where more would not be seen: of those that share a column of the picture, the first,
//! the lowest, the highest and the last.

/// The points of a line from left to right that are worth drawing, with columns of width `column`.
pub fn thin(points: &[(f64, f64)], column: f64) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for same in points.chunk_by(|a, b| (a.0 / column).floor() == (b.0 / column).floor()) {
        let by_height = |&a: &usize, &b: &usize| same[a].1.total_cmp(&same[b].1);
        let indices = || 0..same.len();
        let (low, high) = (indices().min_by(by_height), indices().max_by(by_height));
        let mut chosen: Vec<usize> =
            [Some(0), low, high, same.len().checked_sub(1)].into_iter().flatten().collect();
        chosen.sort_unstable();
        chosen.dedup();
        kept.extend(chosen.into_iter().map(|index| same[index]));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_stay_and_the_order_too() {
        let wave = |i: usize| (i as f64 * 0.001, ((i * 7919) % 1000) as f64);
        let many: Vec<_> = (0..10_000).map(wave).collect();
        let few = thin(&many, 1.0);
        assert!(few.len() <= 40, "{}", few.len());
        assert!(few.iter().any(|p| p.1 == 999.0) && few.iter().any(|p| p.1 == 0.0));
        assert!(few.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!((few.first(), few.last()), (many.first(), many.last()));
    }

    #[test]
    fn points_of_their_own_columns_all_stay() {
        let points = [(0.0, 1.0), (1.0, 5.0), (2.0, 3.0)];
        assert_eq!(thin(&points, 1.0), points);
        assert_eq!(thin(&[], 1.0), []);
    }
}
