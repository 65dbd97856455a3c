//! How much the caches of a core hold. It decides how work is cut, never what it gives.

use std::sync::LazyLock;

/// Elements that half of the second cache holds: what is read again and again beside what passes by.
pub(crate) fn half_second() -> usize {
    static BYTES: LazyLock<usize> = LazyLock::new(|| second().unwrap_or(USUAL));
    *BYTES / 2 / size_of::<f32>()
}

/// Bytes of a second cache where the processor does not say.
const USUAL: usize = 1 << 20;

/// Bytes of the second cache, as the processor tells.
#[cfg(target_arch = "x86_64")]
fn second() -> Option<usize> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    // Two makers, two leaves, one form.
    const LEAVES: [u32; 2] = [0x4, 0x8000_001d];
    const MOST: u32 = 16;
    let known = |leaf: u32| __cpuid(leaf & 0x8000_0000).eax >= leaf;
    let caches = LEAVES.into_iter().filter(|leaf| known(*leaf)).flat_map(|leaf| {
        (0..MOST).map(move |i| __cpuid_count(leaf, i)).take_while(|cache| cache.eax & 0x1f != 0)
    });
    // Level 2, and not of instructions alone.
    let mut second = caches.filter(|cache| cache.eax >> 5 & 7 == 2 && cache.eax & 0x1f != 2);
    let of = second.next()?;
    let part = |from: u32, bits: u32| (of.ebx >> from & ((1 << bits) - 1)) as usize + 1;
    Some(part(0, 12) * part(12, 10) * part(22, 10) * (of.ecx as usize + 1))
}

/// Nobody tells.
#[cfg(not(target_arch = "x86_64"))]
fn second() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_cache_has_a_size_that_makes_sense() {
        let bytes = half_second() * 2 * size_of::<f32>();
        assert!((64 << 10..1 << 30).contains(&bytes), "{bytes} bytes");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_processor_and_the_system_agree() {
        let Some(bytes) = second() else { return println!("skipped: the processor does not say") };
        let path = "/sys/devices/system/cpu/cpu0/cache/index2/size";
        let Ok(text) = std::fs::read_to_string(path) else {
            return println!("skipped: {path} is not there");
        };
        assert_eq!(text.trim(), format!("{}K", bytes >> 10));
    }
}
