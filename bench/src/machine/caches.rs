//! The cache sizes of the first core, and the footprints that stand for each level.

/// Where data lives while it is worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The core's first-level data cache.
    L1,
    /// The core's second-level cache.
    L2,
    /// The cache all cores share.
    L3,
    /// Main memory.
    Memory,
}

impl Level {
    /// All levels, nearest first.
    pub const ALL: [Level; 4] = [Level::L1, Level::L2, Level::L3, Level::Memory];

    /// The level as case names spell it.
    pub fn name(self) -> &'static str {
        match self {
            Level::L1 => "l1",
            Level::L2 => "l2",
            Level::L3 => "l3",
            Level::Memory => "memory",
        }
    }
}

/// Cache sizes in bytes: first and second level of one core, third level of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caches {
    /// First-level data cache of a core.
    pub l1: usize,
    /// Second-level cache of a core.
    pub l2: usize,
    /// Third-level cache, shared.
    pub l3: usize,
}

impl Caches {
    /// What the system reports; common sizes where it reports nothing.
    pub fn detect() -> Caches {
        let mut caches = Caches { l1: 32 << 10, l2: 512 << 10, l3: 8 << 20 };
        for index in 0..8 {
            let read = |name: &str| {
                let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}");
                std::fs::read_to_string(path).map(|text| text.trim().to_owned()).ok()
            };
            let (Some(level), Some(kind), Some(size)) = (read("level"), read("type"), read("size"))
            else {
                continue;
            };
            let Some(bytes) = parse_size(&size) else { continue };
            match (level.as_str(), kind.as_str()) {
                ("1", "Data") => caches.l1 = bytes,
                ("2", _) => caches.l2 = bytes,
                ("3", _) => caches.l3 = bytes,
                _ => {}
            }
        }
        caches
    }

    /// Bytes a thread works on to stay within `level`, all its arrays together: half of a private
    /// cache; of the shared one, enough to leave the private ones and no more (a virtual machine
    /// rarely owns the third-level cache it is told of); for memory, far beyond all caches.
    pub fn footprint(&self, level: Level, threads: usize) -> usize {
        match level {
            Level::L1 => self.l1 / 2,
            Level::L2 => self.l2 / 2,
            Level::L3 => (3 * self.l2).min(self.l3 / 2 / threads.max(1)),
            Level::Memory => (4 * self.l3).max(256 << 20) / threads.max(1),
        }
    }

    /// The level that holds `bytes` shared evenly by `threads`.
    pub fn level_of(&self, bytes: f64, threads: usize) -> Level {
        let each = bytes / threads.max(1) as f64;
        if each <= self.l1 as f64 {
            Level::L1
        } else if each <= self.l2 as f64 {
            Level::L2
        } else if bytes <= self.l3 as f64 {
            Level::L3
        } else {
            Level::Memory
        }
    }
}

/// Reads `48K` or `8M`.
fn parse_size(text: &str) -> Option<usize> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        _ => return None,
    };
    digits.parse::<usize>().ok().map(|n| n * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CACHES: Caches = Caches { l1: 48 << 10, l2: 1280 << 10, l3: 48 << 20 };

    #[test]
    fn sizes_are_read_with_their_unit() {
        assert_eq!(parse_size("48K"), Some(48 << 10));
        assert_eq!(parse_size("8M"), Some(8 << 20));
        assert_eq!(parse_size("12Q"), None);
        assert_eq!(parse_size(""), None);
    }

    #[test]
    fn footprints_lie_in_their_level() {
        for threads in [1, 2] {
            for level in Level::ALL {
                let bytes = (CACHES.footprint(level, threads) * threads) as f64;
                assert_eq!(CACHES.level_of(bytes, threads), level);
            }
        }
    }
}
