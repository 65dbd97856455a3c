//! Copies between strided layouts: permutations, slices, padding and concatenation are made of
//! them.
//!
//! Axes that both sides walk as one are merged first; then rows are copied whole where both
//! sides run along the same axis, and transposed in blocks where they run along two.

mod transpose;

pub(crate) use transpose::eight_rows;
pub use transpose::{columns, columns_on, transpose, transpose_on};

use crate::simd::{Isa, Kernel, Simd, run_on};
use crate::sizes::reach;

/// Axes a copy may have after merging.
const RANK: usize = 8;

/// One axis of a copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Axis {
    size: usize,
    src: usize,
    dst: usize,
}

/// `dst[i] = src[i]` over slices of equal length.
///
/// By vectors, as all rows of copies: the C library moves some thousand bytes by one instruction
/// (`rep movsb`), which was slow on an AMD processor where the two ends are not aligned alike.
///
/// # Panics
/// When the lengths differ.
pub fn copy(src: &[f32], dst: &mut [f32]) {
    assert_eq!(src.len(), dst.len(), "copy: src and dst differ in length");
    strided_copy(&[src.len()], src, &[1], dst, &[1]);
}

/// `dst[i . dst_steps] = src[i . src_steps]` for every index `i` below `sizes`.
///
/// A step of 0 in `src_steps` repeats elements. When two indices meet in `dst`, which of them
/// stays is not defined.
///
/// # Panics
/// When the ranks differ, more than 8 axes cannot be merged, or an index falls outside a slice.
pub fn strided_copy(
    sizes: &[usize],
    src: &[f32],
    src_steps: &[usize],
    dst: &mut [f32],
    dst_steps: &[usize],
) {
    strided_copy_on(Isa::current(), sizes, src, src_steps, dst, dst_steps);
}

/// [`strided_copy`] on a given instruction set.
///
/// # Panics
/// As [`strided_copy`].
pub fn strided_copy_on(
    isa: Isa,
    sizes: &[usize],
    src: &[f32],
    src_steps: &[usize],
    dst: &mut [f32],
    dst_steps: &[usize],
) {
    let rank = sizes.len();
    assert!(src_steps.len() == rank && dst_steps.len() == rank, "strided copy: ranks differ");
    if sizes.contains(&0) {
        return;
    }
    let within = |steps: &[usize], len: usize| {
        reach(sizes.iter().copied().zip(steps.iter().copied())) <= len
    };
    assert!(
        within(src_steps, src.len()) && within(dst_steps, dst.len()),
        "strided copy: an index falls outside its slice"
    );
    let mut axes = [Axis::default(); RANK];
    let rank = merge(sizes, src_steps, dst_steps, &mut axes);
    let (src, dst) = (src.as_ptr(), dst.as_mut_ptr());
    // SAFETY: the offsets of every index lie below the reaches, which were checked.
    unsafe { walk(isa, &axes[..rank], src, dst) };
}

/// Writes the merged axes and says how many there are; the innermost is last. Axes are ordered by
/// their step in `dst`, so that writing runs forward.
fn merge(sizes: &[usize], src: &[usize], dst: &[usize], axes: &mut [Axis; RANK]) -> usize {
    let mut rank = 0;
    for axis in 0..sizes.len() {
        let new = Axis { size: sizes[axis], src: src[axis], dst: dst[axis] };
        if new.size == 1 {
            continue;
        }
        match axes[..rank].last_mut() {
            Some(outer) if outer.src == new.size * new.src && outer.dst == new.size * new.dst => {
                *outer = Axis { size: outer.size * new.size, ..new };
            }
            _ => {
                assert!(rank < RANK, "strided copy: more than {RANK} axes");
                axes[rank] = new;
                rank += 1;
            }
        }
    }
    axes[..rank].sort_unstable_by_key(|axis| std::cmp::Reverse((axis.dst, axis.src)));
    rank
}

/// # Safety
/// Every offset of the axes is inside both arrays, which do not overlap.
unsafe fn walk(isa: Isa, axes: &[Axis], src: *const f32, dst: *mut f32) {
    // SAFETY: offsets of parts of the axes are offsets of the axes.
    unsafe {
        match *axes {
            [] => *dst = *src,
            [ref outer @ .., row] if row.dst == 1 && row.src <= 1 => {
                run_on(isa, Rows { outer, row, src, dst });
            }
            [ref outer @ .., column] if column.dst == 1 => {
                // The axis along which the source is contiguous, if any: a transposition.
                let Some(along) = outer.iter().position(|axis| axis.src == 1) else {
                    return elements(axes, src, dst);
                };
                let row = outer[along];
                let mut rest = [Axis::default(); RANK];
                let mut count = 0;
                for (_, axis) in outer.iter().enumerate().filter(|(i, _)| *i != along) {
                    rest[count] = *axis;
                    count += 1;
                }
                each(&rest[..count], 0, 0, &mut |src_at, dst_at| {
                    let size = (column.size, row.size);
                    let (src, dst) = (src.add(src_at), dst.add(dst_at));
                    transpose::blocks(isa, size, src, column.src, dst, row.dst);
                });
            }
            _ => elements(axes, src, dst),
        }
    }
}

/// Element by element.
///
/// # Safety
/// As for [`walk`].
unsafe fn elements(axes: &[Axis], src: *const f32, dst: *mut f32) {
    each(axes, 0, 0, &mut |src_at, dst_at| {
        // SAFETY: promised by the caller.
        unsafe { *dst.add(dst_at) = *src.add(src_at) };
    });
}

/// Calls `body` with both offsets of every index.
fn each(axes: &[Axis], src: usize, dst: usize, body: &mut impl FnMut(usize, usize)) {
    match axes {
        [] => body(src, dst),
        [axis] => {
            for i in 0..axis.size {
                body(src + i * axis.src, dst + i * axis.dst);
            }
        }
        [axis, rest @ ..] => {
            for i in 0..axis.size {
                each(rest, src + i * axis.src, dst + i * axis.dst, body);
            }
        }
    }
}

/// Rows that are contiguous in `dst` and contiguous or constant in `src`.
struct Rows<'a> {
    outer: &'a [Axis],
    row: Axis,
    src: *const f32,
    dst: *mut f32,
}

impl Kernel for Rows<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let mut place = [0; RANK];
        let (mut src, mut dst) = (0, 0);
        loop {
            // SAFETY: both offsets belong to an index below the sizes.
            unsafe { row(s, self.row, self.src.add(src), self.dst.add(dst)) };
            let mut level = self.outer.len();
            loop {
                if level == 0 {
                    return;
                }
                level -= 1;
                let axis = self.outer[level];
                place[level] += 1;
                src += axis.src;
                dst += axis.dst;
                if place[level] < axis.size {
                    break;
                }
                src -= axis.size * axis.src;
                dst -= axis.size * axis.dst;
                place[level] = 0;
            }
        }
    }
}

/// # Safety
/// `row.size` elements of both sides are accessible (one of a constant source).
#[inline(always)]
unsafe fn row<S: Simd>(s: S, row: Axis, src: *const f32, dst: *mut f32) {
    let n = row.size;
    let mut at = 0;
    // SAFETY: promised by the caller.
    unsafe {
        let constant = s.splat(*src);
        while at + S::LANES <= n {
            s.store(dst.add(at), if row.src == 1 { s.load(src.add(at)) } else { constant });
            at += S::LANES;
        }
        if at < n {
            let rest = n - at;
            let v = if row.src == 1 { s.load_first(src.add(at), rest) } else { constant };
            s.store_first(dst.add(at), rest, v);
        }
    }
}

#[cfg(test)]
mod tests;
