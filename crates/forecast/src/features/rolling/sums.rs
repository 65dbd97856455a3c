//! The sums of which means and deviations are made, for blocks of rows.

use super::Window;
use super::moments::Results;
use std::ops::Range;

/// Rows of short blocks that are taken together, so that loops are long enough to be worth starting.
const GROUP: usize = 128;

/// Sums over a part of a window: distances from the pivot, and their squares.
type Sums = [f64; 2];

/// What each window has of the block before and of the one it ends in, by its last row.
pub(super) struct Parts {
    length: usize,
    window: Window,
    before: Vec<Sums>,
    within: Vec<Sums>,
    pivots: Vec<f64>,
}

impl Parts {
    /// Room for blocks of `length` rows.
    pub(super) fn new(length: usize, window: Window) -> Parts {
        let room = (GROUP / length).max(1) * length;
        let sums = vec![[0.0; 2]; room];
        Parts { length, window, before: sums.clone(), within: sums, pivots: vec![0.0; room] }
    }

    /// Rows there is room for, a multiple of the length.
    pub(super) fn room(&self) -> usize {
        self.pivots.len()
    }

    /// The last rows of a block, as many as there are results for, whatever the values are.
    ///
    /// Windows that end before the first known value of the block have the last one before it for their
    /// pivot: a pivot outside of its window could be of any size.
    pub(super) fn run(&mut self, before: &[f32], rows: &[f32], mut results: Results) {
        let first = rows.iter().position(|x| x.is_finite()).unwrap_or(rows.len());
        let latest = before.iter().rev().find(|x| x.is_finite());
        self.run_part(before, rows, 0..first, latest, &mut results);
        self.run_part(before, rows, first..rows.len(), rows.get(first), &mut results);
    }

    /// Those of the results that are for a part of the rows.
    fn run_part(
        &mut self,
        before: &[f32],
        rows: &[f32],
        part: Range<usize>,
        pivot: Option<&f32>,
        results: &mut Results,
    ) {
        let skipped = rows.len() - results.mean.len().max(results.std.len());
        if part.end <= skipped.max(part.start) {
            return;
        }
        let pivot = pivot.map_or(0.0, |&x| x.into());
        let known = |values: &[f32]| values.iter().filter(|x| x.is_finite()).count();
        let add_known = |sums, x: f32| if x.is_finite() { add(sums, x, pivot) } else { sums };
        let values_before = before.get(1..).unwrap_or_default();
        let mut sums = [0.0; 2];
        self.before[..self.length].fill(sums);
        for (sums_before, &x) in self.before.iter_mut().zip(values_before).rev() {
            sums = add_known(sums, x);
            *sums_before = sums;
        }
        sums = [0.0; 2];
        let mut count = known(values_before);
        for (row, (&x, sums_before)) in rows[..part.end].iter().zip(&self.before).enumerate() {
            sums = add_known(sums, x);
            count += known(&[x]);
            if row >= skipped.max(part.start) {
                let divide = Divide::by(count, self.window);
                let [distances, squares] = join(sums, *sums_before);
                if let Some(mean) = results.mean.get_mut(row - skipped) {
                    *mean = divide.mean(pivot, distances);
                }
                if let Some(std) = results.std.get_mut(row - skipped) {
                    *std = divide.std(distances, squares);
                }
            }
            // The next window begins one value later.
            count -= known(values_before.get(row..=row).unwrap_or_default());
        }
    }

    /// All rows of whole blocks, given with the block before them, where all values are finite: the
    /// same sums as those of [`Parts::run`] in loops that compilers make vectors of.
    pub(super) fn run_whole(&mut self, rows: &[f32], results: Results) {
        let length = self.length;
        let blocks = rows.chunks_exact(length).zip(rows[length..].chunks_exact(length));
        let parts = self.before.chunks_exact_mut(length).zip(self.within.chunks_exact_mut(length));
        let pivots = self.pivots.chunks_exact_mut(length);
        for ((values, parts), pivots) in blocks.zip(parts).zip(pivots) {
            let pivot = f64::from(values.1[0]);
            pivots.fill(pivot);
            scan(values, parts, pivot);
        }
        let full = Divide::by(length, self.window);
        let sums = self.before.iter().zip(&self.within).map(|(a, b)| join(*a, *b));
        let sums = sums.zip(&self.pivots);
        match results {
            Results { mean, std: [] } => {
                for (mean, ([distances, _], pivot)) in mean.iter_mut().zip(sums) {
                    *mean = full.mean(*pivot, distances);
                }
            }
            Results { mean: [], std } => {
                for (std, ([distances, squares], _)) in std.iter_mut().zip(sums) {
                    *std = full.std(distances, squares);
                }
            }
            Results { mean, std } => {
                let both = mean.iter_mut().zip(std);
                for ((mean, std), ([distances, squares], pivot)) in both.zip(sums) {
                    *mean = full.mean(*pivot, distances);
                    *std = full.std(distances, squares);
                }
            }
        }
    }
}

/// Running sums over a block from its second to its last value, from the end, and over the next one from the
/// start. All four slices are as long. The two chains of additions do not wait for each other.
#[inline(always)]
fn scan(
    (values_before, values_within): (&[f32], &[f32]),
    (before, within): (&mut [Sums], &mut [Sums]),
    pivot: f64,
) {
    let inner = values_within.len() - 1;
    let (mut back, mut forth) = ([0.0; 2], [0.0; 2]);
    let values_before = &values_before[1..=inner];
    let (last_value, last) = (values_within[inner], inner);
    {
        let (before, within) = (&mut before[..inner], &mut within[..inner]);
        let values_within = &values_within[..inner];
        for row in 0..inner {
            let mirrored = inner - 1 - row;
            back = add(back, values_before[mirrored], pivot);
            before[mirrored] = back;
            forth = add(forth, values_within[row], pivot);
            within[row] = forth;
        }
    }
    before[last] = [0.0; 2];
    within[last] = add(forth, last_value, pivot);
}

#[inline(always)]
fn add([distances, squares]: Sums, x: f32, pivot: f64) -> Sums {
    let distance = f64::from(x) - pivot;
    [distances + distance, squares + distance * distance]
}

#[inline(always)]
fn join(a: Sums, b: Sums) -> Sums {
    [a[0] + b[0], a[1] + b[1]]
}

/// One over the number of values, and over one less; NaN where those are too few.
#[derive(Clone, Copy)]
struct Divide {
    mean: f64,
    variance: f64,
}

impl Divide {
    fn by(known: usize, window: Window) -> Divide {
        let enough = known >= window.needs();
        Divide {
            mean: if enough { 1.0 / known as f64 } else { f64::NAN },
            variance: if enough && known > 1 { 1.0 / (known - 1) as f64 } else { f64::NAN },
        }
    }

    #[inline(always)]
    fn mean(self, pivot: f64, distances: f64) -> f32 {
        (pivot + distances * self.mean) as f32
    }

    /// The root is taken in f64: of values that f32 can hold the square may be none.
    #[inline(always)]
    fn std(self, distances: f64, squares: f64) -> f32 {
        let variance = (squares - distances * distances * self.mean) * self.variance;
        // Not `max`, which would drop a NaN.
        (if variance < 0.0 { 0.0 } else { variance }).sqrt() as f32
    }
}
