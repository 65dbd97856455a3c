//! Scatter-add: the gradient of a gather. Rows that are hit several times receive their items in
//! ascending order, whatever the instruction set.

use super::{OutOfRange, check};
use crate::copy::eight_rows;
use crate::simd::{Isa, Kernel, Simd, run_on};
use crate::sizes::elements;

/// Features transposed at a time.
const STRIP: usize = 64;

/// `table[index[item], feature] += src[feature, item]`, items in ascending order.
///
/// # Panics
/// When `src` has another length than features times items.
pub fn scatter_add(
    src: &[f32],
    features: usize,
    index: &[i32],
    table: &mut [f32],
) -> Result<(), OutOfRange> {
    scatter_add_on(Isa::current(), src, features, index, table)
}

/// [`scatter_add`] on a given instruction set.
///
/// # Panics
/// As [`scatter_add`].
pub fn scatter_add_on(
    isa: Isa,
    src: &[f32],
    features: usize,
    index: &[i32],
    table: &mut [f32],
) -> Result<(), OutOfRange> {
    let items = index.len();
    assert_eq!(src.len(), elements([features, items]), "scatter-add: src is not [features, items]");
    if features == 0 {
        return Ok(());
    }
    check(index, table.len() / features)?;
    // Strips of the lane layout are turned into rows of 8 features by `items`.
    let mut strip = [0.0f32; 8 * STRIP];
    for first in (0..features).step_by(8) {
        let height = (features - first).min(8);
        for item in (0..items).step_by(STRIP) {
            let count = (items - item).min(STRIP);
            let row = |i: usize| src[(first + i.min(height - 1)) * items + item..].as_ptr();
            let rows = std::array::from_fn(row);
            // SAFETY: `height` rows have `count` elements from `item` on; the strip has room.
            unsafe { eight_rows(isa, &rows, height, count, strip.as_mut_ptr(), 8) };
            for (row, &i) in strip.chunks_exact(8).zip(&index[item..item + count]) {
                let at = i as usize * features + first;
                for (sum, x) in table[at..at + height].iter_mut().zip(row) {
                    *sum += x;
                }
            }
        }
    }
    Ok(())
}

/// `table[index[item], feature] += src[item, feature]`, items in ascending order.
///
/// # Panics
/// When `src` has another length than items times features.
pub fn scatter_add_rows(
    src: &[f32],
    features: usize,
    index: &[i32],
    table: &mut [f32],
) -> Result<(), OutOfRange> {
    assert_eq!(
        src.len(),
        elements([features, index.len()]),
        "scatter-add: src is not [items, features]"
    );
    if features == 0 {
        return Ok(());
    }
    check(index, table.len() / features)?;
    for (row, &i) in src.chunks_exact(features).zip(index) {
        let first = i as usize * features;
        run_on(Isa::current(), AddRow(row, &mut table[first..first + features]));
    }
    Ok(())
}

struct AddRow<'a>(&'a [f32], &'a mut [f32]);

impl Kernel for AddRow<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (src, dst) = (self.0.as_ptr(), self.1.as_mut_ptr());
        for at in (0..self.1.len()).step_by(S::LANES) {
            let n = S::LANES.min(self.1.len() - at);
            // SAFETY: both slices have the same length.
            unsafe {
                let sum = s.add(s.load_first(dst.add(at), n), s.load_first(src.add(at), n));
                s.store_first(dst.add(at), n, sum);
            }
        }
    }
}
