//! Finds a byte in many.

/// Bytes looked at together, in a loop that compiles to vector code.
const STRETCH: usize = 128;

/// The place of the first `byte` from `from` on, or the end.
pub(crate) fn first(bytes: &[u8], byte: u8, mut from: usize) -> usize {
    for stretch in bytes[from..].chunks_exact(STRETCH) {
        if stretch.iter().fold(false, |found, &other| found | (other == byte)) {
            break;
        }
        from += STRETCH;
    }
    bytes[from..].iter().position(|&other| other == byte).map_or(bytes.len(), |n| from + n)
}

/// Whether `byte` is anywhere.
pub(crate) fn holds(bytes: &[u8], byte: u8) -> bool {
    first(bytes, byte, 0) < bytes.len()
}
