//! The sizes of a tensor's axes, held inline.
//!
//! A [`Shape`] is a plain `Copy` value of at most [`MAX_RANK`] axes that reads like a `&[usize]`.
//! Entries past the rank are kept zero, so that equality and hashing see only the axes.

use std::fmt;
use std::ops::Deref;

/// The largest number of axes a shape can have.
pub const MAX_RANK: usize = 8;

/// The size of every axis, outermost first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Shape {
    rank: u8,
    sizes: [usize; MAX_RANK],
}

/// The distance in elements between neighbours along every axis, outermost axis first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Strides {
    rank: u8,
    steps: [usize; MAX_RANK],
}

/// More axes than a [`Shape`] can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rank} axes, but a shape holds at most {MAX_RANK}")]
pub struct TooManyAxes {
    /// The number of axes asked for.
    pub rank: usize,
}

impl Shape {
    /// The shape of a single number: no axes, one element.
    pub const SCALAR: Shape = Shape { rank: 0, sizes: [0; MAX_RANK] };

    /// A shape with these sizes.
    pub fn from_slice(sizes: &[usize]) -> Result<Self, TooManyAxes> {
        let rank = sizes.len();
        let mut inline = [0; MAX_RANK];
        inline.get_mut(..rank).ok_or(TooManyAxes { rank })?.copy_from_slice(sizes);
        Ok(Shape { rank: rank as u8, sizes: inline })
    }

    /// The number of axes.
    pub const fn rank(&self) -> usize {
        self.rank as usize
    }

    /// The number of elements. Saturates at `usize::MAX`, which no buffer can hold.
    pub fn numel(&self) -> usize {
        self.checked_numel().unwrap_or(usize::MAX)
    }

    /// The number of elements, or `None` when it exceeds `usize`.
    pub fn checked_numel(&self) -> Option<usize> {
        if self.contains(&0) {
            return Some(0);
        }
        self.iter().try_fold(1usize, |product, &size| product.checked_mul(size))
    }

    /// Row-major strides: the last axis is contiguous. Steps saturate where the element count does.
    pub fn strides(&self) -> Strides {
        let mut strides = Strides { rank: self.rank, steps: [0; MAX_RANK] };
        let mut step = 1usize;
        for axis in (0..self.rank()).rev() {
            strides.steps[axis] = step;
            step = step.saturating_mul(self.sizes[axis].max(1));
        }
        strides
    }

    /// The same shape with the size of one axis replaced; `None` when there is no such axis.
    pub fn with(mut self, axis: usize, size: usize) -> Option<Self> {
        let rank = self.rank();
        *self.sizes[..rank].get_mut(axis)? = size;
        Some(self)
    }

    /// The shape without one axis; `None` when there is no such axis.
    pub fn remove(mut self, axis: usize) -> Option<Self> {
        if axis >= self.rank() {
            return None;
        }
        self.sizes.copy_within(axis + 1.., axis);
        self.sizes[MAX_RANK - 1] = 0;
        self.rank -= 1;
        Some(self)
    }

    /// The shape with a new axis put before `axis`; `None` past the end or past [`MAX_RANK`].
    pub fn insert(mut self, axis: usize, size: usize) -> Option<Self> {
        if axis > self.rank() || self.rank() == MAX_RANK {
            return None;
        }
        self.sizes.copy_within(axis..MAX_RANK - 1, axis + 1);
        self.sizes[axis] = size;
        self.rank += 1;
        Some(self)
    }

    /// The shape both broadcast to: axes are matched from the last, sizes must agree or be 1.
    pub fn broadcast(&self, other: &Shape) -> Option<Shape> {
        let (long, short) = if self.rank >= other.rank { (self, other) } else { (other, self) };
        let mut out = *long;
        let lead = long.rank() - short.rank();
        for (size, &theirs) in out.sizes[lead..].iter_mut().zip(short.iter()) {
            match (*size, theirs) {
                (a, b) if a == b => {}
                (1, b) => *size = b,
                (_, 1) => {}
                _ => return None,
            }
        }
        Some(out)
    }
}

impl Strides {
    /// The number of axes.
    pub const fn rank(&self) -> usize {
        self.rank as usize
    }

    /// The strides with the step of one axis multiplied.
    pub(crate) fn scale(mut self, axis: usize, by: usize) -> Self {
        self.steps[axis] *= by;
        self
    }

    /// Strides with these steps, in elements.
    pub fn from_slice(steps: &[usize]) -> Result<Self, TooManyAxes> {
        let Shape { rank, sizes } = Shape::from_slice(steps)?;
        Ok(Strides { rank, steps: sizes })
    }
}

impl Deref for Shape {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.sizes[..self.rank()]
    }
}

impl Deref for Strides {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.steps[..self.rank()]
    }
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(sizes: [usize; N]) -> Self {
        const { assert!(N <= MAX_RANK, "a shape holds at most MAX_RANK axes") };
        let mut inline = [0; MAX_RANK];
        inline[..N].copy_from_slice(&sizes);
        Shape { rank: N as u8, sizes: inline }
    }
}

impl TryFrom<&[usize]> for Shape {
    type Error = TooManyAxes;

    fn try_from(sizes: &[usize]) -> Result<Self, TooManyAxes> {
        Shape::from_slice(sizes)
    }
}

impl<const N: usize> PartialEq<[usize; N]> for Shape {
    fn eq(&self, other: &[usize; N]) -> bool {
        **self == other[..]
    }
}

impl<const N: usize> PartialEq<[usize; N]> for Strides {
    fn eq(&self, other: &[usize; N]) -> bool {
        **self == other[..]
    }
}

impl<'a> IntoIterator for &'a Shape {
    type Item = &'a usize;
    type IntoIter = std::slice::Iter<'a, usize>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Strides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Debug for Strides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_read_like_slices() {
        let shape = Shape::from([64, 784]);
        assert_eq!(shape.to_string(), "[64, 784]");
        assert_eq!(shape[1], 784);
        assert_eq!(shape.numel(), 64 * 784);
        assert_eq!(shape.strides(), [784, 1]);
        assert_eq!(Shape::SCALAR.numel(), 1);
        assert_eq!(Shape::SCALAR.to_string(), "[]");
    }

    #[test]
    fn rank_is_bounded() {
        assert_eq!(Shape::from_slice(&[1; 9]), Err(TooManyAxes { rank: 9 }));
        assert_eq!(Shape::from_slice(&[1; 8]).unwrap().rank(), 8);
    }

    #[test]
    fn element_count_is_checked() {
        assert_eq!(Shape::from([usize::MAX, 2]).checked_numel(), None);
        assert_eq!(Shape::from([usize::MAX, 2]).numel(), usize::MAX);
        assert_eq!(Shape::from([usize::MAX, 2, 0]).checked_numel(), Some(0));
    }

    #[test]
    fn axes_come_and_go() {
        let shape = Shape::from([2, 3, 4]);
        assert_eq!(shape.remove(1).unwrap(), [2, 4]);
        assert_eq!(shape.remove(1).unwrap(), Shape::from([2, 4]));
        assert_eq!(shape.remove(3), None);
        assert_eq!(shape.insert(0, 5).unwrap(), [5, 2, 3, 4]);
        assert_eq!(shape.insert(3, 5).unwrap(), [2, 3, 4, 5]);
        assert_eq!(shape.insert(4, 5), None);
        assert_eq!(Shape::from([1; 8]).insert(0, 1), None);
        assert_eq!(shape.with(2, 9).unwrap(), [2, 3, 9]);
        assert_eq!(shape.with(3, 9), None);
    }

    #[test]
    fn broadcasting_matches_axes_from_the_last() {
        let broadcast = |a: Shape, b: Shape| a.broadcast(&b);
        assert_eq!(broadcast([4, 1].into(), [3].into()).unwrap(), [4, 3]);
        assert_eq!(broadcast([3].into(), [4, 1].into()).unwrap(), [4, 3]);
        assert_eq!(broadcast([1].into(), [0].into()).unwrap(), [0]);
        assert_eq!(broadcast([2].into(), [3].into()), None);
        assert_eq!(broadcast(Shape::SCALAR, [7, 2].into()).unwrap(), [7, 2]);
    }
}
