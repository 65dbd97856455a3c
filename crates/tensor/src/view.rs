//! How a tensor's indices map to its buffer: shape, strides and offset, in elements.
//!
//! Every operation is a pure function from one [`View`] to another over the same buffer. Where the
//! result cannot be expressed without moving elements, it is an error. All elements of a derived
//! view lie within those of the view it came from, so bounds need checking only once, at creation.

use crate::error::TensorError;
use crate::shape::{MAX_RANK, Shape, Strides};
use std::ops::Range;

/// A mapping from indices to element offsets: `offset + sum(index[i] * strides[i])`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    pub(crate) shape: Shape,
    pub(crate) strides: Strides,
    pub(crate) offset: usize,
}

impl View {
    /// The row-major view of a whole buffer.
    pub fn contiguous(shape: Shape) -> Self {
        View { shape, strides: shape.strides(), offset: 0 }
    }

    /// The size of every axis.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The step of every axis, in elements.
    pub fn strides(&self) -> Strides {
        self.strides
    }

    /// Where the element of index zero lies, in elements.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Whether the elements lie one after the other in row-major order.
    pub fn is_contiguous(&self) -> bool {
        let row_major = self.shape.strides();
        let axes = self.shape.iter().zip(self.strides.iter().zip(row_major.iter()));
        self.shape.numel() == 0 || axes.into_iter().all(|(&size, (a, b))| size == 1 || a == b)
    }

    /// Whether two indices may reach the same element.
    ///
    /// Exact for every view made here: it asks that each axis steps over all that the axes with
    /// smaller strides span together, which slicing and permuting preserve and broadcasting breaks.
    pub fn overlaps_itself(&self) -> bool {
        if self.shape.numel() == 0 {
            return false;
        }
        let mut axes = [(0, 0); MAX_RANK];
        let mut count = 0;
        for (&stride, &size) in self.strides.iter().zip(&self.shape) {
            if size > 1 {
                axes[count] = (stride, size);
                count += 1;
            }
        }
        axes[..count].sort_unstable();
        let mut reach = 0;
        axes[..count].iter().any(|&(stride, size)| {
            let overlaps = stride <= reach;
            reach += stride * (size - 1);
            overlaps
        })
    }

    /// The elements from the first to the last one reached, of a view over an existing buffer.
    pub(crate) fn extent(&self) -> Range<usize> {
        if self.shape.numel() == 0 {
            return self.offset..self.offset;
        }
        let last: usize =
            self.shape.iter().zip(self.strides.iter()).map(|(n, s)| (n - 1) * s).sum();
        self.offset..self.offset + last + 1
    }

    /// Every `step`-th index in `range` of one axis.
    pub fn slice(self, axis: usize, range: Range<usize>, step: usize) -> Result<Self, TensorError> {
        let View { shape, .. } = self;
        let size = *shape
            .get(axis)
            .ok_or_else(|| TensorError::NoSuchAxis { axis, shape: shape.into() })?;
        let Range { start, end } = range;
        if start > end || end > size || step == 0 {
            return Err(TensorError::BadRange { axis, start, end, step, shape: shape.into() });
        }
        let kept = shape.with(axis, (end - start).div_ceil(step));
        let shape = kept.ok_or_else(|| TensorError::NoSuchAxis { axis, shape: shape.into() })?;
        let mut strides = self.strides;
        let mut offset = self.offset;
        // Without elements there is nothing to reach, and strides may be too large to multiply.
        if shape.numel() > 0 {
            offset += start * strides[axis];
            if shape[axis] > 1 {
                strides = strides.scale(axis, step);
            }
        }
        Ok(View { shape, strides, offset })
    }

    /// The axes in another order: axis `i` of the result is axis `order[i]` of this view.
    pub fn permute(self, order: &[usize]) -> Result<Self, TensorError> {
        let rank = self.shape.rank();
        let bad = || TensorError::BadOrder { order: order.to_vec(), shape: self.shape.into() };
        let mut seen = [false; MAX_RANK];
        for &axis in order {
            if axis >= rank || std::mem::replace(&mut seen[axis], true) {
                return Err(bad());
            }
        }
        if order.len() != rank {
            return Err(bad());
        }
        let (mut sizes, mut steps) = ([0; MAX_RANK], [0; MAX_RANK]);
        for (to, &from) in order.iter().enumerate() {
            (sizes[to], steps[to]) = (self.shape[from], self.strides[from]);
        }
        Ok(View {
            shape: Shape::from_slice(&sizes[..rank])?,
            strides: Strides::from_slice(&steps[..rank])?,
            offset: self.offset,
        })
    }

    /// Repeats axes of size 1, and adds leading axes, by steps of zero.
    pub fn broadcast(self, to: Shape) -> Result<Self, TensorError> {
        let from = self.shape;
        if from.broadcast(&to) != Some(to) || to.checked_numel().is_none() {
            return Err(TensorError::CannotBroadcast { from: from.into(), to: to.into() });
        }
        let lead = to.rank() - from.rank();
        let mut steps = [0; MAX_RANK];
        for axis in 0..from.rank() {
            if from[axis] == to[lead + axis] {
                steps[lead + axis] = self.strides[axis];
            }
        }
        let strides = Strides::from_slice(&steps[..to.rank()])?;
        Ok(View { shape: to, strides, offset: self.offset })
    }

    /// Another shape over the same elements in the same row-major order.
    ///
    /// Axes are matched in the smallest groups of equal element count on both sides; a group can
    /// be cut anew only if its axes step as one axis would.
    pub fn reshape(self, to: Shape) -> Result<Self, TensorError> {
        let from = self.shape;
        if from.checked_numel() != to.checked_numel() {
            return Err(TensorError::ReshapeCount { from: from.into(), to: to.into() });
        }
        if from.numel() == 0 {
            return Ok(View { offset: self.offset, ..View::contiguous(to) });
        }
        let needs_copy = || TensorError::ReshapeNeedsCopy {
            from: from.into(),
            strides: self.strides.into(),
            to: to.into(),
        };
        // Axes of size 1 step nowhere and join any group; without them every size is at least 2.
        let mut old =
            from.iter().copied().zip(self.strides.iter().copied()).filter(|&(n, _)| n > 1);
        let mut steps = [1; MAX_RANK];
        let mut axis = 0;
        while let Some((mut old_count, mut old_step)) = old.next() {
            let first = axis;
            let mut new_count = 1;
            while new_count != old_count {
                if new_count < old_count {
                    new_count *= to[axis];
                    axis += 1;
                } else {
                    let (size, step) = old.next().ok_or_else(needs_copy)?;
                    if old_step != size * step {
                        return Err(needs_copy());
                    }
                    old_count *= size;
                    old_step = step;
                }
            }
            let mut step = old_step;
            for new in (first..axis).rev() {
                steps[new] = step;
                step *= to[new];
            }
        }
        Ok(View { shape: to, strides: Strides::from_slice(&steps[..to.rank()])?, ..self })
    }

    /// The offset of one element.
    pub fn locate(&self, index: &[usize]) -> Result<usize, TensorError> {
        let shape = self.shape;
        if index.len() != shape.rank() || index.iter().zip(&shape).any(|(i, n)| i >= n) {
            return Err(TensorError::NoSuchElement { index: index.to_vec(), shape: shape.into() });
        }
        let steps = index.iter().zip(self.strides.iter()).map(|(i, s)| i * s);
        Ok(self.offset + steps.sum::<usize>())
    }
}

/// The offsets of a view's elements, in row-major order of their indices.
#[derive(Clone, Debug)]
pub struct Offsets {
    view: View,
    index: [usize; MAX_RANK],
    next: usize,
    left: usize,
}

impl View {
    /// The offsets of all elements, in row-major order.
    pub fn offsets(&self) -> Offsets {
        let left = self.shape.numel();
        Offsets { view: *self, index: [0; MAX_RANK], next: self.offset, left }
    }
}

impl Iterator for Offsets {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let offset = self.next;
        if self.left > 0 {
            for axis in (0..self.view.shape.rank()).rev() {
                let (size, stride) = (self.view.shape[axis], self.view.strides[axis]);
                if self.index[axis] + 1 < size {
                    self.index[axis] += 1;
                    self.next += stride;
                    break;
                }
                self.next -= self.index[axis] * stride;
                self.index[axis] = 0;
            }
        }
        Some(offset)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Offsets {}
