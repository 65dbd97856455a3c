//! The slices of one step.
//!
//! Kernel call sites read `let ([x, w], [y]) = views.get();`. Steps whose number of operands is
//! not known when compiling take those that are known by [`Views::split_at`] first, and use
//! [`Views::split`] on the rest.

use super::span::{Span, as_i32};
use std::marker::PhantomData;

/// The words a step reads and writes, each ready to become a slice.
pub struct Views<'v> {
    reads: Reads<'v>,
    writes: Writes<'v>,
}

/// The slices a step reads, in the order of its access.
#[derive(Clone, Copy)]
pub struct Reads<'v> {
    base: *const f32,
    spans: &'v [Span],
    _words: PhantomData<&'v [f32]>,
}

/// The slices a step writes, in the order of its access: an iterator, since each is given out once.
pub struct Writes<'v> {
    base: *mut f32,
    spans: std::slice::Iter<'v, Span>,
    _words: PhantomData<&'v mut [f32]>,
}

// SAFETY: stands for `&[f32]`s, which are Send.
unsafe impl Send for Reads<'_> {}
// SAFETY: stands for `&[f32]`s, which are Sync.
unsafe impl Sync for Reads<'_> {}
// SAFETY: stands for `&mut [f32]`s, which are Send.
unsafe impl Send for Writes<'_> {}
// SAFETY: a shared reference gives out nothing.
unsafe impl Sync for Writes<'_> {}

impl<'v> Views<'v> {
    /// # Safety
    /// For 'v, all spans are in bounds of initialised words at `base`; words of `reads` are written
    /// by nobody, words of `writes` are accessed by nobody else, and `writes` overlap neither each
    /// other nor `reads`.
    #[inline]
    pub(super) unsafe fn new(base: *mut f32, reads: &'v [Span], writes: &'v [Span]) -> Self {
        Views {
            reads: Reads { base, spans: reads, _words: PhantomData },
            writes: Writes { base, spans: writes.iter(), _words: PhantomData },
        }
    }

    /// All slices of a step with `R` reads and `W` writes.
    ///
    /// # Panics
    /// When the step has another number of either.
    #[inline]
    pub fn get<const R: usize, const W: usize>(self) -> ([&'v [f32]; R], [&'v mut [f32]; W]) {
        let (reads, writes) = (self.reads.spans, self.writes.spans.as_slice());
        let (Ok(reads), Ok(writes)) = (<&[Span; R]>::try_from(reads), writes.try_into()) else {
            wrong_arity([R, W], [reads.len(), writes.len()])
        };
        let writes: &[Span; W] = writes;
        // SAFETY: by the contract of `new`; consuming the views makes every slice once.
        unsafe {
            (
                reads.each_ref().map(|&span| slice(self.reads.base, span)),
                writes.each_ref().map(|&span| slice_mut(self.writes.base, span)),
            )
        }
    }

    /// The first so many reads and writes, and the rest.
    ///
    /// # Panics
    /// When the step has fewer of either.
    #[inline]
    pub fn split_at(self, reads: usize, writes: usize) -> (Views<'v>, Views<'v>) {
        let (read, written) = (self.reads.spans, self.writes.spans.as_slice());
        let parts = (read.split_at_checked(reads), written.split_at_checked(writes));
        let (Some(reads), Some(writes)) = parts else {
            wrong_arity([reads, writes], [read.len(), written.len()])
        };
        // Every span stays in one of the two, so that no slice is made twice.
        let part = |reads: &'v [Span], writes: &'v [Span]| Views {
            reads: Reads { spans: reads, ..self.reads },
            writes: Writes { base: self.writes.base, spans: writes.iter(), _words: PhantomData },
        };
        (part(reads.0, writes.0), part(reads.1, writes.1))
    }

    /// Reads and writes apart, for steps with any number of either.
    #[inline]
    pub fn split(self) -> (Reads<'v>, Writes<'v>) {
        (self.reads, self.writes)
    }
}

impl<'v> Reads<'v> {
    /// The number of slices.
    #[inline]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether the step reads nothing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// A slice; `None` when there is no such read.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&'v [f32]> {
        // SAFETY: by the contract of `Views::new`.
        self.spans.get(index).map(|&span| unsafe { slice(self.base, span) })
    }

    /// A slice of integers; `None` when there is no such read.
    #[inline]
    pub fn get_i32(&self, index: usize) -> Option<&'v [i32]> {
        self.get(index).map(as_i32)
    }

    /// The slices in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'v [f32]> + use<'v> {
        let Reads { base, spans, .. } = *self;
        // SAFETY: by the contract of `Views::new`.
        spans.iter().map(move |&span| unsafe { slice(base, span) })
    }
}

impl<'v> Iterator for Writes<'v> {
    type Item = &'v mut [f32];

    #[inline]
    fn next(&mut self) -> Option<&'v mut [f32]> {
        // SAFETY: by the contract of `Views::new`; the iterator gives each span out once.
        self.spans.next().map(|&span| unsafe { slice_mut(self.base, span) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.spans.size_hint()
    }
}

impl ExactSizeIterator for Writes<'_> {}

/// # Safety
/// `span` is in bounds of initialised words at `base` that nobody writes for 'v.
#[inline]
unsafe fn slice<'v>(base: *const f32, span: Span) -> &'v [f32] {
    // SAFETY: by this function's contract.
    unsafe { std::slice::from_raw_parts(base.add(span.offset), span.len) }
}

/// # Safety
/// `span` is in bounds of initialised words at `base` that nobody else accesses for 'v.
#[inline]
unsafe fn slice_mut<'v>(base: *mut f32, span: Span) -> &'v mut [f32] {
    // SAFETY: by this function's contract.
    unsafe { std::slice::from_raw_parts_mut(base.add(span.offset), span.len) }
}

#[cold]
fn wrong_arity(asked: [usize; 2], has: [usize; 2]) -> ! {
    let ([asked_reads, asked_writes], [reads, writes]) = (asked, has);
    panic!(
        "{asked_reads} reads and {asked_writes} writes asked of a step with {reads} and {writes}"
    )
}
