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

#[cfg(test)]
mod tests {
    use super::elements;

    #[test]
    fn elements_are_counted_or_refused() {
        assert_eq!(elements([3, 0, 5]), 0);
        assert_eq!(elements([3, 4, 5]), 60);
        assert!(std::panic::catch_unwind(|| elements([1 << 33, 1 << 31])).is_err());
    }
}
