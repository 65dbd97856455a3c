//! Pooling over time: the largest or the mean of windows of `[time, width]`, and its gradient.
//!
//! The width is channels times batch: lanes that do not touch each other. Windows are those of
//! PyTorch, in ascending order, their steps as well.

use crate::simd::{Isa, Kernel, Simd, run_on};
use crate::sizes::elements;

/// What becomes of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolOp {
    /// The largest; NaN if one is. Padding does not count, and the first of equals has the
    /// gradient. A window of nothing but padding gives -inf.
    Max,
    /// The sum over the size of the window; padding counts as zeros.
    Average,
}

/// A pooling of `[time, width]` to `[windows, width]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool1d {
    /// What becomes of a window.
    pub op: PoolOp,
    /// Steps of a window.
    pub kernel: usize,
    /// Steps between the starts of two windows.
    pub stride: usize,
    /// Steps added at both ends.
    pub padding: usize,
    /// Steps between two elements of a window.
    pub dilation: usize,
}

impl Pool1d {
    /// Windows over `time` steps:
    /// `(time + 2 padding - dilation (kernel - 1) - 1) / stride + 1`, 0 where not one fits or a
    /// size is 0.
    pub fn windows(&self, time: usize) -> usize {
        if self.kernel == 0 || self.stride == 0 || self.dilation == 0 {
            return 0;
        }
        let span = elements([self.dilation, self.kernel - 1]) + 1;
        (time + 2 * self.padding).checked_sub(span).map_or(0, |room| room / self.stride + 1)
    }

    /// The steps of a window that are not padding, ascending.
    #[inline(always)]
    fn steps(&self, window: usize, time: usize) -> impl Iterator<Item = usize> + Clone + use<> {
        let Pool1d { kernel, stride, padding, dilation, .. } = *self;
        let start = window * stride;
        let before = padding.saturating_sub(start).div_ceil(dilation);
        let end = (time + padding).saturating_sub(start).div_ceil(dilation).min(kernel);
        (before..end).map(move |tap| start + tap * dilation - padding)
    }
}

/// `y[window] = op over the steps of the window of x[step]`, lane by lane.
///
/// # Panics
/// When a length does not fit the sizes.
pub fn pool1d(pool: Pool1d, time: usize, width: usize, x: &[f32], y: &mut [f32]) {
    pool1d_on(Isa::current(), pool, time, width, x, y);
}

/// [`pool1d`] on a given instruction set.
///
/// # Panics
/// As [`pool1d`].
pub fn pool1d_on(isa: Isa, pool: Pool1d, time: usize, width: usize, x: &[f32], y: &mut [f32]) {
    let windows = pool.windows(time);
    assert_eq!(x.len(), elements([time, width]), "pool: x is not [{time}, {width}]");
    assert_eq!(y.len(), elements([windows, width]), "pool: y is not [{windows}, {width}]");
    let (x, y) = (x.as_ptr(), y.as_mut_ptr());
    match pool.op {
        PoolOp::Max => run_on(isa, Over { pool, time, width, body: Max { x, y } }),
        PoolOp::Average => run_on(isa, Over { pool, time, width, body: Average { x, y } }),
    }
}

/// Gradient of the operand: `dx[step]` is the sum over the windows it counts in. The mean does
/// not look at `x`, which may be empty then.
///
/// # Panics
/// When a length does not fit the sizes.
pub fn pool1d_grad(pool: Pool1d, time: usize, width: usize, x: &[f32], dy: &[f32], dx: &mut [f32]) {
    pool1d_grad_on(Isa::current(), pool, time, width, x, dy, dx);
}

/// [`pool1d_grad`] on a given instruction set.
///
/// # Panics
/// As [`pool1d_grad`].
pub fn pool1d_grad_on(
    isa: Isa,
    pool: Pool1d,
    time: usize,
    width: usize,
    x: &[f32],
    dy: &[f32],
    dx: &mut [f32],
) {
    let windows = pool.windows(time);
    assert_eq!(dy.len(), elements([windows, width]), "pool: dy is not [{windows}, {width}]");
    assert_eq!(dx.len(), elements([time, width]), "pool: dx is not [{time}, {width}]");
    dx.fill(0.0);
    let (dy, dx) = (dy.as_ptr(), dx.as_mut_ptr());
    match pool.op {
        PoolOp::Max => {
            assert_eq!(x.len(), elements([time, width]), "pool: x is not [{time}, {width}]");
            let body = MaxGrad { x: x.as_ptr(), dy, dx };
            run_on(isa, Over { pool, time, width, body });
        }
        PoolOp::Average => {
            run_on(isa, Over { pool, time, width, body: AverageGrad { dy, dx } });
        }
    }
}

/// What is done with one window in a group of lanes.
trait Body: Copy {
    /// # Safety
    /// Rows of `width` elements exist for the window and each step; `n <= LANES` lanes remain
    /// from `lane` on.
    unsafe fn run<S: Simd>(
        self,
        s: S,
        at: At,
        window: usize,
        steps: impl Iterator<Item = usize> + Clone,
    );
}

/// A group of lanes.
#[derive(Clone, Copy)]
struct At {
    kernel: usize,
    width: usize,
    lane: usize,
    n: usize,
}

impl At {
    /// # Safety
    /// Row `row` of `width` elements exists.
    #[inline(always)]
    unsafe fn load<S: Simd>(self, s: S, src: *const f32, row: usize) -> S::F {
        // SAFETY: `n` lanes remain from `lane` on.
        unsafe {
            let src = src.add(row * self.width + self.lane);
            if self.n == S::LANES { s.load(src) } else { s.load_first(src, self.n) }
        }
    }

    /// # Safety
    /// Row `row` of `width` elements exists.
    #[inline(always)]
    unsafe fn store<S: Simd>(self, s: S, dst: *mut f32, row: usize, v: S::F) {
        // SAFETY: `n` lanes remain from `lane` on.
        unsafe {
            let dst = dst.add(row * self.width + self.lane);
            if self.n == S::LANES { s.store(dst, v) } else { s.store_first(dst, self.n, v) }
        }
    }
}

struct Over<B> {
    pool: Pool1d,
    time: usize,
    width: usize,
    body: B,
}

impl<B: Body> Kernel for Over<B> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Over { pool, time, width, body } = self;
        for window in 0..pool.windows(time) {
            let steps = pool.steps(window, time);
            for lane in (0..width).step_by(S::LANES) {
                let at = At { kernel: pool.kernel, width, lane, n: S::LANES.min(width - lane) };
                // SAFETY: the lengths were checked against the sizes.
                unsafe { body.run(s, at, window, steps.clone()) };
            }
        }
    }
}

/// Lanes in which `new` takes the place of `best`: larger, or NaN where `best` is not.
#[inline(always)]
fn better<S: Simd>(s: S, new: S::F, best: S::F) -> S::Mask {
    s.or(s.lt(best, new), s.and(s.is_nan(new), s.eq(best, best)))
}

#[derive(Clone, Copy)]
struct Max {
    x: *const f32,
    y: *mut f32,
}

impl Body for Max {
    #[inline(always)]
    unsafe fn run<S: Simd>(
        self,
        s: S,
        at: At,
        window: usize,
        steps: impl Iterator<Item = usize> + Clone,
    ) {
        let mut best = s.splat(f32::NEG_INFINITY);
        // SAFETY: promised by the caller.
        unsafe {
            for step in steps {
                let x = at.load(s, self.x, step);
                best = s.select(better(s, x, best), x, best);
            }
            at.store(s, self.y, window, best);
        }
    }
}

#[derive(Clone, Copy)]
struct MaxGrad {
    x: *const f32,
    dy: *const f32,
    dx: *mut f32,
}

impl Body for MaxGrad {
    #[inline(always)]
    unsafe fn run<S: Simd>(
        self,
        s: S,
        at: At,
        window: usize,
        steps: impl Iterator<Item = usize> + Clone,
    ) {
        let mut ordered = steps.clone().enumerate();
        let Some((_, first)) = ordered.next() else { return };
        // SAFETY: promised by the caller.
        unsafe {
            let mut best = at.load(s, self.x, first);
            let mut winner = s.splat(0.0);
            for (tap, step) in ordered {
                let x = at.load(s, self.x, step);
                let better = better(s, x, best);
                best = s.select(better, x, best);
                winner = s.select(better, s.splat(tap as f32), winner);
            }
            let dy = at.load(s, self.dy, window);
            for (tap, step) in steps.enumerate() {
                let won = s.eq(winner, s.splat(tap as f32));
                let dx = at.load(s, self.dx, step);
                at.store(s, self.dx, step, s.select(won, s.add(dx, dy), dx));
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Average {
    x: *const f32,
    y: *mut f32,
}

impl Body for Average {
    #[inline(always)]
    unsafe fn run<S: Simd>(
        self,
        s: S,
        at: At,
        window: usize,
        steps: impl Iterator<Item = usize> + Clone,
    ) {
        let mut sum = s.splat(0.0);
        // SAFETY: promised by the caller.
        unsafe {
            for step in steps {
                sum = s.add(sum, at.load(s, self.x, step));
            }
            at.store(s, self.y, window, s.div(sum, s.splat(at.kernel as f32)));
        }
    }
}

#[derive(Clone, Copy)]
struct AverageGrad {
    dy: *const f32,
    dx: *mut f32,
}

impl Body for AverageGrad {
    #[inline(always)]
    unsafe fn run<S: Simd>(
        self,
        s: S,
        at: At,
        window: usize,
        steps: impl Iterator<Item = usize> + Clone,
    ) {
        // SAFETY: promised by the caller.
        unsafe {
            let share = s.div(at.load(s, self.dy, window), s.splat(at.kernel as f32));
            for step in steps {
                at.store(s, self.dx, step, s.add(at.load(s, self.dx, step), share));
            }
        }
    }
}

#[cfg(test)]
mod tests;
