//! What becomes of rows in which a number is missing.

use super::Refusal;
use super::numbers::Chunk;
use whimbrel::nn::file::Missing;

/// A number of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// An input, counted from 0.
    Input(usize),
    /// The target.
    Target,
}

/// Settles what is missing in rows, which stands there as NaN. A number that is infinite, a missing
/// target unless its row is dropped, and, unless told otherwise, a missing input are refused with the
/// name that `place` has for them.
pub fn settle(
    chunk: &mut Chunk,
    missing: Missing,
    place: impl Fn(usize, Field) -> String,
) -> Result<(), Refusal> {
    let whole = |numbers: &[f32]| numbers.iter().all(|x| x.is_finite());
    if whole(&chunk.inputs) && whole(&chunk.targets) {
        return Ok(());
    }
    let rows = chunk.rows();
    let mut kept = Vec::with_capacity(rows);
    for row in 0..rows {
        let mut keep = true;
        for column in 0..chunk.features {
            let x = &mut chunk.inputs[row * chunk.features + column];
            match missing {
                _ if x.is_finite() => {}
                Missing::Zero if x.is_nan() => *x = 0.0,
                Missing::Drop if x.is_nan() => keep = false,
                _ => return Err(refusal(*x, &place(row, Field::Input(column)))),
            }
        }
        let targets = &chunk.targets[row * chunk.width..(row + 1) * chunk.width];
        match targets.iter().find(|x| !x.is_finite()) {
            None => {}
            Some(x) if x.is_nan() && missing == Missing::Drop => keep = false,
            Some(x) => return Err(refusal(*x, &place(row, Field::Target))),
        }
        kept.extend(keep.then_some(row));
    }
    if kept.len() < rows {
        chunk.inputs = take(&chunk.inputs, chunk.features, &kept);
        chunk.targets = take(&chunk.targets, chunk.width, &kept);
    }
    Ok(())
}

fn take(numbers: &[f32], width: usize, rows: &[usize]) -> Vec<f32> {
    rows.iter().flat_map(|row| &numbers[row * width..(row + 1) * width]).copied().collect()
}

fn refusal(number: f32, place: &str) -> Refusal {
    let problem = match number.is_nan() {
        true => {
            "has no value; fill it in, remove the row, or set missing under [data] of the network file"
        }
        false => "is beyond the range of single precision; scale it, or remove the row",
    };
    format!("{place}: {problem}").into()
}
