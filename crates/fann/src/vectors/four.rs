//! The loops of layers that are one vector of four `f32`. Lanes past the neurons and their bias are zeros wherever they
//! are read.

use whimbrel_kernels::simd::{Quad, Simd, first_of_slice, first_to_slice, from_slice, to_slice};

/// The first of some numbers, zeros past their end.
#[inline(always)]
pub(super) fn four<S: Simd>(s: S, numbers: &[f32]) -> [f32; 4] {
    let q = s.four();
    array(q, first_of_slice(q, numbers))
}

/// Puts as many numbers as there is room for.
#[inline(always)]
pub(super) fn put<S: Simd>(s: S, numbers: &[f32; 4], place: &mut [f32]) {
    first_to_slice(s.four(), from_slice(s.four(), numbers), place);
}

/// The values of the first `neurons`, then a 1, then zeros.
#[inline(always)]
pub(super) fn with_bias<S: Simd>(s: S, neurons: usize, values: &[f32; 4]) -> [f32; 4] {
    let q = s.four();
    let (lane, neurons) = (from_slice(q, &LANES), q.splat(neurons as f32));
    let past = q.select(q.eq(lane, neurons), q.splat(1.0), q.splat(0.0));
    array(q, q.select(q.lt(lane, neurons), from_slice(q, values), past))
}

/// Sums of weights times values. There are four rows for every four values.
///
/// The last vector, which may be a bias alone, comes first: it is there before the others are.
#[inline(always)]
pub(super) fn weigh<S: Simd>(s: S, rows: &[[[f32; 4]; 4]], values: &[[f32; 4]]) -> [f32; 4] {
    let q = s.four();
    let mut chains = [q.splat(0.0); 4];
    for (rows, x) in rows.iter().zip(values).rev() {
        let x = from_slice(q, x);
        for j in 0..4 {
            chains[j] = q.fma(from_slice(q, &rows[j]), x, chains[j]);
        }
    }
    array(q, q.sums(chains))
}

/// The weighted rows of `n` neurons; sums past the last repeat it.
#[inline(always)]
pub(super) fn weigh_rows<S: Simd, const N: usize>(
    s: S,
    weights: &[f32],
    n: usize,
    rows: &[[f32; 4]],
) -> [[f32; 4]; N] {
    let q = s.four();
    let mut own = [weights; N];
    for j in 0..N {
        own[j] = &weights[j.min(n - 1) * rows.len()..][..rows.len()];
    }
    let mut totals = [q.splat(0.0); N];
    for i in 0..rows.len() {
        let x = from_slice(q, &rows[i]);
        for j in 0..N {
            totals[j] = q.fma(q.splat(own[j][i]), x, totals[j]);
        }
    }
    let mut sums = [[0.0; 4]; N];
    for j in 0..N {
        sums[j] = array(q, totals[j]);
    }
    sums
}

/// What the errors of the first `neurons` pass on to the four that they take.
#[inline(always)]
pub(super) fn spread<S: Simd>(
    s: S,
    neurons: usize,
    errors: &[f32; 4],
    rows: &[[f32; 4]; 4],
) -> [f32; 4] {
    let q = s.four();
    let mut sum = q.splat(0.0);
    for j in 0..4 {
        if j < neurons {
            sum = q.fma(q.splat(errors[j]), from_slice(q, &rows[j]), sum);
        }
    }
    array(q, sum)
}

/// Adds steps times values to the first `sources` weights of the first `neurons`. What pads them stays 0, whatever the
/// steps are.
#[inline(always)]
pub(super) fn follow<S: Simd>(
    s: S,
    (neurons, sources): (usize, usize),
    steps: &[f32; 4],
    values: &[[f32; 4]],
    rows: &mut [[[f32; 4]; 4]],
) {
    let q = s.four();
    let mut left = q.splat(sources as f32);
    for (rows, x) in rows.iter_mut().zip(values) {
        let (x, is_weight) = (from_slice(q, x), q.lt(from_slice(q, &LANES), left));
        for j in 0..4 {
            if j < neurons {
                let row = q.fma(q.splat(steps[j]), x, from_slice(q, &rows[j]));
                to_slice(q, q.select(is_weight, row, q.splat(0.0)), &mut rows[j]);
            }
        }
        left = q.sub(left, q.splat(4.0));
    }
}

/// `sums[i] +=` the sum of the four lanes of `blocks[i]`.
#[inline(always)]
pub(super) fn add_lanes<S: Simd, const W: usize>(s: S, blocks: &[[f32; W]], sums: &mut [f32]) {
    let (q, n) = (s.four(), blocks.len().min(sums.len()));
    let (fours, rest) = blocks[..n].as_chunks::<4>();
    let (sums, last) = sums[..n].as_chunks_mut::<4>();
    for (blocks, sums) in fours.iter().zip(sums) {
        let mut rows = [q.splat(0.0); 4];
        for j in 0..4 {
            rows[j] = from_slice(q, &blocks[j]);
        }
        to_slice(q, q.add(from_slice(q, sums), q.sums(rows)), sums);
    }
    for (block, sum) in rest.iter().zip(last) {
        *sum += q.sum(from_slice(q, block));
    }
}

/// The number of each lane.
const LANES: [f32; 4] = [0.0, 1.0, 2.0, 3.0];

#[inline(always)]
pub(super) fn array<Q: Quad>(q: Q, v: Q::F) -> [f32; 4] {
    let mut numbers = [0.0; 4];
    to_slice(q, v, &mut numbers);
    numbers
}

#[cfg(test)]
mod tests {
    use crate::vectors::Vectors;
    use whimbrel_kernels::simd::{Isa, Kernel, Simd, run_on};

    /// Rows of five weights after an infinite step.
    struct Follow;

    impl Kernel for Follow {
        type Output = ([[[f32; 4]; 4]; 2], [[[f64; 4]; 4]; 2]);

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            let (mut single, mut double) = ([[[0.0; 4]; 4]; 2], [[[0.0; 4]; 4]; 2]);
            let (values, steps) = ([[1.0; 4], [1.0, 0.0, 0.0, 0.0]], [f32::INFINITY; 4]);
            f32::follow_four(s, (2, 5), &steps, &values, &mut single);
            let (values, steps) = ([[1.0; 4], [1.0, 0.0, 0.0, 0.0]], [f64::INFINITY; 4]);
            f64::follow_four(s, (2, 5), &steps, &values, &mut double);
            (single, double)
        }
    }

    #[test]
    fn what_pads_weights_stays_zero_beside_infinite_steps() {
        for isa in Isa::ALL.into_iter().filter(|isa| isa.available()) {
            let (single, double) = run_on(isa, Follow);
            for (k, j, i) in (0..32).map(|at| (at / 16, at / 4 % 4, at % 4)) {
                let wanted = if j < 2 && 4 * k + i < 5 { f32::INFINITY } else { 0.0 };
                assert_eq!(single[k][j][i], wanted, "{isa:?} {k} {j} {i}");
                assert_eq!(double[k][j][i], f64::from(wanted), "{isa:?} {k} {j} {i}");
            }
        }
    }
}
