//! Copies on every instruction set against the definition.

use super::*;
use crate::check::isas;
use proptest::prelude::*;

/// The definition, index by index.
fn reference(
    sizes: &[usize],
    src: &[f32],
    src_steps: &[usize],
    dst: &mut [f32],
    dst_steps: &[usize],
) {
    let count: usize = sizes.iter().product();
    for i in 0..count {
        let (mut rest, mut from, mut to) = (i, 0, 0);
        for axis in (0..sizes.len()).rev() {
            let place = rest % sizes[axis];
            rest /= sizes[axis];
            from += place * src_steps[axis];
            to += place * dst_steps[axis];
        }
        dst[to] = src[from];
    }
}

fn steps(sizes: &[usize], order: &[usize], gap: usize) -> (Vec<usize>, usize) {
    let mut steps = vec![0; sizes.len()];
    let mut next = 1;
    for (k, &axis) in order.iter().rev().enumerate() {
        steps[axis] = next;
        next *= sizes[axis];
        if k == 0 {
            next += gap;
        }
    }
    (steps, next.max(1))
}

proptest! {
    #[test]
    fn any_permutation_slice_or_repetition_is_copied(
        sizes in proptest::collection::vec(prop_oneof![1usize..4, 7usize..19], 0..5),
        shuffle in proptest::collection::vec(any::<u32>(), 5),
        gaps in (0usize..3, 0usize..3),
        repeat in any::<bool>(),
    ) {
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|axis| shuffle[*axis]);
        let (mut src_steps, src_len) = steps(&sizes, &order, gaps.0);
        let natural: Vec<usize> = (0..sizes.len()).collect();
        let (dst_steps, dst_len) = steps(&sizes, &natural, gaps.1);
        if repeat && !sizes.is_empty() {
            src_steps[shuffle[4] as usize % sizes.len()] = 0;
        }
        let src: Vec<f32> = (0..src_len).map(|i| i as f32).collect();
        let mut expected = vec![-1.0; dst_len];
        reference(&sizes, &src, &src_steps, &mut expected, &dst_steps);
        for isa in isas() {
            let mut dst = vec![-1.0; dst_len];
            strided_copy_on(isa, &sizes, &src, &src_steps, &mut dst, &dst_steps);
            prop_assert_eq!(&dst, &expected, "{:?}", isa);
        }
    }

    #[test]
    fn transposing_twice_changes_nothing(rows in 0usize..150, cols in 0usize..40) {
        let src: Vec<f32> = (0..rows * cols).map(|i| i as f32).collect();
        for isa in isas() {
            let (mut once, mut twice) = (vec![-1.0; src.len()], vec![-1.0; src.len()]);
            transpose_on(isa, rows, cols, &src, &mut once);
            for (i, x) in once.iter().enumerate() {
                prop_assert_eq!(*x, src[i % rows * cols + i / rows]);
            }
            transpose_on(isa, cols, rows, &once, &mut twice);
            prop_assert_eq!(&src, &twice);
        }
    }
}

#[test]
fn axes_both_sides_walk_as_one_are_merged() {
    let mut axes = [Axis::default(); RANK];
    assert_eq!(merge(&[4, 1, 5, 6], &[30, 9, 6, 1], &[30, 9, 6, 1], &mut axes), 1);
    assert_eq!(axes[0], Axis { size: 120, src: 1, dst: 1 });
}

#[test]
#[should_panic(expected = "falls outside")]
fn a_copy_past_the_end_is_refused() {
    strided_copy(&[3], &[1.0; 3], &[1], &mut [0.0; 2], &[1]);
}

#[test]
fn slices_are_copied_whole_wherever_they_begin() {
    let src: Vec<f32> = (0..3000).map(|i| i as f32).collect();
    for (from, to, n) in [(0, 0, 0), (1, 0, 1), (3, 1, 255), (0, 5, 257), (1, 2, 2500)] {
        let mut dst = vec![-1.0; 3000];
        copy(&src[from..from + n], &mut dst[to..to + n]);
        assert_eq!(dst[to..to + n], src[from..from + n]);
        assert!(dst[..to].iter().chain(&dst[to + n..]).all(|&x| x == -1.0));
    }
}

proptest! {
    #[test]
    fn rows_that_lie_anywhere_become_columns(
        starts in prop::collection::vec(0usize..40, 0..40),
        cols in 0usize..30,
        gap in 0usize..5,
    ) {
        let values: Vec<f32> = (0..70).map(|i| i as f32).collect();
        let rows: Vec<&[f32]> = starts.iter().map(|&start| &values[start..start + cols]).collect();
        let dst_row = rows.len() + gap;
        for isa in isas() {
            let mut dst = vec![-1.0; cols * dst_row];
            columns_on(isa, &rows, &mut dst, dst_row);
            for (c, dst) in dst.chunks(dst_row.max(1)).enumerate() {
                let (made, left) = dst.split_at(rows.len());
                prop_assert!(made.iter().zip(&rows).all(|(x, row)| *x == row[c]));
                prop_assert!(left.iter().all(|x| *x == -1.0));
            }
        }
    }
}

#[test]
#[should_panic(expected = "an element falls outside")]
fn columns_beyond_their_slice_are_refused() {
    columns(&[&[1.0, 2.0], &[3.0, 4.0]], &mut [0.0; 3], 2);
}
