//! Plain f64 arrays, the currency of reference evaluation: row-major, owned, slow and right.
//!
//! Integers and booleans are held as f64 too; they are exact up to 2^53.

use whimbrel_tensor::Shape;

/// A row-major array of f64.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Sizes, outermost axis first.
    pub shape: Shape,
    /// Elements in row-major order.
    pub data: Vec<f64>,
}

impl Array {
    /// An array from its elements. The caller gives `shape.numel()` of them.
    pub fn new(shape: impl Into<Shape>, data: Vec<f64>) -> Array {
        let shape = shape.into();
        debug_assert_eq!(shape.numel(), data.len());
        Array { shape, data }
    }

    /// All elements equal.
    pub fn full(shape: Shape, value: f64) -> Array {
        Array { shape, data: vec![value; shape.numel()] }
    }

    /// One element, no axes.
    pub fn scalar(value: f64) -> Array {
        Array::full(Shape::SCALAR, value)
    }

    /// An element computed from each index.
    pub fn from_fn(shape: Shape, mut f: impl FnMut(&[usize]) -> f64) -> Array {
        let mut data = Vec::with_capacity(shape.numel());
        for_each_index(&shape, |index| data.push(f(index)));
        Array { shape, data }
    }

    /// The element at an index.
    pub fn at(&self, index: &[usize]) -> f64 {
        self.data[self.offset(index)]
    }

    /// The element at an index, to be changed.
    pub fn at_mut(&mut self, index: &[usize]) -> &mut f64 {
        let at = self.offset(index);
        &mut self.data[at]
    }

    /// Position of an index among the elements.
    pub fn offset(&self, index: &[usize]) -> usize {
        index.iter().zip(self.shape.iter()).fold(0, |at, (i, size)| at * size + i)
    }

    /// Applies `f` to each element.
    pub fn map(&self, f: impl Fn(f64) -> f64) -> Array {
        Array { shape: self.shape, data: self.data.iter().map(|&x| f(x)).collect() }
    }

    /// Applies `f` to pairs of elements of two arrays of one shape.
    pub fn zip(&self, other: &Array, f: impl Fn(f64, f64) -> f64) -> Array {
        debug_assert_eq!(self.shape, other.shape);
        let data = self.data.iter().zip(&other.data).map(|(&a, &b)| f(a, b)).collect();
        Array { shape: self.shape, data }
    }
}

/// Calls `f` with every index of `shape` in row-major order.
pub fn for_each_index(shape: &[usize], mut f: impl FnMut(&[usize])) {
    if shape.contains(&0) {
        return;
    }
    let mut index = vec![0; shape.len()];
    loop {
        f(&index);
        let Some(axis) = (0..shape.len()).rev().find(|&a| index[a] + 1 < shape[a]) else { return };
        index[axis] += 1;
        index[axis + 1..].fill(0);
    }
}
