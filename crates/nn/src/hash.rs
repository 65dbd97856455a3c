//! The hash FNV-1a: tells things apart that differ by accident, not those made to look alike.

/// A hash that things are added to one after another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fnv(u64);

impl Fnv {
    /// Of nothing.
    pub(crate) fn new() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }

    /// Adds a word as one.
    pub(crate) fn word(&mut self, word: u32) {
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3);
    }

    /// Adds byte after byte.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.word(byte.into()));
    }

    /// The hash so far.
    pub(crate) fn value(self) -> u64 {
        self.0
    }
}
