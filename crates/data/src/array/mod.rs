//! What every reader of arrays gives: elements of one type in row-major order, and a shape.

mod elements;
pub mod idx;
mod layout;
pub mod npy;
mod npy_header;
pub mod npz;
mod problem;
mod stream;

pub use elements::Elements;
pub use problem::ArrayProblem;
pub use stream::Stream;

/// An array, its last axis contiguous.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    shape: Vec<usize>,
    elements: Elements,
}

impl Array {
    /// An array of this shape; none if the elements are more or fewer.
    pub fn new(shape: Vec<usize>, elements: Elements) -> Option<Array> {
        (count(&shape)? == elements.len()).then_some(Array { shape, elements })
    }

    /// The size of each axis, the outermost first. A single number has none.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The elements in row-major order.
    pub fn elements(&self) -> &Elements {
        &self.elements
    }
}

/// How many elements a shape has; none if they are too many to count.
fn count(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |product, &size| product.checked_mul(size))
}

/// `elements` of an array stored with its first axis contiguous, reordered to have its last so.
fn to_row_major<T: Copy>(elements: &[T], shape: &[usize]) -> Vec<T> {
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1;
    for size in shape {
        strides.push(stride);
        stride *= size;
    }
    let mut index = vec![0; shape.len()];
    let mut from = 0;
    let mut ordered = Vec::with_capacity(elements.len());
    while ordered.len() < elements.len() {
        ordered.push(elements[from]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            from += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            from -= strides[axis] * shape[axis];
            index[axis] = 0;
        }
    }
    ordered
}
