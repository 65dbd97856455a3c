//! Reading and writing a tensor's elements.
//!
//! Contiguous tensors give slices, all give iterators and copies. Writing needs the only handle on
//! the buffer, so that no other tensor changes under its owner, and a view in which every index has
//! an element of its own.

use crate::dtype::DType;
use crate::element::Element;
use crate::error::TensorError;
use crate::tensor::Tensor;
use crate::view::{Offsets, View};

/// The elements of a tensor in row-major order.
#[derive(Clone, Debug)]
pub struct Iter<'t, T> {
    elements: &'t [T],
    offsets: Offsets,
}

impl<T: Element> Iterator for Iter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.offsets.next().map(|offset| self.elements[offset])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.offsets.size_hint()
    }
}

impl<T: Element> ExactSizeIterator for Iter<'_, T> {}

impl Tensor {
    /// The elements of a contiguous tensor.
    pub fn as_slice<T: Element>(&self) -> Result<&[T], TensorError> {
        self.check_contiguous()?;
        self.extent()
    }

    /// The elements in row-major order, whatever the strides.
    pub fn iter<T: Element>(&self) -> Result<Iter<'_, T>, TensorError> {
        let from_zero = View { offset: 0, ..self.view };
        Ok(Iter { elements: self.extent()?, offsets: from_zero.offsets() })
    }

    /// A copy of the elements in row-major order.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, TensorError> {
        if self.is_contiguous() {
            return Ok(self.as_slice()?.to_vec());
        }
        Ok(self.iter()?.collect())
    }

    /// One element.
    pub fn get<T: Element>(&self, index: &[usize]) -> Result<T, TensorError> {
        let at = self.view.locate(index)? - self.offset();
        let elements = self.extent::<T>()?;
        Ok(elements[at])
    }

    /// The elements of a contiguous tensor, to be written.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T], TensorError> {
        self.check_contiguous()?;
        self.extent_mut()
    }

    /// Applies `update` to every element in row-major order, whatever the strides.
    pub fn update<T: Element>(
        &mut self,
        mut update: impl FnMut(&mut T),
    ) -> Result<(), TensorError> {
        let from_zero = View { offset: 0, ..self.view };
        let elements = self.extent_mut::<T>()?;
        from_zero.offsets().for_each(|offset| update(&mut elements[offset]));
        Ok(())
    }

    /// Sets every element.
    pub fn fill<T: Element>(&mut self, value: T) -> Result<(), TensorError> {
        self.update(|element| *element = value)
    }

    /// Copies the elements of a tensor of the same type and shape into this one.
    pub fn assign(&mut self, src: &Tensor) -> Result<(), TensorError> {
        let (dst_shape, src_shape) = (self.shape(), src.shape());
        if dst_shape != src_shape {
            return Err(TensorError::ShapesDiffer { dst: dst_shape.into(), src: src_shape.into() });
        }
        match src.dtype {
            DType::F32 => self.assign_as::<f32>(src),
            DType::F64 => self.assign_as::<f64>(src),
            DType::I32 => self.assign_as::<i32>(src),
            DType::I64 => self.assign_as::<i64>(src),
            DType::Bool => self.assign_as::<bool>(src),
            DType::BF16 => self.assign_as::<half::bf16>(src),
            DType::F16 => self.assign_as::<half::f16>(src),
            DType::I8 => self.assign_as::<i8>(src),
        }
    }

    fn assign_as<T: Element>(&mut self, src: &Tensor) -> Result<(), TensorError> {
        if let (true, true) = (self.is_contiguous(), src.is_contiguous()) {
            self.as_mut_slice::<T>()?.copy_from_slice(src.as_slice()?);
            return Ok(());
        }
        let mut elements = src.iter::<T>()?;
        self.update::<T>(|element| {
            if let Some(value) = elements.next() {
                *element = value;
            }
        })
    }

    fn check_contiguous(&self) -> Result<(), TensorError> {
        if self.is_contiguous() {
            return Ok(());
        }
        Err(TensorError::NotContiguous {
            shape: self.shape().into(),
            strides: self.strides().into(),
        })
    }

    fn check_dtype<T: Element>(&self) -> Result<(), TensorError> {
        if self.dtype == T::DTYPE {
            return Ok(());
        }
        Err(TensorError::WrongDType { stored: self.dtype, asked: T::DTYPE })
    }

    /// The elements from the first to the last one reached.
    fn extent<T: Element>(&self) -> Result<&[T], TensorError> {
        self.check_dtype::<T>()?;
        // The view lies within the buffer, so only bytes that are no bool can be refused.
        let not_bool = || TensorError::NotBool { shape: self.shape().into() };
        self.buffer.elements(self.view.extent()).ok_or_else(not_bool)
    }

    /// The elements from the first to the last one reached, to be written.
    fn extent_mut<T: Element>(&mut self) -> Result<&mut [T], TensorError> {
        self.check_dtype::<T>()?;
        let (shape, strides) = (self.shape(), self.strides());
        if self.view.overlaps_itself() {
            return Err(TensorError::SelfOverlapping {
                shape: shape.into(),
                strides: strides.into(),
            });
        }
        if self.buffer.is_shared() {
            return Err(TensorError::Shared { shape: shape.into() });
        }
        let not_bool = || TensorError::NotBool { shape: shape.into() };
        self.buffer.elements_mut(self.view.extent()).ok_or_else(not_bool)
    }

    /// Copies the elements, whatever their type, into `dst` in row-major order.
    pub(crate) fn gather_bytes(&self, dst: &mut [u8]) {
        match self.dtype.size() {
            1 => self.gather_words::<1>(dst),
            2 => self.gather_words::<2>(dst),
            4 => self.gather_words::<4>(dst),
            _ => self.gather_words::<8>(dst),
        }
    }

    fn gather_words<const SIZE: usize>(&self, dst: &mut [u8]) {
        let (src, _) = self.buffer.bytes().as_chunks::<SIZE>();
        let (dst, _) = dst.as_chunks_mut::<SIZE>();
        if self.is_contiguous() {
            dst.copy_from_slice(&src[self.view.extent()]);
            return;
        }
        for (to, from) in dst.iter_mut().zip(self.view.offsets()) {
            *to = src[from];
        }
    }
}
