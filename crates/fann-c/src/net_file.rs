//! Network files. `whimbrel-fann` knows the formats; here they go through the program's streams.

use std::ffi::{c_int, c_uint};

use libc::FILE;
use whimbrel_fann::{Error, Network};

use crate::create::hand_over;
use crate::edge::{Name, export};
use crate::error::report;
use crate::layout::{Ann, Real};
use crate::stream::{File, read_front, write};

/// What stands before a network file of version 1.1, which the caller has read.
const VERSION_1: &[u8] = b"FANN_FLO_1.1\n";

/// Reads a network from a stream.
fn load(file: *mut FILE, name: Name, before: &[u8]) -> *mut Ann {
    hand_over(read_front(file, |bytes| {
        let whole = [before, bytes].concat();
        let mut rest = &whole[..];
        let network = Network::from_front(&name.text(), &mut rest);
        *bytes = &bytes[bytes.len() - rest.len().min(bytes.len())..];
        network
    }))
}

impl Ann {
    /// The text of the network's file and what saving it returns: for fixed point the bits behind the point.
    fn text(&mut self, fixed: bool) -> Option<(String, c_int)> {
        let network: Network<Real> = self.network()?;
        if !fixed {
            return Some((network.to_text(), 0));
        }
        let fixed = network.to_fixed().ok()?;
        Some((fixed.to_text(), fixed.decimal_point() as c_int))
    }

    /// Saves the network with what puts the bytes where they belong; false where they did not all get there.
    fn save(&mut self, name: Name, fixed: bool, put: impl FnOnce(&[u8]) -> bool) -> c_int {
        match self.text(fixed) {
            Some((text, result)) if put(text.as_bytes()) => result,
            _ => {
                self.report(Error::CantOpenConfigW { file: name.text(), reason: String::new() });
                -1
            }
        }
    }
}

export! {
    fn fann_create_from_file(name: Name) -> *mut Ann {
        let Some(file) = File::open(name) else {
            report(None, &Error::CantOpenConfigR { file: name.text() });
            return std::ptr::null_mut();
        };
        load(file.0, name, b"")
    }

    fn fann_create_from_fd(file: *mut FILE, name: Name) -> *mut Ann {
        load(file, name, b"")
    }

    fn fann_create_from_fd_1_1(file: *mut FILE, name: Name) -> *mut Ann {
        load(file, name, VERSION_1)
    }

    fn fann_save(ann: *mut Ann, name: Name) -> c_int {
        // SAFETY: the program's promise goes on.
        unsafe { fann_save_internal(ann, name.0, 0) }
    }

    fn fann_save_to_fixed(ann: *mut Ann, name: Name) -> c_int {
        // SAFETY: the program's promise goes on.
        unsafe { fann_save_internal(ann, name.0, 1) }
    }

    fn fann_save_internal(ann: &mut Ann, name: Name, fixed: c_uint) -> c_int {
        ann.save(name, fixed != 0, |bytes| name.write(bytes))
    }

    fn fann_save_internal_fd(ann: &mut Ann, file: *mut FILE, name: Name, fixed: c_uint) -> c_int {
        ann.save(name, fixed != 0, |bytes| write(file, bytes))
    }
}
