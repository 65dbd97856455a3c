//! Memory mapped with small or huge pages, as measurements ask for it.

use memmap2::MmapMut;
use std::ops::Range;

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
    map: MmapMut,
    /// The bytes of the values within the mapping.
    bytes: Range<usize>,
}

impl Mapping {
    /// Maps `len` values; `None` when the system refuses.
    pub fn new(len: usize, pages: Pages) -> Option<Mapping> {
        let bytes = len.checked_mul(4)?;
        let whole = bytes.max(1).checked_next_multiple_of(HUGE_PAGE)?;
        let map = MmapMut::map_anon(whole.checked_add(HUGE_PAGE)?).ok()?;
        let first = map.as_ptr().align_offset(HUGE_PAGE);
        advise(&map, first, whole, pages);
        let mut mapping = Mapping { map, bytes: first..first + bytes };
        // Writing makes the pages resident.
        mapping.as_mut_slice().fill(0.0);
        Some(mapping)
    }

    /// The values.
    pub fn as_mut_slice(&mut self) -> &mut [f32] {
        bytemuck::cast_slice_mut(&mut self.map[self.bytes.clone()])
    }
}

/// Asks for, or declines, huge pages. Advice may be refused; the mapping is valid either way.
fn advise(map: &MmapMut, first: usize, bytes: usize, pages: Pages) {
    #[cfg(target_os = "linux")]
    {
        let advice = match pages {
            Pages::Small => memmap2::Advice::NoHugePage,
            Pages::Huge => memmap2::Advice::HugePage,
        };
        let _ = map.advise_range(advice, first, bytes);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (map, first, bytes, pages);
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
