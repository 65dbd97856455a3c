//! Inputs smaller than the output: strides over the output's axes, 0 along repeated ones.

use crate::simd::{Isa, Kernel, Simd, run_on};
use crate::sizes::{elements, reach};

/// Axes a layout may have once neighbours are merged.
const RANK: usize = 4;

/// How an input smaller than the output is read: the element for output coordinates `c` is
/// `sum(c[d] * strides[d])`.
///
/// Axes that can be walked as one are merged when the layout is built, so `[64, 12, 32]` with
/// strides `[0, 0, 1]` has two axes; at most four may remain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broadcast {
    rank: usize,
    dims: [usize; RANK],
    strides: [usize; RANK],
    len: usize,
    reach: usize,
}

/// A layout that cannot be walked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BroadcastError {
    /// There are not as many strides as axes.
    RanksDiffer {
        /// Number of axes.
        dims: usize,
        /// Number of strides.
        strides: usize,
    },
    /// More than four axes remain after merging.
    TooManyAxes {
        /// The axes of the output.
        dims: Vec<usize>,
        /// The strides over them.
        strides: Vec<usize>,
    },
}

impl std::fmt::Display for BroadcastError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            BroadcastError::RanksDiffer { dims, strides } => {
                write!(f, "broadcast: {strides} strides for {dims} axes")
            }
            BroadcastError::TooManyAxes { dims, strides } => write!(
                f,
                "broadcast: axes {dims:?} with strides {strides:?} cannot be merged into {RANK}"
            ),
        }
    }
}

impl std::error::Error for BroadcastError {}

impl Broadcast {
    /// The layout of an input under an output of shape `dims`, innermost axis last.
    pub fn new(dims: &[usize], strides: &[usize]) -> Result<Broadcast, BroadcastError> {
        if dims.len() != strides.len() {
            return Err(BroadcastError::RanksDiffer { dims: dims.len(), strides: strides.len() });
        }
        // Innermost first while merging.
        let mut merged: Vec<(usize, usize)> = Vec::with_capacity(dims.len());
        for (&dim, &stride) in dims.iter().zip(strides).rev() {
            match merged.last_mut() {
                _ if dim == 1 => {}
                Some((inner, inner_stride)) if inner.checked_mul(*inner_stride) == Some(stride) => {
                    *inner = elements([*inner, dim]);
                }
                _ => merged.push((dim, stride)),
            }
        }
        if merged.len() > RANK {
            let (dims, strides) = (dims.to_vec(), strides.to_vec());
            return Err(BroadcastError::TooManyAxes { dims, strides });
        }
        merged.reverse();
        Ok(Broadcast::of(&merged))
    }

    fn of(axes: &[(usize, usize)]) -> Broadcast {
        let (mut dims, mut strides) = ([1; RANK], [0; RANK]);
        for (axis, &(dim, stride)) in axes.iter().enumerate() {
            (dims[axis], strides[axis]) = (dim, stride);
        }
        let (len, reach) = (elements(dims), reach(axes.iter().copied()));
        Broadcast { rank: axes.len(), dims, strides, len, reach }
    }

    /// The same number for `len` elements.
    pub fn scalar(len: usize) -> Broadcast {
        Broadcast::of(&[(len, 0)])
    }

    /// One number for each row of `lanes` elements: `[rows, 1]` under `[rows, lanes]`.
    pub fn row(rows: usize, lanes: usize) -> Broadcast {
        Broadcast::of(&[(rows, 1), (lanes, 0)])
    }

    /// One row repeated: `[1, lanes]` under `[rows, lanes]`.
    pub fn lane(rows: usize, lanes: usize) -> Broadcast {
        Broadcast::of(&[(rows, 0), (lanes, 1)])
    }

    /// Elements of the output.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the output has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Elements the input must have.
    #[inline]
    pub fn reach(&self) -> usize {
        self.reach
    }

    /// Whether every element is the same.
    #[inline]
    pub(super) fn is_scalar(&self) -> bool {
        self.rank == 0 || (self.rank == 1 && self.strides[0] == 0)
    }

    /// Whether the input is the output's shape after all.
    #[inline]
    pub(super) fn is_dense(&self) -> bool {
        self.rank == 1 && self.strides[0] == 1
    }

    /// After how many elements the input repeats, when it does.
    #[inline]
    pub(super) fn period(&self) -> Option<usize> {
        (self.rank > 1 && self.strides[0] == 0).then(|| self.dims[1..self.rank].iter().product())
    }
}

/// A place in a broadcast input, moving on as blocks are expanded.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    layout: Broadcast,
    place: [usize; RANK],
    /// Offset of the first element of the innermost axis at `place`.
    row: usize,
}

impl Cursor {
    /// The cursor at output index `start`.
    pub fn new(layout: &Broadcast, start: usize) -> Cursor {
        let mut cursor = Cursor { layout: *layout, place: [0; RANK], row: 0 };
        let mut rest = start;
        for axis in (0..layout.rank).rev() {
            cursor.place[axis] = rest % layout.dims[axis];
            rest /= layout.dims[axis];
            if axis + 1 < layout.rank {
                cursor.row += cursor.place[axis] * layout.strides[axis];
            }
        }
        cursor
    }

    /// Writes the next `len` elements of `data` to `dst` and moves past them.
    ///
    /// # Safety
    /// `data` has `reach()` elements, the output at least `len` more; `dst` is writable for
    /// `len + SPLAT` elements.
    #[inline]
    pub unsafe fn expand(&mut self, isa: Isa, data: &[f32], dst: *mut f32, len: usize) {
        run_on(isa, Expand { cursor: self, data: data.as_ptr(), dst, len });
    }

    /// Moves `rows` rows on, at most to the end of the last axis but one.
    #[inline(always)]
    fn skip_rows(&mut self, rows: usize) {
        let Broadcast { rank, dims, strides, .. } = self.layout;
        self.place[rank - 1] = 0;
        let mut rows = rows;
        for axis in (0..rank - 1).rev() {
            self.place[axis] += rows;
            self.row += rows * strides[axis];
            if self.place[axis] < dims[axis] {
                return;
            }
            self.row -= dims[axis] * strides[axis];
            self.place[axis] = 0;
            rows = 1;
        }
    }
}

struct Expand<'a> {
    cursor: &'a mut Cursor,
    data: *const f32,
    dst: *mut f32,
    len: usize,
}

impl Kernel for Expand<'_> {
    type Output = ();
    /// Rows are written in whole vectors: what runs over the end of one is overwritten by the
    /// next, and behind the block there is room for a vector.
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Expand { cursor, data, dst, len } = self;
        let last = cursor.layout.rank - 1;
        let (width, stride) = (cursor.layout.dims[last], cursor.layout.strides[last]);
        let mut at = 0;
        while at < len {
            let first = cursor.place[last];
            let mut row = Row { src: data.wrapping_add(cursor.row + first * stride), stride };
            // SAFETY: the caller vouches for reach() elements of data, which bounds every offset
            // of a place inside the layout, and for a vector of room behind dst.
            unsafe {
                if first > 0 || len - at < width || last == 0 {
                    let take = (width - first).min(len - at);
                    row.expand(s, dst.add(at), take);
                    at += take;
                    if first + take == width {
                        cursor.skip_rows(1);
                    } else {
                        cursor.place[last] += take;
                    }
                } else {
                    // Whole rows, as many as the next axis has left.
                    let left = cursor.layout.dims[last - 1] - cursor.place[last - 1];
                    let rows = ((len - at) / width).min(left);
                    let pitch = cursor.layout.strides[last - 1];
                    for _ in 0..rows {
                        row.expand(s, dst.add(at), width);
                        row.src = row.src.wrapping_add(pitch);
                        at += width;
                    }
                    cursor.skip_rows(rows);
                }
            }
        }
    }
}

/// A place in a row of a broadcast input.
#[derive(Clone, Copy)]
struct Row {
    src: *const f32,
    stride: usize,
}

impl Row {
    /// # Safety
    /// `take` elements at the stride are readable, and `take + SPLAT` elements writable.
    #[inline(always)]
    unsafe fn expand<S: Simd>(self, s: S, dst: *mut f32, take: usize) {
        let mut at = 0;
        // SAFETY: promised by the caller.
        unsafe {
            match self.stride {
                0 => {
                    let value = s.splat(*self.src);
                    while at < take {
                        s.store(dst.add(at), value);
                        at += S::LANES;
                    }
                }
                1 => {
                    while at + S::LANES <= take {
                        s.store(dst.add(at), s.load(self.src.add(at)));
                        at += S::LANES;
                    }
                    if at < take {
                        s.store(dst.add(at), s.load_first(self.src.add(at), take - at));
                    }
                }
                stride => {
                    for i in 0..take {
                        *dst.add(i) = *self.src.add(i * stride);
                    }
                }
            }
        }
    }
}
