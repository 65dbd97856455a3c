//! Rolling minimum and maximum.

use super::{Window, blocks};

/// The smallest known value of each window.
pub fn rolling_min(src: &[f32], window: Window, dst: &mut [f32]) {
    min_from(src, window, 0, dst);
}

/// The largest known value of each window.
pub fn rolling_max(src: &[f32], window: Window, dst: &mut [f32]) {
    max_from(src, window, 0, dst);
}

/// [`rolling_min`] for the rows from `first` on.
pub(in crate::features) fn min_from(src: &[f32], window: Window, first: usize, dst: &mut [f32]) {
    run(src, window, first, dst, f32::INFINITY, |a, b| if b < a { b } else { a });
}

/// [`rolling_max`] for the rows from `first` on.
pub(in crate::features) fn max_from(src: &[f32], window: Window, first: usize, dst: &mut [f32]) {
    run(src, window, first, dst, f32::NEG_INFINITY, |a, b| if b > a { b } else { a });
}

/// The best value of a part of a block, and how many are known.
#[derive(Clone, Copy)]
struct Part {
    best: f32,
    known: u32,
}

fn run(
    src: &[f32],
    window: Window,
    first: usize,
    dst: &mut [f32],
    none: f32,
    better: impl Fn(f32, f32) -> f32,
) {
    let count = dst.len().min(src.len().saturating_sub(first));
    if count == 0 {
        return;
    }
    let (length, needs) = (window.length(src.len()), window.needs());
    let empty = Part { best: none, known: 0 };
    let join = |a: Part, b: Part| Part { best: better(a.best, b.best), known: a.known + b.known };
    let one = |x: f32| match x.is_finite() {
        true => Part { best: x, known: 1 },
        false => empty,
    };
    // What a window has of the block before, by the place of its latest value in this one.
    let mut suffixes = vec![empty; length];
    for block in blocks(length, first, count) {
        let mut part = empty;
        let before = &src[block.start.saturating_sub(length)..block.start];
        for (suffix, &x) in suffixes.iter_mut().zip(before.iter().skip(1)).rev() {
            part = join(part, one(x));
            *suffix = part;
        }
        part = empty;
        let skipped = block.wanted.start + first - block.start;
        let rows = &src[block.start..block.wanted.end + first];
        for &x in &rows[..skipped] {
            part = join(part, one(x));
        }
        let wanted = dst[block.wanted].iter_mut().zip(&suffixes[skipped..]);
        for (&x, (result, &suffix)) in rows[skipped..].iter().zip(wanted) {
            part = join(part, one(x));
            let all = join(suffix, part);
            *result = if all.known as usize >= needs { all.best } else { f32::NAN };
        }
    }
}
