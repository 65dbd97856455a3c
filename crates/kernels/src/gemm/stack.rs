//! Scratch on the stack, on a cache line's boundary: vectors that straddle two lines are loaded
//! twice.

use std::mem::MaybeUninit;

/// Room for `N` elements, not written yet.
#[repr(C, align(64))]
pub(super) struct Stack<const N: usize>([MaybeUninit<f32>; N]);

impl<const N: usize> Stack<N> {
    pub(super) const fn new() -> Self {
        Stack([MaybeUninit::uninit(); N])
    }

    pub(super) fn as_mut_ptr(&mut self) -> *mut f32 {
        self.0.as_mut_ptr().cast()
    }
}
