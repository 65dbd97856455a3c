//! The synchronisation types the protocol is written in: the standard library's, or loom's when its model checker
//! explores the interleavings (`--cfg loom`).

#[cfg(not(loom))]
pub(crate) use std::sync::{
    Condvar, Mutex,
    atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering},
};

#[cfg(loom)]
pub(crate) use loom::sync::{
    Condvar, Mutex,
    atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering},
};

/// A value alone on its cache lines. Two lines of 64 bytes, because adjacent lines are prefetched in pairs.
#[repr(align(128))]
#[derive(Debug, Default)]
pub(crate) struct Lonely<T>(pub(crate) T);
