//! Sizes multiplied where the answer vouches for memory: what overflows is refused, in every build.

/// Elements of an array of these sizes.
///
/// # Panics
/// When there are more than can be counted.
#[inline]
#[track_caller]
pub(crate) fn elements<const N: usize>(sizes: [usize; N]) -> usize {
    let counted = sizes.iter().try_fold(1_usize, |all, size| all.checked_mul(*size));
    counted.unwrap_or_else(|| panic!("more elements than can be counted: {sizes:?}"))
}

/// Elements that indices below these sizes reach over with these steps; 0 where there are no indices.
///
/// # Panics
/// When there are more than can be counted.
#[inline]
#[track_caller]
pub(crate) fn reach(axes: impl Iterator<Item = (usize, usize)> + Clone) -> usize {
    if axes.clone().any(|(size, _)| size == 0) {
        return 0;
    }
    let last = |(size, step): (usize, usize)| (size - 1).checked_mul(step);
    let reach = axes.clone().try_fold(1_usize, |so_far, axis| so_far.checked_add(last(axis)?));
    reach.unwrap_or_else(|| {
        panic!("steps beyond what can be counted: {:?}", axes.collect::<Vec<_>>())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reach_is_counted_or_refused() {
        assert_eq!(reach([(3, 10), (2, 1)].into_iter()), 22);
        assert_eq!(reach([(3, 10), (0, 1)].into_iter()), 0);
        assert_eq!(reach([].into_iter()), 1);
        let wrapping = [(2, 1000), (2, 1000_usize.wrapping_neg())];
        assert!(std::panic::catch_unwind(|| reach(wrapping.into_iter())).is_err());
    }

    #[test]
    fn elements_are_counted_or_refused() {
        assert_eq!(elements([3, 0, 5]), 0);
        assert_eq!(elements([3, 4, 5]), 60);
        assert!(std::panic::catch_unwind(|| elements([1 << 33, 1 << 31])).is_err());
    }
}
