//! What the operating system says of this process.

/// Resident memory of this process, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    pub resident: usize,
    /// The largest it ever was.
    pub peak: usize,
}

impl Memory {
    /// As it is now. Where the system does not say, what the program takes at least.
    pub fn now() -> Memory {
        const AT_LEAST: usize = 6_000_000;
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let field = |name: &str| field(&status, name).unwrap_or(AT_LEAST);
        Memory { resident: field("VmRSS:"), peak: field("VmHWM:") }
    }
}

/// A field of Linux's `/proc/self/status`, which counts in units of 1024 bytes.
fn field(status: &str, name: &str) -> Option<usize> {
    let value = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: usize = value.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(1024 * kibibytes)
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn fields_of_the_status_are_told_by_name() {
        let status = "Name:\twhimbrel\nVmHWM:\t    5124 kB\nVmRSS:\t    4000 kB\n";
        assert_eq!(field(status, "VmRSS:"), Some(4000 * 1024));
        assert_eq!(field(status, "VmHWM:"), Some(5124 * 1024));
        assert_eq!(field(status, "VmSwap:"), None);
    }
}
