//! One block of zeroed, aligned memory: the only place that asks the system for it.
//!
//! Small blocks come from the allocator, 64-byte aligned. Blocks of [`HUGE_PAGE`] bytes and more are
//! aligned to a huge page and, on Linux, mapped directly and advised to use huge pages. Either way
//! zeroing is left to the system, so pages never touched cost nothing.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::num::NonZero;
use std::ptr::NonNull;

/// Alignment of every block: a cache line, and the widest vector register.
pub const ALIGN: usize = 64;

/// From this size on, blocks are aligned to a huge page and ask for them.
pub const HUGE_PAGE: usize = 2 << 20;

/// `alloc_zeroed` with a larger alignment than this allocates and then clears, touching every page.
const MALLOC_ALIGN: usize = 16;

/// The system refused memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("out of memory: {bytes} bytes were asked for")]
pub struct OutOfMemory {
    /// Bytes asked for.
    pub bytes: usize,
}

/// Uniquely owned memory, initialised throughout.
pub(crate) struct Block {
    ptr: NonNull<u8>,
    len: usize,
    origin: Origin,
}

/// Where a block came from, and so how it goes back.
enum Origin {
    /// Nothing was allocated.
    Empty,
    /// The allocator, at `base`; the block starts at the first aligned address in it.
    Heap { base: NonNull<u8>, layout: Layout },
    /// Pages of its own, exactly those the block spans.
    #[cfg(all(target_os = "linux", not(miri)))]
    Mapped { bytes: usize },
}

// SAFETY: a block is plain memory owned by one value; nothing about it is tied to a thread.
unsafe impl Send for Block {}
// SAFETY: through `&Block` memory is only handed out as a raw pointer or read.
unsafe impl Sync for Block {}

impl Block {
    /// A zeroed block of `len` bytes.
    pub fn zeroed(len: usize) -> Result<Self, OutOfMemory> {
        let placed = match len {
            0 => return Ok(Block::default()),
            1..HUGE_PAGE => heap(len, ALIGN),
            _ => large(len),
        };
        let (ptr, origin) = placed.ok_or(OutOfMemory { bytes: len })?;
        Ok(Block { ptr, len, origin })
    }

    /// The first byte. All `len` bytes may be read and written through it, under the usual
    /// aliasing rules, for as long as the block lives.
    pub fn ptr(&self) -> *mut u8 {
        self.ptr.as_ptr()
    }

    /// Bytes in the block.
    pub fn len(&self) -> usize {
        self.len
    }
}

impl Default for Block {
    /// A block of no bytes; its pointer is aligned and dangles.
    fn default() -> Self {
        let ptr = NonNull::without_provenance(const { NonZero::new(ALIGN).unwrap() });
        Block { ptr, len: 0, origin: Origin::Empty }
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Block").field("at", &self.ptr).field("len", &self.len).finish()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        match self.origin {
            Origin::Empty => {}
            Origin::Heap { base, layout } => {
                // SAFETY: `base` came from `alloc_zeroed` with this layout and is freed only here.
                unsafe { dealloc(base.as_ptr(), layout) }
            }
            #[cfg(all(target_os = "linux", not(miri)))]
            Origin::Mapped { bytes } => {
                // SAFETY: the block owns exactly these pages and unmaps them only here.
                unsafe { libc::munmap(self.ptr.as_ptr().cast(), bytes) };
            }
        }
    }
}

/// Takes `len` zeroed bytes at a multiple of `align` from the allocator.
fn heap(len: usize, align: usize) -> Option<(NonNull<u8>, Origin)> {
    let slack = align - MALLOC_ALIGN;
    let layout = Layout::from_size_align(len.checked_add(slack)?, MALLOC_ALIGN).ok()?;
    // SAFETY: the layout's size is not zero, since `len` is not.
    let base = NonNull::new(unsafe { alloc_zeroed(layout) })?;
    let skip = base.as_ptr().addr().next_multiple_of(align) - base.as_ptr().addr();
    // SAFETY: `base` is a multiple of MALLOC_ALIGN, so `skip` is at most `slack`: in bounds.
    let ptr = unsafe { base.add(skip) };
    Some((ptr, Origin::Heap { base, layout }))
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn large(len: usize) -> Option<(NonNull<u8>, Origin)> {
    heap(len, HUGE_PAGE)
}

/// Maps `len` bytes at a multiple of [`HUGE_PAGE`]: maps one huge page more, then returns the ends.
#[cfg(all(target_os = "linux", not(miri)))]
fn large(len: usize) -> Option<(NonNull<u8>, Origin)> {
    // SAFETY: sysconf only reads a constant of the system.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    let bytes = len.checked_next_multiple_of(page)?;
    let reserved = bytes.checked_add(HUGE_PAGE)?;
    // SAFETY: a new private anonymous mapping at an address of the system's choice touches no
    // memory in use.
    let base = unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::mmap(std::ptr::null_mut(), reserved, access, flags, -1, 0)
    };
    if base == libc::MAP_FAILED {
        return None;
    }
    let base = base.cast::<u8>();
    let head = base.addr().next_multiple_of(HUGE_PAGE) - base.addr();
    let tail = HUGE_PAGE - head;
    // SAFETY: `head + bytes + tail == reserved` and `head < HUGE_PAGE`, so every pointer is inside the
    // mapping just made; all three lengths are multiples of the page size; nobody else knows them.
    let ptr = unsafe {
        let ptr = base.add(head);
        if head > 0 {
            libc::munmap(base.cast(), head);
        }
        libc::munmap(ptr.add(bytes).cast(), tail);
        // Advice only: where it is refused the memory works the same on small pages.
        libc::madvise(ptr.cast(), bytes, libc::MADV_HUGEPAGE);
        ptr
    };
    Some((NonNull::new(ptr)?, Origin::Mapped { bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(block: &Block) -> &[u8] {
        // SAFETY: the block is initialised and nothing writes to it here.
        unsafe { std::slice::from_raw_parts(block.ptr(), block.len()) }
    }

    #[test]
    fn blocks_are_aligned_and_zeroed_at_every_size() {
        let sizes = [0, 1, 63, 64, 65, 4096, 100_000, HUGE_PAGE - 1, HUGE_PAGE, 3 * HUGE_PAGE + 17];
        for len in sizes {
            let block = Block::zeroed(len).unwrap();
            let align = if len >= HUGE_PAGE { HUGE_PAGE } else { ALIGN };
            assert_eq!(block.ptr().addr() % align, 0, "{len} bytes");
            assert_eq!(block.len(), len);
            assert!(bytes(&block).iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for len in [usize::MAX, usize::MAX - HUGE_PAGE, isize::MAX as usize] {
            assert_eq!(Block::zeroed(len).err(), Some(OutOfMemory { bytes: len }));
        }
    }

    #[cfg(all(target_os = "linux", not(miri)))]
    #[test]
    fn untouched_pages_are_not_resident() {
        let resident = |block: &Block| {
            // SAFETY: sysconf only reads a constant of the system.
            let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
            let mut pages = vec![0u8; block.len().div_ceil(page)];
            // SAFETY: the block spans whole pages and `pages` has an entry for each.
            let rc = unsafe { libc::mincore(block.ptr().cast(), block.len(), pages.as_mut_ptr()) };
            assert_eq!(rc, 0);
            pages.iter().filter(|&&page| page & 1 == 1).count() * page
        };
        let block = Block::zeroed(32 * HUGE_PAGE).unwrap();
        assert_eq!(resident(&block), 0);
        // SAFETY: in bounds of a block nobody else uses.
        unsafe { block.ptr().write(1) };
        assert!((1..=HUGE_PAGE).contains(&resident(&block)));
    }
}
