//! Gathers and scatters on every instruction set against the definition.

use super::*;
use crate::check::isas;
use proptest::prelude::*;

proptest! {
    #[test]
    fn rows_become_items(rows in 1usize..20, features in 0usize..40, picks in proptest::collection::vec(any::<u32>(), 0..40)) {
        let table: Vec<f32> = (0..rows * features).map(|i| i as f32).collect();
        let index: Vec<i32> = picks.iter().map(|p| (*p as usize % rows) as i32).collect();
        let items = index.len();
        let mut beside = vec![0.0; features * items];
        take_rows(&table, features, &index, &mut beside).unwrap();
        for isa in isas() {
            let mut dst = vec![-1.0; features * items];
            gather_rows_on(isa, &table, features, &index, &mut dst).unwrap();
            for (item, row) in index.iter().enumerate() {
                for f in 0..features {
                    prop_assert_eq!(dst[f * items + item], table[*row as usize * features + f]);
                    prop_assert_eq!(beside[item * features + f], dst[f * items + item]);
                }
            }
        }
    }

    #[test]
    fn windows_become_items(len in 0usize..100, length in 0usize..40, picks in proptest::collection::vec(any::<u32>(), 0..40)) {
        prop_assume!(length <= len);
        let series: Vec<f32> = (0..len).map(|i| i as f32).collect();
        let start: Vec<i32> = picks.iter().map(|p| (*p as usize % (len - length + 1)) as i32).collect();
        for isa in isas() {
            let mut dst = vec![-1.0; length * start.len()];
            gather_windows_on(isa, &series, length, &start, &mut dst).unwrap();
            for (item, start) in start.iter().enumerate() {
                for step in 0..length {
                    prop_assert_eq!(dst[step * picks.len() + item], (*start as usize + step) as f32);
                }
            }
        }
    }

    #[test]
    fn scattering_adds_items_in_ascending_order(rows in 1usize..6, features in 0usize..40, picks in proptest::collection::vec(any::<u32>(), 0..140)) {
        let index: Vec<i32> = picks.iter().map(|p| (*p as usize % rows) as i32).collect();
        let items = index.len();
        let value = |f: usize, item: usize| (picks[item] >> 7) as f32 * 1e-3 + f as f32 * 0.37;
        let lanes: Vec<f32> = (0..features * items).map(|i| value(i / items, i % items)).collect();
        let rows_first: Vec<f32> = (0..features * items).map(|i| value(i % features, i / features)).collect();
        let mut expected = vec![0.5; rows * features];
        for (item, row) in index.iter().enumerate() {
            for f in 0..features {
                expected[*row as usize * features + f] += value(f, item);
            }
        }
        for isa in isas() {
            let mut table = vec![0.5; rows * features];
            scatter_add_on(isa, &lanes, features, &index, &mut table).unwrap();
            prop_assert_eq!(&table, &expected);
        }
        let mut table = vec![0.5; rows * features];
        scatter_add_rows(&rows_first, features, &index, &mut table).unwrap();
        prop_assert_eq!(&table, &expected);
    }
}

#[test]
fn indices_outside_the_table_are_errors_that_name_them() {
    let (table, mut dst) = ([1.0; 6], [9.0; 4]);
    let error = gather_rows(&table, 2, &[2, 3], &mut dst).unwrap_err();
    assert_eq!(error, OutOfRange { at: 1, index: 3, places: 3 });
    assert!(error.to_string().contains("index 3 at position 1"), "{error}");
    assert!(gather_rows(&table, 2, &[-1, 0], &mut dst).is_err());
    assert!(gather_windows(&table, 4, &[3], &mut dst).is_err());
    assert!(gather_windows(&table[..2], 4, &[0], &mut dst).is_err());
    assert!(take_rows(&table, 2, &[0, i32::MIN], &mut dst).is_err());
    assert!(scatter_add(&[0.0; 2], 2, &[3], &mut [0.0; 6]).is_err());
    assert_eq!(dst, [9.0; 4]);
}
