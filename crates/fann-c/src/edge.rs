//! The door between C and Rust. `export!` declares functions of the C interface: a NULL where a struct is
//! needed makes the call return at once, and a panic ends the call with an error in the struct
//! it was made for. Neither crosses into the program.

use std::ffi::{CStr, OsStr, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use libc::FILE;

use crate::layout::{Ann, Callback, Connection, ErrorData, Layer, Neuron, Real, TrainData};

/// How an argument comes in.
pub(crate) trait Edge: Sized {
    /// What C passes.
    type Raw: Copy;

    /// The argument, or nothing where a pointer that is needed is NULL.
    ///
    /// # Safety
    /// A pointer is NULL or points at what its type says, and nothing else uses that during the call.
    unsafe fn receive(raw: Self::Raw) -> Option<Self>;

    /// Where an error of the call is kept.
    fn owner(_: Self::Raw) -> *mut ErrorData {
        std::ptr::null_mut()
    }
}

macro_rules! plain {
    ($($kind:ty),* $(,)?) => { $(
        impl Edge for $kind {
            type Raw = $kind;
            unsafe fn receive(raw: $kind) -> Option<$kind> { Some(raw) }
        }
    )* };
}

plain!(f32, f64, c_uint, c_int, usize, Callback, *mut c_void, *mut FILE, *mut c_uint, *mut Layer);
plain!(*const c_uint, *mut Neuron, *mut Connection, *mut Real, *const Real, *mut *mut Real);

macro_rules! owning {
    ($($kind:ty),*) => { $(
        impl Edge for *mut $kind {
            type Raw = *mut $kind;
            unsafe fn receive(raw: *mut $kind) -> Option<*mut $kind> {
                if raw.is_null() { None } else { Some(raw) }
            }
            fn owner(raw: *mut $kind) -> *mut ErrorData { raw.cast() }
        }

        impl<'a> Edge for &'a mut $kind {
            type Raw = *mut $kind;
            unsafe fn receive(raw: *mut $kind) -> Option<&'a mut $kind> {
                // SAFETY: the caller's promise.
                unsafe { raw.as_mut() }
            }
            fn owner(raw: *mut $kind) -> *mut ErrorData { raw.cast() }
        }

        impl<'a> Edge for Option<&'a mut $kind> {
            type Raw = *mut $kind;
            unsafe fn receive(raw: *mut $kind) -> Option<Option<&'a mut $kind>> {
                // SAFETY: the caller's promise.
                Some(unsafe { raw.as_mut() })
            }
            fn owner(raw: *mut $kind) -> *mut ErrorData { raw.cast() }
        }
    )* };
}

owning!(Ann, TrainData, ErrorData);

/// The name of a file: bytes that end at the zero.
#[derive(Clone, Copy)]
pub(crate) struct Name(pub *const c_char);

impl Edge for Name {
    type Raw = *const c_char;
    unsafe fn receive(raw: *const c_char) -> Option<Name> {
        if raw.is_null() { None } else { Some(Name(raw)) }
    }
}

impl Name {
    fn bytes<'a>(self) -> &'a [u8] {
        // SAFETY: C passes strings that end with a zero, and `receive` refused NULL.
        unsafe { CStr::from_ptr(self.0) }.to_bytes()
    }

    /// The name as text for messages.
    pub(crate) fn text(self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    /// Makes bytes the file of this name; false, and the file as it was, where that fails.
    pub(crate) fn write(self, bytes: &[u8]) -> bool {
        whimbrel_fann::replace(OsStr::from_bytes(self.bytes()).as_ref(), bytes).is_ok()
    }
}

/// What a call returns that could not be carried out.
pub(crate) trait Failed {
    fn failed() -> Self;
}

macro_rules! failed {
    ($($kind:ty => $value:expr),* $(,)?) => { $(
        impl Failed for $kind { fn failed() -> $kind { $value } }
    )* };
}

failed!(() => (), f32 => 0.0, f64 => 0.0, c_uint => 0, c_int => -1, Callback => None);

impl<T> Failed for *mut T {
    fn failed() -> *mut T {
        std::ptr::null_mut()
    }
}

/// Runs a call and turns a panic into an error of `owner`.
pub(crate) fn guard<R: Failed>(owner: *mut ErrorData, call: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| {
        // SAFETY: the struct the call was made for; the call that had it is over.
        crate::error::abandoned(unsafe { owner.as_mut() });
        R::failed()
    })
}

/// Declares functions of the C interface.
macro_rules! export {
    ($($(#[$attribute:meta])*
        fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $(-> $result:ty)? $body:block)*) => { $(
        $(#[$attribute])*
        #[allow(non_snake_case, clippy::too_many_arguments)]
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name(
            $($argument: <$kind as $crate::edge::Edge>::Raw),*
        ) $(-> $result)? {
            #[allow(unused_mut)]
            let mut owner: *mut $crate::layout::ErrorData = std::ptr::null_mut();
            $(if owner.is_null() { owner = <$kind as $crate::edge::Edge>::owner($argument); })*
            $crate::edge::guard(owner, move || {
                $(
                    // SAFETY: what FANN's headers ask of a caller; NULL is answered here.
                    let received = unsafe { <$kind as $crate::edge::Edge>::receive($argument) };
                    let Some($argument) = received else {
                        return $crate::edge::Failed::failed();
                    };
                )*
                $body
            })
        }
    )* };
}
pub(crate) use export;
