//! A tensor: a shared buffer, the type of its elements, and a view of them.
//!
//! Cloning and viewing share the buffer and copy nothing. The view always lies within the buffer.
//! Views are made here; elements are read and written in [`access`](crate::access).

use crate::buffer::Buffer;
use crate::dtype::DType;
use crate::element::Element;
use crate::error::TensorError;
use crate::memory::OutOfMemory;
use crate::shape::{Shape, Strides};
use crate::view::View;
use std::fmt;
use std::ops::Range;

/// Elements of one type, laid out by a shape, over a buffer that clones and views share.
///
/// ```
/// use whimbrel_tensor::Tensor;
///
/// let weights = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
/// let column = weights.slice(1, 1..2)?.reshape([2])?;
/// assert_eq!(column.to_vec::<f32>()?, [2.0, 5.0]);
/// assert!(column.shares_buffer(&weights));
/// # Ok::<(), whimbrel_tensor::TensorError>(())
/// ```
#[derive(Clone)]
pub struct Tensor {
    pub(crate) buffer: Buffer,
    pub(crate) dtype: DType,
    pub(crate) view: View,
}

impl Tensor {
    /// A tensor of zeros. Pages never touched cost no memory.
    pub fn zeros(dtype: DType, shape: impl Into<Shape>) -> Result<Self, TensorError> {
        let shape = shape.into();
        let bytes = bytes_of(dtype, shape)
            .ok_or_else(|| TensorError::TooLarge { dtype, shape: shape.into() })?;
        Ok(Tensor { buffer: Buffer::zeroed(bytes)?, dtype, view: View::contiguous(shape) })
    }

    /// A tensor holding a copy of `elements`, given in row-major order.
    pub fn from_slice<T: Element>(
        elements: &[T],
        shape: impl Into<Shape>,
    ) -> Result<Self, TensorError> {
        let shape = shape.into();
        if shape.checked_numel() != Some(elements.len()) {
            return Err(TensorError::ElementCount { shape: shape.into(), given: elements.len() });
        }
        let mut tensor = Tensor::zeros(T::DTYPE, shape)?;
        tensor.as_mut_slice::<T>()?.copy_from_slice(elements);
        Ok(tensor)
    }

    /// A tensor of shape `[]` holding one element.
    pub fn scalar<T: Element>(element: T) -> Result<Self, TensorError> {
        Tensor::from_slice(&[element], Shape::SCALAR)
    }

    /// The elements at the start of `buffer`, in row-major order, without a copy.
    pub fn from_buffer(
        buffer: Buffer,
        dtype: DType,
        shape: impl Into<Shape>,
    ) -> Result<Self, TensorError> {
        let shape = shape.into();
        let bytes = bytes_of(dtype, shape)
            .ok_or_else(|| TensorError::TooLarge { dtype, shape: shape.into() })?;
        if bytes > buffer.len() {
            return Err(TensorError::BufferTooShort {
                dtype,
                shape: shape.into(),
                bytes: buffer.len(),
            });
        }
        Ok(Tensor { buffer, dtype, view: View::contiguous(shape) })
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The size of every axis.
    pub fn shape(&self) -> Shape {
        self.view.shape()
    }

    /// The step of every axis, in elements.
    pub fn strides(&self) -> Strides {
        self.view.strides()
    }

    /// Where in the buffer the first element lies, in elements.
    pub fn offset(&self) -> usize {
        self.view.offset()
    }

    /// The number of elements.
    pub fn numel(&self) -> usize {
        self.shape().numel()
    }

    /// The buffer the elements lie in.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Whether both tensors are views of one buffer.
    pub fn shares_buffer(&self, other: &Tensor) -> bool {
        self.buffer.same(&other.buffer)
    }

    /// Whether the elements lie one after the other in row-major order.
    pub fn is_contiguous(&self) -> bool {
        self.view.is_contiguous()
    }

    fn viewed(&self, view: View) -> Tensor {
        Tensor { buffer: self.buffer.clone(), dtype: self.dtype, view }
    }

    /// The indices `range` of one axis, without a copy.
    pub fn slice(&self, axis: usize, range: Range<usize>) -> Result<Tensor, TensorError> {
        self.slice_step(axis, range, 1)
    }

    /// Every `step`-th index in `range` of one axis, without a copy.
    pub fn slice_step(
        &self,
        axis: usize,
        range: Range<usize>,
        step: usize,
    ) -> Result<Tensor, TensorError> {
        Ok(self.viewed(self.view.slice(axis, range, step)?))
    }

    /// Another shape over the same elements in the same order, without a copy; an error where the
    /// strides would need one.
    pub fn reshape(&self, shape: impl Into<Shape>) -> Result<Tensor, TensorError> {
        Ok(self.viewed(self.view.reshape(shape.into())?))
    }

    /// The axes in another order, without a copy: axis `i` of the result is axis `order[i]`.
    pub fn permute(&self, order: &[usize]) -> Result<Tensor, TensorError> {
        Ok(self.viewed(self.view.permute(order)?))
    }

    /// Two axes swapped, without a copy.
    pub fn transpose(&self, lhs: usize, rhs: usize) -> Result<Tensor, TensorError> {
        let (shape, rank) = (self.shape(), self.shape().rank());
        if let Some(axis) = [lhs, rhs].into_iter().find(|&axis| axis >= rank) {
            return Err(TensorError::NoSuchAxis { axis, shape: shape.into() });
        }
        let mut order: Vec<usize> = (0..rank).collect();
        order.swap(lhs, rhs);
        self.permute(&order)
    }

    /// The elements repeated to a larger shape, without a copy: axes are matched from the last,
    /// those of size 1 are repeated, missing ones added.
    pub fn broadcast(&self, shape: impl Into<Shape>) -> Result<Tensor, TensorError> {
        Ok(self.viewed(self.view.broadcast(shape.into())?))
    }

    /// Consecutive parts of one axis, without a copy; `sizes` must add up to the axis.
    pub fn split(&self, axis: usize, sizes: &[usize]) -> Result<Vec<Tensor>, TensorError> {
        let shape = self.shape();
        let size = *shape
            .get(axis)
            .ok_or_else(|| TensorError::NoSuchAxis { axis, shape: shape.into() })?;
        let sum = sizes.iter().try_fold(0usize, |sum, &part| sum.checked_add(part));
        if sum != Some(size) {
            return Err(TensorError::BadSplit { sizes: sizes.to_vec(), axis, shape: shape.into() });
        }
        let mut start = 0;
        let part = |&part: &usize| {
            let range = start..start + part;
            start = range.end;
            self.slice(axis, range)
        };
        sizes.iter().map(part).collect()
    }

    /// The same elements, contiguous: this tensor again where it is already, a copy otherwise.
    pub fn contiguous(&self) -> Result<Tensor, OutOfMemory> {
        if self.is_contiguous() { Ok(self.clone()) } else { self.copy() }
    }

    /// A contiguous copy in a buffer of its own.
    pub fn copy(&self) -> Result<Tensor, OutOfMemory> {
        let too_large = OutOfMemory { bytes: usize::MAX };
        let bytes = bytes_of(self.dtype, self.shape()).ok_or(too_large)?;
        let mut buffer = Buffer::zeroed(bytes)?;
        if let Some(dst) = buffer.bytes_mut() {
            self.gather_bytes(dst);
        }
        Ok(Tensor { buffer, dtype: self.dtype, view: View::contiguous(self.shape()) })
    }
}

fn bytes_of(dtype: DType, shape: Shape) -> Option<usize> {
    shape.checked_numel()?.checked_mul(dtype.size())
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({} {}", self.dtype, self.shape())?;
        if !self.is_contiguous() {
            write!(f, " strides {}", self.strides())?;
        }
        f.write_str(")")
    }
}
