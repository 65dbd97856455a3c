//! Memory, and the shapes laid over it.
//!
//! [`Tensor`] is a strided view of a shared, aligned [`Buffer`]; viewing copies nothing. [`Pool`]
//! reuses buffers. [`Arena`] is the memory of a compiled plan: it hands out slices to many threads
//! that were proved disjoint when the plan was made. [`Mapped`] is a file as memory. All `unsafe` code is
//! in `memory`, [`buffer`], [`arena`] and `mapped`; start reading there.
//!
//! ```
//! use whimbrel_tensor::arena::{Access, Arena, Span, Stages};
//! use whimbrel_tensor::Tensor;
//!
//! let batch = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
//! let lanes = batch.transpose(0, 1)?;
//! assert!(lanes.shares_buffer(&batch));
//!
//! // Two pieces that may run at once, each doubling half of `x` into half of `y`.
//! let (x, y) = (Span::new(0, 6), Span::new(16, 6));
//! let half = |of: Span, i: usize| Span::new(of.offset + 3 * i, 3);
//! let piece = |i| vec![Access::new([half(x, i)], [half(y, i)])];
//! let stages = Stages::prove(32, vec![vec![piece(0), piece(1)]])?;
//!
//! let mut arena = Arena::new(32)?;
//! arena.slice_mut(x).copy_from_slice(lanes.contiguous()?.as_slice()?);
//! let open = arena.open(&stages)?;
//! std::thread::scope(|scope| {
//!     for i in 0..2 {
//!         let open = &open;
//!         scope.spawn(move || {
//!             let Some(mut guard) = open.enter(0, i) else { return };
//!             let ([x], [y]) = guard.step(0).get();
//!             y.iter_mut().zip(x).for_each(|(y, x)| *y = 2.0 * x);
//!         });
//!     }
//! });
//! assert_eq!(arena.slice(y), [2.0, 8.0, 4.0, 10.0, 6.0, 12.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod access;
pub mod arena;
pub mod buffer;
pub mod dtype;
pub mod element;
pub mod error;
mod mapped;
mod memory;
pub mod pool;
pub mod shape;
pub mod tensor;
pub mod view;

pub use arena::Arena;
pub use buffer::Buffer;
pub use dtype::DType;
pub use element::Element;
pub use error::TensorError;
pub use mapped::Mapped;
pub use memory::OutOfMemory;
pub use pool::{Pool, PoolConfig};
pub use shape::{Shape, Strides};
pub use tensor::Tensor;
pub use view::View;
