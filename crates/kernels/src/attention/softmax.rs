//! The softmax over the keys of each query, and its gradient, in place on rows `[keys, lanes]`.
//!
//! Several lanes put vectors along the lanes. One lane puts them along the keys; its sums keep
//! the order of the keys, several rows at a time so that their chains run side by side.

use crate::maths::exp;
use crate::simd::{Isa, Kernel, Simd, run_on};
use crate::sizes::elements;

/// Sizes of some rows of scores.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub rows: usize,
    pub keys: usize,
    pub lanes: usize,
}

/// What is added to the scores before the softmax.
#[derive(Clone, Copy)]
pub(super) enum Added<'a> {
    Nothing,
    /// A value a score, `[rows, keys, lanes]`.
    Scores(&'a [f32]),
    /// A value for all lanes of a score, `[rows, keys]`.
    Shared(&'a [f32]),
}

/// Turns scores into weights: adds what is to be added, keeps the sums in `kept` where asked for,
/// and takes the softmax of each row. Rows of -inf become zeros.
pub(super) fn forward(
    isa: Isa,
    size: Rows,
    added: Added,
    kept: Option<&mut [f32]>,
    scores: &mut [f32],
) {
    let n = elements([size.rows, size.keys, size.lanes]);
    assert_eq!(scores.len(), n);
    match added {
        Added::Nothing => {}
        Added::Scores(a) => assert_eq!(a.len(), n),
        Added::Shared(a) => assert_eq!(a.len(), size.rows * size.keys),
    }
    // With one lane a shared value is a value a score.
    let added = match added {
        Added::Shared(a) if size.lanes == 1 => Added::Scores(a),
        other => other,
    };
    assert!(kept.as_ref().is_none_or(|kept| kept.len() == n));
    let kept = kept.map(<[f32]>::as_mut_ptr);
    run_on(isa, Forward { size, added, kept, scores });
}

/// Turns gradients of the weights into gradients of the scores: `p (d - sum of p d)`, plus `added`
/// (the gradients that reach the scores from outside).
pub(super) fn backward(
    isa: Isa,
    size: Rows,
    probs: &[f32],
    added: Option<&[f32]>,
    grads: &mut [f32],
) {
    let n = elements([size.rows, size.keys, size.lanes]);
    assert_eq!(probs.len(), n);
    assert_eq!(grads.len(), n);
    assert!(added.is_none_or(|added| added.len() == n));
    run_on(isa, Backward { size, probs, added, grads });
}

/// Rows whose sums run side by side when there is one lane.
const TOGETHER: usize = 8;

struct Forward<'a> {
    size: Rows,
    added: Added<'a>,
    /// As long as the scores.
    kept: Option<*mut f32>,
    scores: &'a mut [f32],
}

impl Kernel for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let Rows { rows, keys, lanes } = self.size;
        if lanes == 1 {
            for row in (0..rows).step_by(TOGETHER) {
                self.one_lane(s, row, TOGETHER.min(rows - row));
            }
            return;
        }
        for row in 0..rows {
            for lane in (0..lanes).step_by(S::LANES) {
                let at = row * keys * lanes + lane;
                let n = (lanes - lane).min(S::LANES);
                // SAFETY: the lanes of one row.
                unsafe {
                    if n == S::LANES {
                        self.lanes::<S, true>(s, row, at, n);
                    } else {
                        self.lanes::<S, false>(s, row, at, n);
                    }
                }
            }
        }
    }
}

impl Forward<'_> {
    /// `n` lanes of row `row`, which begin at element `at`.
    ///
    /// # Safety
    /// They exist in every key; `n` is `S::LANES` when `FULL`.
    #[inline(always)]
    unsafe fn lanes<S: Simd, const FULL: bool>(&mut self, s: S, row: usize, at: usize, n: usize) {
        let Rows { keys, lanes, .. } = self.size;
        let scores = self.scores.as_mut_ptr().wrapping_add(at);
        // SAFETY: lengths were checked at entry, the caller vouches for the lanes.
        unsafe {
            let mut most = s.splat(f32::NEG_INFINITY);
            for key in 0..keys {
                let to = scores.add(key * lanes);
                let mut x = load::<S, FULL>(s, to, n);
                match self.added {
                    Added::Nothing => {}
                    Added::Scores(a) => {
                        x = s.add(x, load::<S, FULL>(s, a.as_ptr().add(at + key * lanes), n));
                        store::<S, FULL>(s, to, n, x);
                    }
                    Added::Shared(a) => {
                        x = s.add(x, s.splat(*a.get_unchecked(row * keys + key)));
                        store::<S, FULL>(s, to, n, x);
                    }
                }
                if let Some(kept) = self.kept {
                    store::<S, FULL>(s, kept.add(at + key * lanes), n, x);
                }
                most = s.max(most, x);
            }
            let most = finite(s, most);
            let mut sum = s.splat(0.0);
            for key in 0..keys {
                let to = scores.add(key * lanes);
                let e = exp(s, s.sub(load::<S, FULL>(s, to, n), most));
                store::<S, FULL>(s, to, n, e);
                sum = s.add(sum, e);
            }
            let share = share(s, sum);
            for key in 0..keys {
                let to = scores.add(key * lanes);
                store::<S, FULL>(s, to, n, s.mul(load::<S, FULL>(s, to, n), share));
            }
        }
    }

    /// Rows `row .. row + count` of one lane. Chains run over the keys of all rows side by side,
    /// each with its value in every lane of a vector.
    #[inline(always)]
    fn one_lane<S: Simd>(&mut self, s: S, row: usize, count: usize) {
        let keys = self.size.keys;
        let first = row * keys;
        let n = count * keys;
        for at in (first..first + n).step_by(S::LANES) {
            let n = S::LANES.min(first + n - at);
            // SAFETY: scores of these rows; lengths were checked at entry.
            unsafe {
                let to = self.scores.as_mut_ptr().add(at);
                if let Added::Scores(a) = self.added {
                    let x = s.load_first(to, n);
                    s.store_first(to, n, s.add(x, s.load_first(a.as_ptr().add(at), n)));
                }
                if let Some(kept) = self.kept {
                    s.store_first(kept.add(at), n, s.load_first(to, n));
                }
            }
        }
        let scores = &mut self.scores[first..first + n];
        let mut most = [s.splat(f32::NEG_INFINITY); TOGETHER];
        for key in 0..keys {
            for (row, most) in most.iter_mut().enumerate().take(count) {
                *most = s.max(*most, s.splat(scores[row * keys + key]));
            }
        }
        for (row, most) in scores.chunks_exact_mut(keys.max(1)).zip(most) {
            let most = finite(s, most);
            exponentials(s, row, most);
        }
        let mut sums = [s.splat(0.0); TOGETHER];
        for key in 0..keys {
            for (row, sum) in sums.iter_mut().enumerate().take(count) {
                *sum = s.add(*sum, s.splat(scores[row * keys + key]));
            }
        }
        for (row, sum) in scores.chunks_exact_mut(keys.max(1)).zip(sums) {
            let share = share(s, sum);
            multiply(s, row, share);
        }
    }
}

struct Backward<'a> {
    size: Rows,
    probs: &'a [f32],
    added: Option<&'a [f32]>,
    grads: &'a mut [f32],
}

impl Kernel for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let Rows { rows, keys, lanes } = self.size;
        if lanes == 1 {
            for row in (0..rows).step_by(TOGETHER) {
                self.one_lane(s, row, TOGETHER.min(rows - row));
            }
            return;
        }
        for row in 0..rows {
            for lane in (0..lanes).step_by(S::LANES) {
                let n = (lanes - lane).min(S::LANES);
                let mut sum = s.splat(0.0);
                for at in (0..keys).map(|key| (row * keys + key) * lanes + lane) {
                    // SAFETY: n lanes of one key.
                    unsafe {
                        let p = s.load_first(self.probs.as_ptr().add(at), n);
                        sum = s.fma(p, s.load_first(self.grads.as_ptr().add(at), n), sum);
                    }
                }
                for key in 0..keys {
                    // SAFETY: n lanes of one key.
                    unsafe { self.step(s, (row * keys + key) * lanes + lane, n, sum) };
                }
            }
        }
    }
}

impl Backward<'_> {
    /// Rows `row .. row + count` of one lane.
    #[inline(always)]
    fn one_lane<S: Simd>(&mut self, s: S, row: usize, count: usize) {
        let keys = self.size.keys;
        let range = row * keys..(row + count) * keys;
        let (probs, grads) = (&self.probs[range.clone()], &self.grads[range]);
        let mut sums = [s.splat(0.0); TOGETHER];
        for key in 0..keys {
            for (row, sum) in sums.iter_mut().enumerate().take(count) {
                let at = row * keys + key;
                *sum = s.fma(s.splat(probs[at]), s.splat(grads[at]), *sum);
            }
        }
        for (i, sum) in sums.into_iter().enumerate().take(count) {
            for key in (0..keys).step_by(S::LANES) {
                let n = (keys - key).min(S::LANES);
                // SAFETY: n keys of the row.
                unsafe { self.step(s, (row + i) * keys + key, n, sum) };
            }
        }
    }

    /// Elements `at .. at + n` of a row with this sum.
    ///
    /// # Safety
    /// They exist; `n` is at most `S::LANES`.
    #[inline(always)]
    unsafe fn step<S: Simd>(&mut self, s: S, at: usize, n: usize, sum: S::F) {
        // SAFETY: promised by the caller; lengths were checked at entry.
        unsafe {
            let p = s.load_first(self.probs.as_ptr().add(at), n);
            let to = self.grads.as_mut_ptr().add(at);
            let mut d = s.mul(p, s.sub(s.load_first(to, n), sum));
            if let Some(added) = self.added {
                d = s.add(d, s.load_first(added.as_ptr().add(at), n));
            }
            s.store_first(to, n, d);
        }
    }
}

/// The maximum that is subtracted: 0 for a row of -inf, so that its exponentials are 0.
#[inline(always)]
fn finite<S: Simd>(s: S, most: S::F) -> S::F {
    s.select(s.eq(most, s.splat(f32::NEG_INFINITY)), s.splat(0.0), most)
}

/// `1 / sum`, or 0 where nothing was summed.
#[inline(always)]
fn share<S: Simd>(s: S, sum: S::F) -> S::F {
    let zero = s.splat(0.0);
    s.select(s.eq(sum, zero), zero, s.div(s.splat(1.0), sum))
}

/// `x = exp(x - most)` along a row.
#[inline(always)]
fn exponentials<S: Simd>(s: S, row: &mut [f32], most: S::F) {
    for part in row.chunks_mut(S::LANES) {
        let (to, n) = (part.as_mut_ptr(), part.len());
        // SAFETY: the part has n elements.
        unsafe { s.store_first(to, n, exp(s, s.sub(s.load_first(to, n), most))) };
    }
}

/// `x = x * factor` along a row.
#[inline(always)]
fn multiply<S: Simd>(s: S, row: &mut [f32], factor: S::F) {
    for part in row.chunks_mut(S::LANES) {
        let (to, n) = (part.as_mut_ptr(), part.len());
        // SAFETY: the part has n elements.
        unsafe { s.store_first(to, n, s.mul(s.load_first(to, n), factor)) };
    }
}

/// # Safety
/// `n` lanes at `src` are readable; they are `S::LANES` when `FULL`.
#[inline(always)]
unsafe fn load<S: Simd, const FULL: bool>(s: S, src: *const f32, n: usize) -> S::F {
    // SAFETY: promised by the caller.
    unsafe { if FULL { s.load(src) } else { s.load_first(src, n) } }
}

/// # Safety
/// `n` lanes at `dst` are writable; they are `S::LANES` when `FULL`.
#[inline(always)]
unsafe fn store<S: Simd, const FULL: bool>(s: S, dst: *mut f32, n: usize, v: S::F) {
    // SAFETY: promised by the caller.
    unsafe { if FULL { s.store(dst, v) } else { s.store_first(dst, n, v) } }
}
