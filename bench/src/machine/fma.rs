//! The arithmetic peak: fused multiply-adds on registers alone.
//!
//! Twelve independent chains hide the latency of two units (up to six cycles each). The loop is
//! assembly: a compiler given intrinsics may keep the accumulators in memory.

use std::time::Instant;

use super::crew::at_once;

const CHAINS: usize = 12;

/// Loop turns between two looks at the clock: a few microseconds.
const TURNS: u64 = 2048;

/// Floating-point operations a second `threads` threads reach together, in f32, an FMA counting
/// two. Takes `seconds`; two milliseconds are enough between the rounds of another measurement.
///
/// Each thread reports its best eighth of the time: a limit must not be lowered by whoever else
/// uses the machine.
pub fn peak(threads: usize, seconds: f64) -> f64 {
    at_once(vec![|| best_slice(seconds / 8.0, 8); threads]).iter().sum()
}

fn best_slice(slice_seconds: f64, slices: usize) -> f64 {
    let isa = Isa::detect();
    let mut best = 0.0_f64;
    for _ in 0..slices {
        let start = Instant::now();
        let mut flops = 0.0;
        let seconds = loop {
            flops += isa.run(TURNS);
            let seconds = start.elapsed().as_secs_f64();
            if seconds >= slice_seconds {
                break seconds;
            }
        };
        best = best.max(flops / seconds);
    }
    best
}

#[derive(Clone, Copy)]
enum Isa {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Isa {
    fn detect() -> Isa {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                return Isa::Avx512;
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return Isa::Avx2;
            }
        }
        Isa::Portable
    }

    /// Runs `turns` turns and returns the floating-point operations done.
    fn run(self, turns: u64) -> f64 {
        let lanes = match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `detect` saw the feature.
            Isa::Avx512 => unsafe { x86::avx512(turns) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `detect` saw the features.
            Isa::Avx2 => unsafe { x86::avx2(turns) },
            Isa::Portable => portable(turns),
        };
        (turns * (CHAINS * lanes * 2) as u64) as f64
    }
}

/// Multiply and add in fixed-width lanes; returns the lanes.
fn portable(turns: u64) -> usize {
    const LANES: usize = 8;
    let (scale, shift) = std::hint::black_box((0.999_f32, 1e-6_f32));
    let mut chains = [[1e-3_f32; LANES]; CHAINS];
    for _ in 0..turns {
        for chain in &mut chains {
            for lane in chain {
                *lane = *lane * scale + shift;
            }
        }
    }
    std::hint::black_box(chains);
    LANES
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::{asm, x86_64::*};

    macro_rules! chains {
        ($name:ident, $feature:literal, $register:ident, $broadcast:ident, $lanes:literal) => {
            /// Returns the lanes of a vector. The caller has checked that the CPU has the feature.
            #[target_feature(enable = $feature)]
            pub(super) fn $name(turns: u64) -> usize {
                let value = $broadcast(1e-3);
                // SAFETY: touches only the registers named, no memory, no stack; the values
                // converge to shift / (1 - scale) = 1e-3, so no operand is ever denormal.
                unsafe {
                    asm!(
                        "2:",
                        "vfmadd213ps {a}, {scale}, {shift}",
                        "vfmadd213ps {b}, {scale}, {shift}",
                        "vfmadd213ps {c}, {scale}, {shift}",
                        "vfmadd213ps {d}, {scale}, {shift}",
                        "vfmadd213ps {e}, {scale}, {shift}",
                        "vfmadd213ps {f}, {scale}, {shift}",
                        "vfmadd213ps {g}, {scale}, {shift}",
                        "vfmadd213ps {h}, {scale}, {shift}",
                        "vfmadd213ps {i}, {scale}, {shift}",
                        "vfmadd213ps {j}, {scale}, {shift}",
                        "vfmadd213ps {k}, {scale}, {shift}",
                        "vfmadd213ps {l}, {scale}, {shift}",
                        "dec {turns}",
                        "jnz 2b",
                        turns = inout(reg) turns.max(1) => _,
                        a = inout($register) value => _,
                        b = inout($register) value => _,
                        c = inout($register) value => _,
                        d = inout($register) value => _,
                        e = inout($register) value => _,
                        f = inout($register) value => _,
                        g = inout($register) value => _,
                        h = inout($register) value => _,
                        i = inout($register) value => _,
                        j = inout($register) value => _,
                        k = inout($register) value => _,
                        l = inout($register) value => _,
                        scale = in($register) $broadcast(0.999),
                        shift = in($register) $broadcast(1e-6),
                        options(nomem, nostack),
                    );
                }
                $lanes
            }
        };
    }

    chains!(avx512, "avx512f", zmm_reg, _mm512_set1_ps, 16);
    chains!(avx2, "avx2,fma", ymm_reg, _mm256_set1_ps, 8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_counts_two_operations_a_lane_and_chain() {
        assert_eq!(Isa::Portable.run(10), (10 * CHAINS * 8 * 2) as f64);
        let lanes = Isa::detect().run(1) / (CHAINS * 2) as f64;
        assert!([8.0, 16.0].contains(&lanes));
    }

    #[test]
    fn the_peak_is_a_positive_rate_for_any_thread_count() {
        for threads in [1, 2, 3] {
            assert!(peak(threads, 1e-4) > 0.0);
        }
    }
}
