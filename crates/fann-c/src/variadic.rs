//! The constructors that take the sizes of layers as separate arguments. Stable Rust can call variadic
//! functions but not define them, so the first instructions are written out: they put the arguments
//! that came in registers into memory and hand on where those and the rest lie.

use std::ffi::c_uint;

use crate::create::{fann_create_shortcut_array, fann_create_sparse_array};
use crate::layout::Ann;

#[cfg(target_arch = "x86_64")]
mod entry {
    use super::*;
    use crate::edge::guard;

    /// Declares an entry: named arguments in edi and xmm0, then up to five sizes in registers and the
    /// rest on the stack, each in a place of eight bytes.
    macro_rules! entry {
        ($($name:ident => $target:ident),*) => { $(
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name() {
                std::arch::naked_asm!(
                    "sub rsp, 56",
                    "mov [rsp], rsi",
                    "mov [rsp + 8], rdx",
                    "mov [rsp + 16], rcx",
                    "mov [rsp + 24], r8",
                    "mov [rsp + 32], r9",
                    "mov rsi, rsp",
                    "lea rdx, [rsp + 64]",
                    "call {target}",
                    "add rsp, 56",
                    "ret",
                    target = sym $target,
                )
            }
        )* };
    }

    entry!(
        fann_create_standard => standard,
        fann_create_sparse => sparse,
        fann_create_shortcut => shortcut
    );

    /// The sizes of the layers: the first five in registers, the others on the stack.
    ///
    /// # Safety
    /// The caller passed `count` sizes, and the pointers are those of the entry.
    unsafe fn sizes(count: c_uint, registers: *const u64, stack: *const u64) -> Vec<c_uint> {
        let word = |i: usize| match i.checked_sub(5) {
            // SAFETY: the caller's promise.
            None => unsafe { registers.add(i).read() },
            // SAFETY: the caller's promise.
            Some(i) => unsafe { stack.add(i).read() },
        };
        (0..count as usize).map(|i| word(i) as c_uint).collect()
    }

    unsafe extern "C" fn standard(
        count: c_uint,
        registers: *const u64,
        stack: *const u64,
    ) -> *mut Ann {
        // SAFETY: called by the entry.
        unsafe { sparse(count, registers, stack, 1.0) }
    }

    unsafe extern "C" fn sparse(
        count: c_uint,
        registers: *const u64,
        stack: *const u64,
        rate: f32,
    ) -> *mut Ann {
        guard(std::ptr::null_mut(), || {
            // SAFETY: called by the entry.
            let sizes = unsafe { sizes(count, registers, stack) };
            // SAFETY: as many sizes as are counted.
            unsafe { fann_create_sparse_array(rate, count, sizes.as_ptr()) }
        })
    }

    unsafe extern "C" fn shortcut(
        count: c_uint,
        registers: *const u64,
        stack: *const u64,
    ) -> *mut Ann {
        guard(std::ptr::null_mut(), || {
            // SAFETY: called by the entry.
            let sizes = unsafe { sizes(count, registers, stack) };
            // SAFETY: as many sizes as are counted.
            unsafe { fann_create_shortcut_array(count, sizes.as_ptr()) }
        })
    }
}

/// Elsewhere: up to seven layers, which travel as fixed arguments do.
#[cfg(not(target_arch = "x86_64"))]
mod entry {
    use super::*;
    use crate::edge::export;
    use whimbrel_fann::Error;

    /// The first of seven sizes, with an error where more were passed.
    fn sizes(count: c_uint, sizes: &[c_uint; 7]) -> Option<&[c_uint]> {
        let known = sizes.get(..count as usize);
        if known.is_none() {
            crate::error::report(None, &Error::CantAllocateMem);
        }
        known
    }

    macro_rules! entry {
        ($($name:ident($($rate:ident)?) => $target:ident($($first:expr)?);)*) => { export! { $(
            fn $name(
                $($rate: f32,)?
                count: c_uint,
                a: c_uint, b: c_uint, c: c_uint, d: c_uint, e: c_uint, f: c_uint, g: c_uint,
            ) -> *mut Ann {
                let Some(sizes) = sizes(count, &[a, b, c, d, e, f, g]) else {
                    return std::ptr::null_mut();
                };
                // SAFETY: as many sizes as are counted.
                unsafe { $target($($first,)? count, sizes.as_ptr()) }
            }
        )* } };
    }

    entry! {
        fann_create_standard() => fann_create_sparse_array(1.0);
        fann_create_sparse(rate) => fann_create_sparse_array(rate);
        fann_create_shortcut() => fann_create_shortcut_array();
    }
}
