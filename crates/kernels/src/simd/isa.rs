//! Which instruction set runs: the best of the machine, or the one `WHIMBREL_ISA` names.

use std::sync::OnceLock;

/// An instruction set kernels are compiled for, from plain to wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Isa {
    /// Fixed-width lanes in plain Rust, vectorised by the compiler for the baseline target.
    Portable,
    /// AVX2 with FMA: 8 lanes.
    Avx2,
    /// AVX-512 F, BW, DQ, VL: 16 lanes.
    Avx512,
}

/// `WHIMBREL_ISA` names no instruction set, or one this machine lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IsaError {
    /// The value found.
    pub value: String,
}

impl std::fmt::Display for IsaError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let names: Vec<_> = Isa::ALL.iter().filter(|i| i.available()).map(|i| i.name()).collect();
        write!(f, "WHIMBREL_ISA={}: not one of {} (this machine's)", self.value, names.join(", "))
    }
}

impl std::error::Error for IsaError {}

impl Isa {
    /// Every instruction set, from plain to wide.
    pub const ALL: [Isa; 3] = [Isa::Portable, Isa::Avx2, Isa::Avx512];

    /// The name `WHIMBREL_ISA` takes.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        }
    }

    /// Whether this machine can run it.
    #[inline]
    pub fn available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            match self {
                Isa::Portable => true,
                Isa::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
                Isa::Avx512 => {
                    is_x86_feature_detected!("avx512f")
                        && is_x86_feature_detected!("avx512bw")
                        && is_x86_feature_detected!("avx512dq")
                        && is_x86_feature_detected!("avx512vl")
                        && is_x86_feature_detected!("fma")
                }
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Isa::Portable
        }
    }

    /// The widest instruction set of this machine.
    pub fn best() -> Isa {
        Isa::ALL.into_iter().rev().find(|isa| isa.available()).unwrap_or(Isa::Portable)
    }

    /// What `WHIMBREL_ISA` asks for; the best when it is unset.
    pub fn from_env() -> Result<Isa, IsaError> {
        match std::env::var("WHIMBREL_ISA") {
            Err(_) => Ok(Isa::best()),
            Ok(value) => Isa::ALL
                .into_iter()
                .find(|isa| isa.name() == value && isa.available())
                .ok_or(IsaError { value }),
        }
    }

    /// The instruction set in use, fixed at the first call. A `WHIMBREL_ISA` that cannot be
    /// honoured counts as unset; binaries report it through [`Isa::from_env`] at their start.
    #[inline]
    pub fn current() -> Isa {
        static CURRENT: OnceLock<Isa> = OnceLock::new();
        *CURRENT.get_or_init(|| Isa::from_env().unwrap_or_else(|_| Isa::best()))
    }
}
