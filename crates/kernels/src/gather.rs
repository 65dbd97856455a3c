//! Gathers: rows of a table by index.

/// An index points outside its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// Position of the index.
    pub at: usize,
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
    let items = index.len();
    assert_eq!(dst.len(), features * items);
    for (item, &row) in index.iter().enumerate() {
        let start = usize::try_from(row).ok().and_then(|row| row.checked_mul(features));
        let row = start.and_then(|start| table.get(start..start + features));
        let row = row.ok_or(OutOfRange { at: item })?;
        for (feature, &x) in row.iter().enumerate() {
            dst[feature * items + item] = x;
        }
    }
    Ok(())
}
