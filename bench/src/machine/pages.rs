//! Memory mapped with small or huge pages, as measurements ask for it.

use std::ptr::NonNull;

const HUGE_PAGE: usize = 2 << 20;

/// The size of the pages behind a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// The system's ordinary pages.
    Small,
    /// Pages of 2 MiB, where the system grants them on request.
    Huge,
}

impl Pages {
    /// Both, ordinary first.
    pub const ALL: [Pages; 2] = [Pages::Small, Pages::Huge];

    /// The pages as case names spell them.
    pub fn name(self) -> &'static str {
        match self {
            Pages::Small => "4k",
            Pages::Huge => "huge",
        }
    }

    /// Whether the system grants such pages at all.
    pub fn available(self) -> bool {
        match self {
            Pages::Small => true,
            Pages::Huge => std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled")
                .is_ok_and(|text| !text.contains("[never]")),
        }
    }
}

/// An anonymous private mapping of f32 values, aligned to a huge page, zeroed and resident.
pub struct Mapping {
    base: NonNull<u8>,
    mapped: usize,
    values: NonNull<f32>,
    len: usize,
}

// SAFETY: the mapping is owned like a Vec<f32>; nothing is shared behind it.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps `len` values; `None` when the system refuses.
    pub fn new(len: usize, pages: Pages) -> Option<Mapping> {
        let bytes = len.checked_mul(4)?.max(1).next_multiple_of(HUGE_PAGE);
        let mapped = bytes + HUGE_PAGE;
        // SAFETY: an anonymous mapping at an address of the system's choice aliases nothing.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapped,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return None;
        }
        let base = NonNull::new(base.cast::<u8>())?;
        let offset = base.as_ptr().align_offset(HUGE_PAGE);
        // SAFETY: the offset is below HUGE_PAGE, by which the mapping is longer than `bytes`.
        let values = unsafe { base.add(offset) };
        advise(values, bytes, pages);
        let mut mapping = Mapping { base, mapped, values: values.cast(), len };
        // Writing makes the pages resident.
        mapping.as_mut_slice().fill(0.0);
        Some(mapping)
    }

    /// The values.
    pub fn as_mut_slice(&mut self) -> &mut [f32] {
        // SAFETY: `len` aligned values inside the mapping, zeroed by the system, owned by self.
        unsafe { std::slice::from_raw_parts_mut(self.values.as_ptr(), self.len) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: exactly what `new` mapped; no slice outlives self.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.mapped) };
    }
}

/// Asks for, or declines, huge pages. Advice may be refused; the mapping is valid either way.
fn advise(start: NonNull<u8>, bytes: usize, pages: Pages) {
    #[cfg(target_os = "linux")]
    {
        let advice = match pages {
            Pages::Small => libc::MADV_NOHUGEPAGE,
            Pages::Huge => libc::MADV_HUGEPAGE,
        };
        // SAFETY: the range lies inside a mapping this module made; this advice keeps contents.
        unsafe { libc::madvise(start.as_ptr().cast(), bytes, advice) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes, pages);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_is_aligned_zeroed_and_writable_for_odd_lengths() {
        for len in [0, 1, 1000, (HUGE_PAGE / 4) + 1] {
            for pages in Pages::ALL {
                let mut mapping = Mapping::new(len, pages).unwrap();
                let values = mapping.as_mut_slice();
                assert_eq!(values.len(), len);
                assert_eq!(values.as_ptr().align_offset(HUGE_PAGE), 0);
                assert!(values.iter().all(|v| *v == 0.0));
                values.fill(1.0);
            }
        }
    }
}
