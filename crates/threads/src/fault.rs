//! Carries one panic of a region from the member where it happened to the caller.

use std::any::Any;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};

use crate::barrier::Broken;

type Payload = Box<dyn Any + Send>;

/// The panic of the current region, if any.
#[derive(Debug, Default)]
pub(crate) struct Fault(Mutex<Option<Payload>>);

impl Fault {
    /// Keeps the first panic; one that only followed from another member's gives way to it.
    pub(crate) fn put(&self, payload: Payload) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let dropped = match &*kept {
            Some(first) if !first.is::<Broken>() => Some(payload),
            _ => kept.replace(payload),
        };
        // A payload's destructor may panic in turn, which would end a worker.
        std::mem::forget(dropped);
    }

    /// Panics with what was put, and forgets it.
    pub(crate) fn raise(&self) {
        let payload = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match payload {
            None => {}
            Some(payload) if payload.is::<Broken>() => {
                panic!("a member left its region while another waited for it at a barrier")
            }
            Some(payload) => resume_unwind(payload),
        }
    }
}
