//! FANN's errors: a number, a message and a log in the head of every struct. The words are FANN's, because
//! programs compare and print them; a message that would not fit is cut off.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_uint};

use libc::FILE;
use whimbrel_fann::Error;

use crate::edge::export;
use crate::layout::ErrorData;

/// Bytes of a message with its zero, `FANN_ERRSTR_MAX`.
pub(crate) const MESSAGE_BYTES: usize = 128;

/// The log that means standard error.
const STANDARD_ERROR: *mut FILE = std::ptr::without_provenance_mut(usize::MAX);

/// The log of new structs and of errors that belong to none.
#[allow(non_upper_case_globals)]
#[unsafe(no_mangle)]
pub(crate) static mut fann_default_error_log: *mut FILE = STANDARD_ERROR;

unsafe extern "C" {
    static stderr: *mut FILE;
}

/// Reports an error: in the struct it belongs to, and in that struct's log.
pub(crate) fn report(owner: Option<&mut ErrorData>, error: &Error) {
    record(owner, error.code() as c_uint, &format!("{error}\n"));
}

/// Reports a call that panicked. FANN has no number for it; that of exhausted memory comes nearest.
pub(crate) fn abandoned(owner: Option<&mut ErrorData>) {
    record(
        owner,
        Error::CantAllocateMem.code() as c_uint,
        "Internal error, the call was given up.\n",
    );
}

fn record(owner: Option<&mut ErrorData>, code: c_uint, message: &str) {
    // SAFETY: a plain pointer that programs set before they use threads, as with FANN.
    let mut log = unsafe { fann_default_error_log };
    if let Some(owner) = owner {
        log = owner.error_log;
        owner.errno_f = code;
        if owner.errstr.is_null() {
            // SAFETY: `malloc` may be called with any size.
            owner.errstr = unsafe { libc::malloc(MESSAGE_BYTES) }.cast();
        }
        if !owner.errstr.is_null() {
            // SAFETY: `errstr` is NULL or has `MESSAGE_BYTES`, here as in FANN.
            let place =
                unsafe { std::slice::from_raw_parts_mut(owner.errstr.cast::<u8>(), MESSAGE_BYTES) };
            fill(place, message.as_bytes());
        }
    }
    print(log, code, message);
}

/// Writes as much of `text` as fits before a zero.
fn fill(place: &mut [u8], text: &[u8]) {
    let length = text.len().min(place.len() - 1);
    place[..length].copy_from_slice(&text[..length]);
    place[length] = 0;
}

fn print(log: *mut FILE, code: c_uint, message: &str) {
    if log.is_null() {
        return;
    }
    // SAFETY: `stderr` is set by the C library before anything of this one runs.
    let file = if log == STANDARD_ERROR { unsafe { stderr } } else { log };
    let line = format!("FANN Error {code}: {message}");
    // SAFETY: `file` is an open stream of the program.
    unsafe { libc::fwrite(line.as_ptr().cast(), 1, line.len(), file) };
}

/// An error head without an error, with the log new structs have.
pub(crate) fn fresh() -> ErrorData {
    // SAFETY: as in `record`.
    let error_log = unsafe { fann_default_error_log };
    ErrorData { errno_f: 0, error_log, errstr: std::ptr::null_mut() }
}

thread_local! {
    /// What the last `fann_get_errstr` of this thread returned: the message itself is given up by it.
    static TAKEN: RefCell<[u8; MESSAGE_BYTES]> = const { RefCell::new([0; MESSAGE_BYTES]) };
}

export! {
    fn fann_reset_errno(owner: &mut ErrorData) {
        owner.errno_f = 0;
    }

    fn fann_reset_errstr(owner: &mut ErrorData) {
        // SAFETY: NULL or memory of `malloc`, which nothing else keeps.
        unsafe { libc::free(owner.errstr.cast()) };
        owner.errstr = std::ptr::null_mut();
    }

    fn fann_get_errno(owner: &mut ErrorData) -> c_uint {
        owner.errno_f
    }

    /// The message, which stays readable until the next call of this function in the same thread.
    fn fann_get_errstr(owner: &mut ErrorData) -> *mut c_char {
        if owner.errstr.is_null() {
            owner.errno_f = 0;
            return std::ptr::null_mut();
        }
        let taken = TAKEN.with(|taken| {
            // SAFETY: a message that ends with a zero.
            let text = unsafe { CStr::from_ptr(owner.errstr) };
            fill(&mut *taken.borrow_mut(), text.to_bytes());
            taken.as_ptr().cast()
        });
        owner.errno_f = 0;
        // SAFETY: as in `fann_reset_errstr`.
        unsafe { libc::free(owner.errstr.cast()) };
        owner.errstr = std::ptr::null_mut();
        taken
    }

    fn fann_set_error_log(owner: Option<&mut ErrorData>, log: *mut FILE) {
        match owner {
            Some(owner) => owner.error_log = log,
            // SAFETY: as in `record`.
            None => unsafe { fann_default_error_log = log },
        }
    }

    fn fann_print_error(owner: &mut ErrorData) {
        if owner.errno_f != 0 && !owner.errstr.is_null() {
            // SAFETY: a message that ends with a zero.
            let text = unsafe { CStr::from_ptr(owner.errstr) };
            print(STANDARD_ERROR, owner.errno_f, &text.to_string_lossy());
        }
    }

    fn fann_init_error_data(owner: &mut ErrorData) {
        *owner = fresh();
    }

    /// Reports an error on behalf of the caller. The interface is variadic with up to three more arguments,
    /// strings or numbers; on the machines this crate is built for those travel where fixed
    /// arguments do, and ones that were not passed are not looked at.
    fn fann_error(
        owner: Option<&mut ErrorData>, code: c_uint, first: usize, second: usize, third: usize,
    ) {
        record(owner, code, &message(code, [first, second, third]));
    }
}

/// The message of an error with the arguments C passed.
fn message(code: c_uint, [first, second, third]: [usize; 3]) -> String {
    let text = |word: usize| match std::ptr::with_exposed_provenance::<c_char>(word) {
        pointer if pointer.is_null() => "(null)".to_owned(),
        // SAFETY: where a message has a string, the caller passes one.
        pointer => unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned(),
    };
    // An `int` fills half of the place an argument has.
    let number = |word: usize| word as u32 as usize;
    let error = match code {
        1 => Error::CantOpenConfigR { file: text(first) },
        2 => Error::CantOpenConfigW { file: text(first), reason: String::new() },
        3 => Error::WrongConfigVersion { file: text(first) },
        4 => Error::CantReadConfig { parameter: text(first), file: text(second) },
        5 => Error::CantReadNeuron { file: text(first) },
        6 => Error::CantReadConnections { file: text(first) },
        7 => {
            let (first, second) = (first as i32, second as i32);
            return format!("ERROR connections_so_far={first}, total_connections={second}\n");
        }
        // FANN speaks of writing in both cases.
        8 | 9 => Error::CantOpenTdW { file: text(first), reason: String::new() },
        10 => Error::CantReadTd { file: text(first), line: number(second) },
        11 => Error::CantAllocateMem,
        12 => Error::CantTrainActivation,
        13 => Error::CantUseActivation,
        14 => Error::TrainDataMismatch,
        15 => Error::CantUseTrainAlg,
        16 => Error::TrainDataSubset {
            pos: number(first),
            length: number(second),
            len: number(third),
        },
        17 => Error::IndexOutOfBound { index: i64::from(first as i32) },
        18 => Error::ScaleNotPresent,
        19 => Error::InputNoMatch { network: number(first), data: number(second) },
        20 => Error::OutputNoMatch { network: number(first), data: number(second) },
        _ => return String::new(),
    };
    format!("{error}\n")
}
