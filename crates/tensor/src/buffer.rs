//! Shared, aligned, always initialised bytes.
//!
//! Cloning a [`Buffer`] shares it. Many may read; writing needs the only handle, which
//! [`Buffer::bytes_mut`] checks. Memory starts zeroed and is aligned to [`ALIGN`] bytes, from
//! [`HUGE_PAGE`] bytes on to a huge page.

use crate::dtype::DType;
use crate::element::Element;
pub use crate::memory::{ALIGN, HUGE_PAGE};
use crate::memory::{Block, OutOfMemory};
use crate::pool::Home;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A handle on shared bytes.
#[derive(Clone)]
pub struct Buffer {
    owner: Arc<Owner>,
    len: usize,
}

/// Holds the memory of all handles, and gives it back where it came from. At least as long as
/// every handle's `len`.
struct Owner {
    block: Block,
    home: Option<Home>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        if let Some(home) = self.home.take() {
            home.give_back(std::mem::take(&mut self.block));
        }
    }
}

impl Buffer {
    /// A new buffer of `len` zero bytes. Pages never touched cost no memory.
    pub fn zeroed(len: usize) -> Result<Self, OutOfMemory> {
        let owner = Owner { block: Block::zeroed(len)?, home: None };
        Ok(Buffer { owner: Arc::new(owner), len })
    }

    /// The first `len` bytes of a pool's block, which goes home when the last handle is dropped.
    pub(crate) fn lent(block: Block, len: usize, home: Home) -> Self {
        let len = len.min(block.len());
        Buffer { owner: Arc::new(Owner { block, home: Some(home) }), len }
    }

    /// A new buffer holding a copy of `bytes`.
    pub fn copy_of(bytes: &[u8]) -> Result<Self, OutOfMemory> {
        let mut buffer = Buffer::zeroed(bytes.len())?;
        if let Some(target) = buffer.bytes_mut() {
            target.copy_from_slice(bytes);
        }
        Ok(buffer)
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the buffer holds no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The contents.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the block holds at least `len` initialised bytes and is written only through the
        // only handle, mutably borrowed, which cannot be while `self` is borrowed.
        unsafe { std::slice::from_raw_parts(self.owner.block.ptr(), self.len) }
    }

    /// The contents, to be written; `None` while another handle shares them.
    pub fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        let owner = Arc::get_mut(&mut self.owner)?;
        // SAFETY: as in `bytes`; and this is the only handle, mutably borrowed.
        Some(unsafe { std::slice::from_raw_parts_mut(owner.block.ptr(), self.len) })
    }

    /// Whether another handle shares the bytes.
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.owner) > 1
    }

    /// Whether both are handles on the same bytes.
    pub fn same(&self, other: &Buffer) -> bool {
        Arc::ptr_eq(&self.owner, &other.owner)
    }

    /// The elements numbered `range`, counted in `T`s from the start; `None` out of bounds.
    ///
    /// `bool` is readable only where every byte is 0 or 1.
    pub fn elements<T: Element>(&self, range: Range<usize>) -> Option<&[T]> {
        let bytes = self.bytes().get(byte_range::<T>(&range)?)?;
        if T::DTYPE == DType::Bool && bytes.iter().any(|&byte| byte > 1) {
            return None;
        }
        // SAFETY: the bytes are `range.len()` elements; the buffer is aligned to ALIGN and
        // elements at most to 8, so a multiple of the element size is aligned; every bit pattern
        // is a value of every Element but `bool`, whose bytes were checked.
        Some(unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), range.len()) })
    }

    /// The elements numbered `range`, to be written; `None` out of bounds, while shared, or where
    /// `bool` bytes are neither 0 nor 1.
    pub fn elements_mut<T: Element>(&mut self, range: Range<usize>) -> Option<&mut [T]> {
        let bytes = self.bytes_mut()?.get_mut(byte_range::<T>(&range)?)?;
        if T::DTYPE == DType::Bool && bytes.iter().any(|&byte| byte > 1) {
            return None;
        }
        // SAFETY: as in `elements`; and elements have no padding, so bytes stay initialised.
        Some(unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), range.len()) })
    }
}

fn byte_range<T: Element>(elements: &Range<usize>) -> Option<Range<usize>> {
    let start = elements.start.checked_mul(size_of::<T>())?;
    let end = elements.end.checked_mul(size_of::<T>())?;
    (start <= end).then_some(start..end)
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer")
            .field("at", &self.owner.block.ptr())
            .field("len", &self.len)
            .field("shared", &self.is_shared())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_and_only_a_sole_handle_writes() {
        let mut buffer = Buffer::zeroed(100).unwrap();
        buffer.bytes_mut().unwrap()[3] = 7;
        let clone = buffer.clone();
        assert!(clone.same(&buffer) && buffer.is_shared());
        assert!(buffer.bytes_mut().is_none());
        assert_eq!(clone.bytes()[3], 7);
        drop(clone);
        assert!(buffer.bytes_mut().is_some());
    }

    #[test]
    fn elements_are_bounds_checked() {
        let mut buffer = Buffer::zeroed(10).unwrap();
        buffer.elements_mut::<f32>(1..2).unwrap()[0] = 1.5;
        assert_eq!(buffer.elements::<f32>(0..2).unwrap(), [0.0, 1.5]);
        assert!(buffer.elements::<f32>(0..3).is_none());
        assert!(buffer.elements::<f64>(usize::MAX / 4..usize::MAX / 2).is_none());
        #[expect(clippy::reversed_empty_ranges, reason = "a reversed range must be refused")]
        let reversed = 2..1;
        assert!(buffer.elements::<f32>(reversed).is_none());
    }

    #[test]
    fn bytes_that_are_no_bool_are_refused() {
        let buffer = Buffer::copy_of(&[0, 1, 2]).unwrap();
        assert_eq!(buffer.elements::<bool>(0..2).unwrap(), [false, true]);
        assert!(buffer.elements::<bool>(0..3).is_none());
    }
}
