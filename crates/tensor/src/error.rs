//! What can go wrong when tensors are made, viewed, read or written.
//!
//! Shapes are boxed to keep `Result`s small where nothing goes wrong.

use crate::dtype::DType;
use crate::memory::OutOfMemory;
use crate::shape::{Shape, Strides, TooManyAxes};

/// A refused tensor operation, with the shapes that explain it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TensorError {
    /// The system refused memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// A shape with too many axes.
    #[error(transparent)]
    TooManyAxes(#[from] TooManyAxes),
    /// The number of elements given is not that of the shape.
    #[error("shape {shape} needs {} elements, but {given} were given", shape.numel())]
    ElementCount {
        /// The shape asked for.
        shape: Box<Shape>,
        /// The number of elements given.
        given: usize,
    },
    /// The tensor would not fit the address space.
    #[error("a tensor of {dtype} {shape} is larger than the address space")]
    TooLarge {
        /// The element type.
        dtype: DType,
        /// The shape asked for.
        shape: Box<Shape>,
    },
    /// The buffer is too short for the shape.
    #[error("{dtype} {shape} does not fit a buffer of {bytes} bytes")]
    BufferTooShort {
        /// The element type.
        dtype: DType,
        /// The shape asked for.
        shape: Box<Shape>,
        /// Bytes in the buffer.
        bytes: usize,
    },
    /// Elements were read or written as another type than they have.
    #[error("a tensor of {stored} was accessed as {asked}")]
    WrongDType {
        /// The type the tensor has.
        stored: DType,
        /// The type asked for.
        asked: DType,
    },
    /// A byte read as a truth value is neither 0 nor 1.
    #[error("a byte of a BOOL tensor {shape} is neither 0 nor 1")]
    NotBool {
        /// The tensor's shape.
        shape: Box<Shape>,
    },
    /// Two shapes should have been the same.
    #[error("shapes differ: {dst} cannot take the elements of {src}")]
    ShapesDiffer {
        /// The shape written to.
        dst: Box<Shape>,
        /// The shape read from.
        src: Box<Shape>,
    },
    /// A slice of elements was asked of a tensor whose elements are not contiguous.
    #[error("not contiguous: shape {shape} with strides {strides}; copy with contiguous() first")]
    NotContiguous {
        /// The tensor's shape.
        shape: Box<Shape>,
        /// Its strides.
        strides: Box<Strides>,
    },
    /// An axis the tensor does not have.
    #[error("no axis {axis} in shape {shape}")]
    NoSuchAxis {
        /// The axis asked for.
        axis: usize,
        /// The tensor's shape.
        shape: Box<Shape>,
    },
    /// An index past the shape, or with another number of axes.
    #[error("no element {index:?} in shape {shape}")]
    NoSuchElement {
        /// The index asked for.
        index: Vec<usize>,
        /// The tensor's shape.
        shape: Box<Shape>,
    },
    /// A range that is reversed, leaves the axis, or has step 0.
    #[error("range {start}..{end} step {step} does not lie on axis {axis} of shape {shape}")]
    BadRange {
        /// The axis sliced.
        axis: usize,
        /// First index.
        start: usize,
        /// One past the last index.
        end: usize,
        /// Distance between indices.
        step: usize,
        /// The tensor's shape.
        shape: Box<Shape>,
    },
    /// Reshaping to another number of elements.
    #[error("cannot reshape {from} ({} elements) to {to} ({})", from.numel(), to.numel())]
    ReshapeCount {
        /// The tensor's shape.
        from: Box<Shape>,
        /// The shape asked for.
        to: Box<Shape>,
    },
    /// The strides cannot express the new shape over the same memory.
    #[error("reshaping {from} with strides {strides} to {to} needs a copy; use contiguous() first")]
    ReshapeNeedsCopy {
        /// The tensor's shape.
        from: Box<Shape>,
        /// Its strides.
        strides: Box<Strides>,
        /// The shape asked for.
        to: Box<Shape>,
    },
    /// An order of axes that does not name each axis once.
    #[error("{order:?} does not name each axis of {shape} once")]
    BadOrder {
        /// The order asked for.
        order: Vec<usize>,
        /// The tensor's shape.
        shape: Box<Shape>,
    },
    /// A shape that does not broadcast to the other.
    #[error("cannot broadcast {from} to {to}")]
    CannotBroadcast {
        /// The tensor's shape.
        from: Box<Shape>,
        /// The shape asked for.
        to: Box<Shape>,
    },
    /// Parts of a split that do not add up to the axis.
    #[error("parts {sizes:?} do not add up to axis {axis} of shape {shape}")]
    BadSplit {
        /// Sizes of the parts.
        sizes: Vec<usize>,
        /// The axis split.
        axis: usize,
        /// The tensor's shape.
        shape: Box<Shape>,
    },
    /// Writing while another tensor or handle shares the buffer.
    #[error("cannot write to the tensor of shape {shape}: its buffer is shared")]
    Shared {
        /// The tensor's shape.
        shape: Box<Shape>,
    },
    /// Writing through a view that reaches an element by two indices.
    #[error("cannot write to the tensor of shape {shape} with strides {strides}: elements overlap")]
    SelfOverlapping {
        /// The tensor's shape.
        shape: Box<Shape>,
        /// Its strides.
        strides: Box<Strides>,
    },
}
