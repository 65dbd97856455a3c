//! Gathers of rows into the lanes of a batch, and their gradient, the scatter-add.
//!
//! Indices are checked before anything is read or written: one outside the table is an error,
//! and the target is then left as it was.

mod scatter;

pub use scatter::{scatter_add, scatter_add_on, scatter_add_rows};

use crate::copy::eight_rows;
use crate::simd::Isa;
use crate::sizes::elements;

/// An index points outside its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// Position of the index.
    pub at: usize,
    /// The index.
    pub index: i32,
    /// How many places there are.
    pub places: usize,
}

impl std::fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let OutOfRange { at, index, places } = self;
        write!(f, "index {index} at position {at} is outside 0..{places}")
    }
}

impl std::error::Error for OutOfRange {}

/// Finds the first index outside `0..places`.
pub fn check(index: &[i32], places: usize) -> Result<(), OutOfRange> {
    // As unsigned numbers negative indices are the largest.
    let outside = |&i: &i32| i as u32 as usize >= places;
    match index.iter().position(outside) {
        Some(at) => Err(OutOfRange { at, index: index[at], places }),
        None => Ok(()),
    }
}

/// `dst[feature, item] = table[index[item], feature]`: rows as the items of a batch.
///
/// # Panics
/// When `dst` has another length than features times items.
pub fn gather_rows(
    table: &[f32],
    features: usize,
    index: &[i32],
    dst: &mut [f32],
) -> Result<(), OutOfRange> {
    gather_rows_on(Isa::current(), table, features, index, dst)
}

/// [`gather_rows`] on a given instruction set.
///
/// # Panics
/// As [`gather_rows`].
pub fn gather_rows_on(
    isa: Isa,
    table: &[f32],
    features: usize,
    index: &[i32],
    dst: &mut [f32],
) -> Result<(), OutOfRange> {
    assert_eq!(
        dst.len(),
        elements([features, index.len()]),
        "gather: dst is not [features, items]"
    );
    if features == 0 {
        return Ok(());
    }
    check(index, table.len() / features)?;
    // SAFETY: every row lies inside the table, dst has features * items elements.
    unsafe { into_lanes(isa, table.as_ptr(), features, features, index, dst) };
    Ok(())
}

/// `dst[step, item] = series[start[item] + step]` for `step < length`: windows of a long series
/// as the items of a batch.
///
/// # Panics
/// When `dst` has another length than `length` times items.
pub fn gather_windows(
    series: &[f32],
    length: usize,
    start: &[i32],
    dst: &mut [f32],
) -> Result<(), OutOfRange> {
    gather_windows_on(Isa::current(), series, length, start, dst)
}

/// [`gather_windows`] on a given instruction set.
///
/// # Panics
/// As [`gather_windows`].
pub fn gather_windows_on(
    isa: Isa,
    series: &[f32],
    length: usize,
    start: &[i32],
    dst: &mut [f32],
) -> Result<(), OutOfRange> {
    assert_eq!(dst.len(), elements([length, start.len()]), "gather: dst is not [length, items]");
    check(start, (series.len() + 1).saturating_sub(length))?;
    // SAFETY: every window lies inside the series, dst has length * items elements.
    unsafe { into_lanes(isa, series.as_ptr(), length, 1, start, dst) };
    Ok(())
}

/// `dst[item, feature] = table[index[item], feature]`: rows side by side.
///
/// # Panics
/// When `dst` has another length than items times features.
pub fn take_rows(
    table: &[f32],
    features: usize,
    index: &[i32],
    dst: &mut [f32],
) -> Result<(), OutOfRange> {
    assert_eq!(
        dst.len(),
        elements([features, index.len()]),
        "gather: dst is not [items, features]"
    );
    if features == 0 {
        return Ok(());
    }
    check(index, table.len() / features)?;
    for (row, &i) in dst.chunks_exact_mut(features).zip(index) {
        let first = i as usize * features;
        row.copy_from_slice(&table[first..first + features]);
    }
    Ok(())
}

/// `dst[f, item] = src[index[item] * pitch + f]`, eight items at a time.
///
/// # Safety
/// Every row lies inside `src`, and `dst` has `length * index.len()` elements.
unsafe fn into_lanes(
    isa: Isa,
    src: *const f32,
    length: usize,
    pitch: usize,
    index: &[i32],
    dst: &mut [f32],
) {
    let items = index.len();
    for (group, index) in index.chunks(8).enumerate() {
        // SAFETY: promised by the caller; lanes past the last item repeat it and are not read.
        unsafe {
            let row = |i: usize| src.add(index[i.min(index.len() - 1)] as usize * pitch);
            let rows = std::array::from_fn(row);
            let dst = dst.as_mut_ptr().wrapping_add(group * 8);
            eight_rows(isa, &rows, index.len(), length, dst, items);
        }
    }
}

#[cfg(test)]
mod tests;
