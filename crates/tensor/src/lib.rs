//! Memory and the shapes laid over it.
//!
//! [`Buffer`] owns aligned bytes; [`Shape`] and [`DType`] say how they are read; [`Arena`] is the
//! memory of a compiled plan and hands out slices that were proved disjoint when the plan was made.
//! Start reading at [`buffer`], then [`arena`].

pub mod access;
pub mod arena;
pub mod buffer;
pub mod dtype;
pub mod element;
pub mod error;
mod memory;
pub mod shape;
pub mod tensor;
pub mod view;

pub use arena::Arena;
pub use buffer::Buffer;
pub use dtype::DType;
pub use element::Element;
pub use error::TensorError;
pub use memory::OutOfMemory;
pub use shape::{Shape, Strides};
pub use tensor::Tensor;
pub use view::View;
