//! How many threads a pool has when nobody says: the cores this process may use.
//!
//! `WHIMBREL_THREADS` overrides that, and an explicit size ([`Pool::new`](crate::Pool::new)) overrides both.

use crate::cgroup;

/// The largest size of a pool; larger ones are cut to it.
pub const MAX_SIZE: usize = 1024;

/// The environment variable that overrides the default size.
const VARIABLE: &str = "WHIMBREL_THREADS";

/// The size of a pool that is not told one: `WHIMBREL_THREADS` if it holds a whole number of at least 1 (blanks around it
/// are fine, numbers above [`MAX_SIZE`] count as that), and [`available_cores`] if it is unset or holds anything else.
pub fn default_size() -> usize {
    let asked = std::env::var(VARIABLE).ok();
    asked.as_deref().and_then(parse_size).unwrap_or_else(available_cores).min(MAX_SIZE)
}

/// The cores this process may use, at least 1: those it may be scheduled on, or fewer under a cgroup's CPU quota (a
/// quota of one and a half cores counts as two).
pub fn available_cores() -> usize {
    let scheduled = affinity()
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
    cgroup::quota_cores().map_or(scheduled, |quota| quota.min(scheduled)).max(1)
}

fn parse_size(text: &str) -> Option<usize> {
    let digits = text.trim();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Digits alone fail to parse only when they are too many.
    let size = digits.parse().unwrap_or(MAX_SIZE);
    (size >= 1).then_some(size.min(MAX_SIZE))
}

#[cfg(target_os = "linux")]
pub(crate) fn affinity() -> Option<usize> {
    // SAFETY: `cpu_set_t` is a plain bit set; all zeros is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer and the size describe `set`. It fails, harmlessly, where the kernel knows more cores than the
    // set has bits.
    let status = unsafe { libc::sched_getaffinity(0, size_of_val(&set), &mut set) };
    // SAFETY: `CPU_COUNT` only reads the set.
    (status == 0).then(|| unsafe { libc::CPU_COUNT(&set) } as usize)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn affinity() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_whole_numbers_from_one_up() {
        assert_eq!(parse_size("3"), Some(3));
        assert_eq!(parse_size(" 12\n"), Some(12));
        assert_eq!(parse_size("5000"), Some(MAX_SIZE));
        assert_eq!(parse_size("99999999999999999999999"), Some(MAX_SIZE));
    }

    #[test]
    fn anything_else_is_ignored() {
        for text in ["", " ", "0", "000", "-1", "+2", "2.5", "two", "1 2", "0x4", "2\0"] {
            assert_eq!(parse_size(text), None, "{text:?}");
        }
    }

    #[test]
    fn there_is_always_a_core() {
        assert!(available_cores() >= 1);
    }
}
