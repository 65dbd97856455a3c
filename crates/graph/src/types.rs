//! What is known of a value before anything runs: element type and shape.

use std::fmt;
use whimbrel_tensor::{DType, Shape};

/// Element type and shape of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type {
    /// Element type.
    pub dtype: DType,
    /// Sizes, outermost axis first.
    pub shape: Shape,
}

impl Type {
    /// f32 of this shape.
    pub fn f32(shape: impl Into<Shape>) -> Type {
        Type { dtype: DType::F32, shape: shape.into() }
    }

    /// i32 of this shape: indices and labels.
    pub fn i32(shape: impl Into<Shape>) -> Type {
        Type { dtype: DType::I32, shape: shape.into() }
    }

    /// The same element type with another shape.
    pub fn with_shape(self, shape: Shape) -> Type {
        Type { shape, ..self }
    }

    /// Number of elements.
    pub fn numel(&self) -> usize {
        self.shape.numel()
    }

    /// Number of bytes, unpadded.
    pub fn bytes(&self) -> usize {
        self.numel() * self.dtype.size()
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}{}", self.dtype.name().to_lowercase(), self.shape)
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl<const N: usize> From<[usize; N]> for Type
where
    Shape: From<[usize; N]>,
{
    fn from(shape: [usize; N]) -> Type {
        Type::f32(shape)
    }
}

impl From<Shape> for Type {
    fn from(shape: Shape) -> Type {
        Type::f32(shape)
    }
}
