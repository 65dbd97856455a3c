//! Resident: the memory this process occupies, as the operating system counts it.

/// Resident memory; none where the system does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resident {
    /// Now.
    pub bytes: Option<u64>,
    /// At its highest so far.
    pub peak: Option<u64>,
}

impl Resident {
    /// As it is; Linux tells.
    pub fn now() -> Resident {
        std::fs::read_to_string("/proc/self/status").map_or(Resident::default(), |s| parse(&s))
    }
}

fn parse(status: &str) -> Resident {
    let kilobytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let number = line.and_then(|rest| rest.split_whitespace().next());
        number.and_then(|number| number.parse::<u64>().ok()).map(|number| number << 10)
    };
    Resident { bytes: kilobytes("VmRSS:"), peak: kilobytes("VmHWM:") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_of_a_process_is_understood() {
        let status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\nThreads:\t1\n";
        assert_eq!(parse(status), Resident { bytes: Some(1 << 20), peak: Some(2 << 20) });
        assert_eq!(parse("Name:\tx\n"), Resident::default());
        assert_eq!(parse("VmHWM:\nVmRSS: many kB"), Resident::default());
    }
}
