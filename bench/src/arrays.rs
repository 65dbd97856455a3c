//! Arrays as the engine keeps them, and kernels over them cut into pieces for a team of threads.
//!
//! An [`Array`] lies on a cache line's boundary and, from 2 MiB on, on huge pages. A [`Cut`] is
//! proved once to have disjoint parts, then fills them at once, as compiled plans do.

use std::ops::{Deref, DerefMut, Range};

use whimbrel_tensor::arena::{Access, Arena, Span, Stages};
use whimbrel_threads::Pool;

use crate::error::{Error, Result};

/// Numbers in memory of their own.
pub struct Array(Arena);

impl Array {
    /// `len` zeros.
    pub fn zeros(len: usize) -> Result<Array> {
        let refused = |e| Error::Suite { suite: "bench", what: format!("{e}") };
        Arena::new(len).map(Array).map_err(refused)
    }

    /// A copy of `values`.
    pub fn of(values: &[f32]) -> Result<Array> {
        let mut array = Array::zeros(values.len())?;
        array.copy_from_slice(values);
        Ok(array)
    }

    /// The matrix `[rows, columns]` of these values, columns first.
    pub fn transposed(values: &[f32], rows: usize, columns: usize) -> Result<Array> {
        let mut array = Array::zeros(values.len())?;
        for (at, value) in array.iter_mut().enumerate() {
            *value = values[at % rows * columns + at / rows];
        }
        Ok(array)
    }
}

impl Deref for Array {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        self.0.words()
    }
}

impl DerefMut for Array {
    fn deref_mut(&mut self) -> &mut [f32] {
        self.0.words_mut()
    }
}

/// Disjoint parts of an array, `W` to a piece, filled at once.
pub struct Cut<const W: usize> {
    stages: Stages,
}

impl<const W: usize> Cut<W> {
    /// The parts `pieces` of an array of `len` values.
    pub fn new(len: usize, pieces: &[[Range<usize>; W]]) -> Result<Cut<W>> {
        let piece = |parts: &[Range<usize>; W]| {
            let span = |part: &Range<usize>| Span::new(part.start, part.len());
            vec![Access::new([], parts.each_ref().map(span))]
        };
        let refused = |e| Error::Suite { suite: "bench", what: format!("{e}") };
        let stages = Stages::prove(len, vec![pieces.iter().map(piece).collect()]);
        Ok(Cut { stages: stages.map_err(refused)? })
    }

    /// Calls `fill` with the parts of every piece and its number, on whichever threads are free.
    pub fn fill(&self, pool: &Pool, dst: &mut Array, fill: impl Fn(usize, [&mut [f32]; W]) + Sync) {
        let Ok(open) = dst.0.open(&self.stages) else { return };
        pool.pieces(self.stages.pieces(0), |piece| {
            if let Some(mut guard) = open.enter(0, piece) {
                let ([], parts) = guard.step(0).get();
                fill(piece, parts);
            }
        });
    }
}

impl Cut<1> {
    /// The pieces `ranges` of an array of `len` values.
    pub fn along(len: usize, ranges: &[Range<usize>]) -> Result<Cut<1>> {
        let pieces: Vec<_> =
            ranges.iter().map(|range| std::array::from_fn(|_| range.clone())).collect();
        Cut::new(len, &pieces)
    }
}

/// `0..len` in `parts` ranges that begin at multiples of `unit` and differ by at most one unit.
pub fn parts(len: usize, unit: usize, parts: usize) -> Vec<Range<usize>> {
    let units = len.div_ceil(unit);
    let at = |i: usize| (units * i / parts * unit).min(len);
    (0..parts).map(|i| at(i)..at(i + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_everything_once_at_multiples_of_the_unit() {
        for (len, unit, count) in [(100, 16, 2), (12, 16, 2), (512, 16, 3), (0, 16, 2)] {
            let parts = parts(len, unit, count);
            assert_eq!(parts.len(), count);
            assert_eq!((parts[0].start, parts[count - 1].end), (0, len));
            assert!(parts.windows(2).all(|p| p[0].end == p[1].start));
            assert!(parts.iter().all(|p| p.start % unit == 0 || p.start == len));
        }
    }

    #[test]
    fn a_cut_fills_every_part_with_its_own_number() {
        let mut array = Array::zeros(100).unwrap();
        let ranges = parts(100, 16, 3);
        let cut = Cut::along(100, &ranges).unwrap();
        cut.fill(&Pool::new(2), &mut array, |piece, [part]| part.fill(piece as f32));
        for (piece, range) in ranges.into_iter().enumerate() {
            assert!(array[range].iter().all(|v| *v == piece as f32));
        }
        assert!(Cut::along(10, &[0..6, 5..10]).is_err());
    }

    #[test]
    fn transposing_twice_gives_the_same_matrix() {
        let values: Vec<f32> = (0..35).map(|i| i as f32).collect();
        let turned = Array::transposed(&values, 5, 7).unwrap();
        assert_eq!(turned[1], values[7]);
        assert_eq!(*Array::transposed(&turned, 7, 5).unwrap(), *values);
    }
}
