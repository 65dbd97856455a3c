//! The arithmetic peak: fused multiply-adds on registers alone.
//!
//! Twelve independent chains hide the latency of two units (up to six cycles each). The loop is
//! assembly: a compiler given intrinsics may keep the accumulators in memory.

#[cfg(target_arch = "x86_64")]
use crate::simd::Isa;

const CHAINS: usize = 12;

/// Runs `turns` turns on the widest instruction set of the machine and returns the floating-point
/// operations done, a fused multiply-add counting two.
pub fn multiply_adds(turns: u64) -> f64 {
    #[cfg(target_arch = "x86_64")]
    {
        if Isa::Avx512.available() {
            // SAFETY: the feature is there.
            return operations(turns, unsafe { x86::avx512(turns) });
        }
        if Isa::Avx2.available() {
            // SAFETY: the features are there.
            return operations(turns, unsafe { x86::avx2(turns) });
        }
    }
    operations(turns, portable(turns))
}

fn operations(turns: u64, lanes: usize) -> f64 {
    (turns * (CHAINS * lanes * 2) as u64) as f64
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
        assert_eq!(operations(10, portable(10)), (10 * CHAINS * 8 * 2) as f64);
        let lanes = multiply_adds(1) / (CHAINS * 2) as f64;
        assert!([8.0, 16.0].contains(&lanes));
    }
}
