//! The memory patterns: read, read in runs, copy, copy past the caches, triad.
//!
//! One loop per pattern for each vector width, over whole blocks of 256 values; slices are equally
//! long multiples of that, which [`Pattern::run`] checks.

#[cfg(target_arch = "x86_64")]
use crate::simd::Isa;

/// What is done with the arrays `a`, `b`, `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Sum of `b`, from its first value to its last.
    Read,
    /// Sum of `b`, sixteen runs of it side by side, each line asked for ahead of time.
    ReadRuns,
    /// `a = b`.
    Copy,
    /// `a = b` with stores that bypass the caches.
    CopyStream,
    /// `a = b + s * c`.
    Triad,
}

/// What lengths are multiples of.
pub const BLOCK: usize = 256;
/// Runs that are read side by side.
const RUNS: usize = 16;
/// Values handled in one turn of the other loops.
const TURN: usize = 128;
/// Values from one that is read in a run to the one asked for.
const AHEAD: usize = 128;

impl Pattern {
    /// The patterns of every cache level; the others make sense for memory only.
    pub const CACHED: [Pattern; 3] = [Pattern::Read, Pattern::Copy, Pattern::Triad];

    /// The patterns that only read.
    pub const READING: [Pattern; 2] = [Pattern::Read, Pattern::ReadRuns];

    /// The pattern as case names spell it.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::Read => "read",
            Pattern::ReadRuns => "read-runs",
            Pattern::Copy => "copy",
            Pattern::CopyStream => "copy-stream",
            Pattern::Triad => "triad",
        }
    }

    /// How many arrays it touches, which is also how many bytes it moves per byte of one array
    /// (reading a line before overwriting it is not counted).
    pub fn arrays(self) -> usize {
        match self {
            Pattern::Read | Pattern::ReadRuns => 1,
            Pattern::Copy | Pattern::CopyStream => 2,
            Pattern::Triad => 3,
        }
    }

    /// Runs it `passes` times over arrays of equal length, a multiple of [`BLOCK`] values; unused ones are
    /// empty. Returns a value that depends on what was read.
    ///
    /// # Panics
    /// If the lengths or alignments (64 bytes) are not as said: a mistake of the caller.
    pub fn run(self, passes: usize, a: &mut [f32], b: &[f32], c: &[f32]) -> f32 {
        let len = b.len();
        assert!(len.is_multiple_of(BLOCK));
        assert!(Pattern::READING.contains(&self) || a.len() == len);
        assert!(self != Pattern::Triad || c.len() == len);
        let aligned = |values: &[f32]| values.is_empty() || values.as_ptr().align_offset(64) == 0;
        assert!(aligned(a) && aligned(b) && aligned(c));
        #[cfg(target_arch = "x86_64")]
        {
            if Isa::Avx512.available() {
                // SAFETY: the feature is there; lengths and alignment were checked above.
                return unsafe { x86::avx512(self, passes, a, b, c) };
            }
            if Isa::Avx2.available() {
                // SAFETY: the feature is there; lengths and alignment were checked above.
                return unsafe { x86::avx2(self, passes, a, b, c) };
            }
        }
        (0..passes).map(|_| std::hint::black_box(self).portable(a, b, c)).sum()
    }

    /// The plain version of every pattern.
    fn portable(self, a: &mut [f32], b: &[f32], c: &[f32]) -> f32 {
        match self {
            Pattern::Read | Pattern::ReadRuns => {
                let mut lanes = [0.0_f32; 32];
                for block in b.chunks_exact(32) {
                    lanes.iter_mut().zip(block).for_each(|(lane, value)| *lane += value);
                }
                lanes.iter().sum()
            }
            Pattern::Copy | Pattern::CopyStream => {
                a.copy_from_slice(b);
                0.0
            }
            Pattern::Triad => {
                a.iter_mut().zip(b.iter().zip(c)).for_each(|(a, (b, c))| *a = b + 0.5 * c);
                0.0
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::asm;
    use std::arch::x86_64::*;

    use super::{AHEAD, Pattern, RUNS, TURN};

    /// Values of a cache line.
    const LINE: usize = 16;

    /// Memory may have changed, as far as the compiler knows: keeps it from merging passes and from
    /// calling the library's copy, which chooses its stores by size.
    #[inline(always)]
    fn opaque() {
        // SAFETY: no instruction at all.
        unsafe { asm!("", options(nostack, preserves_flags)) };
    }

    macro_rules! patterns {
        ($name:ident, $feature:literal, $lanes:literal, $vectors:literal,
         $zero:ident, $set:ident, $load:ident, $store:ident, $stream:ident, $add:ident, $mul:ident) => {
            /// # Safety
            /// The CPU has the feature; the arrays `pattern` uses are equally long multiples of
            /// BLOCK and aligned to 64 bytes.
            #[target_feature(enable = $feature)]
            pub(super) unsafe fn $name(
                pattern: Pattern,
                passes: usize,
                a: &mut [f32],
                b: &[f32],
                c: &[f32],
            ) -> f32 {
                let (dst, lhs, rhs) = (a.as_mut_ptr(), b.as_ptr(), c.as_ptr());
                let mut sums = [$zero(); $vectors];
                let scale = $set(0.5);
                let blocks = (0..b.len()).step_by(TURN);
                let run = b.len() / RUNS;
                // SAFETY: offsets stay below the length, which is a multiple of BLOCK, and keep
                // the alignment of the arrays; so is a run's length, of a vector's.
                unsafe {
                    for _ in 0..passes {
                        match pattern {
                            Pattern::Read => {
                                for block in blocks.clone() {
                                    opaque();
                                    for v in 0..$vectors {
                                        sums[v] = $add(sums[v], $load(lhs.add(block + v * $lanes)));
                                    }
                                }
                            }
                            Pattern::ReadRuns => {
                                for at in (0..run).step_by($lanes) {
                                    opaque();
                                    for r in 0..RUNS {
                                        let from = lhs.add(r * run + at);
                                        if at % LINE == 0 {
                                            _mm_prefetch::<_MM_HINT_T0>(
                                                from.wrapping_add(AHEAD).cast(),
                                            );
                                        }
                                        let v = r % $vectors;
                                        sums[v] = $add(sums[v], $load(from));
                                    }
                                }
                            }
                            Pattern::Copy => {
                                for block in blocks.clone() {
                                    opaque();
                                    for v in 0..$vectors {
                                        let at = block + v * $lanes;
                                        $store(dst.add(at), $load(lhs.add(at)));
                                    }
                                }
                            }
                            Pattern::CopyStream => {
                                for block in blocks.clone() {
                                    opaque();
                                    for v in 0..$vectors {
                                        let at = block + v * $lanes;
                                        $stream(dst.add(at), $load(lhs.add(at)));
                                    }
                                }
                                _mm_sfence();
                            }
                            Pattern::Triad => {
                                for block in blocks.clone() {
                                    opaque();
                                    for v in 0..$vectors {
                                        let at = block + v * $lanes;
                                        let scaled = $mul(scale, $load(rhs.add(at)));
                                        $store(dst.add(at), $add($load(lhs.add(at)), scaled));
                                    }
                                }
                            }
                        }
                    }
                    let mut out = [0.0_f32; $lanes];
                    for sum in sums {
                        let mut lanes = [0.0_f32; $lanes];
                        std::ptr::copy_nonoverlapping(
                            (&raw const sum).cast::<f32>(),
                            lanes.as_mut_ptr(),
                            $lanes,
                        );
                        out.iter_mut().zip(lanes).for_each(|(o, l)| *o += l);
                    }
                    out.iter().sum()
                }
            }
        };
    }

    patterns!(
        avx512,
        "avx512f",
        16,
        8,
        _mm512_setzero_ps,
        _mm512_set1_ps,
        _mm512_load_ps,
        _mm512_store_ps,
        _mm512_stream_ps,
        _mm512_add_ps,
        _mm512_mul_ps
    );
    patterns!(
        avx2,
        "avx2",
        8,
        16,
        _mm256_setzero_ps,
        _mm256_set1_ps,
        _mm256_load_ps,
        _mm256_store_ps,
        _mm256_stream_ps,
        _mm256_add_ps,
        _mm256_mul_ps
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values on a boundary of 64 bytes.
    #[derive(Clone)]
    #[repr(align(64))]
    struct Aligned([f32; 3 * BLOCK]);

    #[test]
    fn fast_patterns_agree_with_the_plain_ones() {
        // Small integers: sums are exact in any order.
        let counting = |modulus: usize| Aligned(std::array::from_fn(|i| (i % modulus) as f32));
        let (b, c) = (counting(7), counting(5));
        for len in [0, BLOCK, 3 * BLOCK] {
            let (b, c) = (&b.0[..len], &c.0[..len]);
            let reading = Pattern::READING.into_iter();
            for pattern in reading.chain([Pattern::Copy, Pattern::CopyStream, Pattern::Triad]) {
                let mut a = Aligned([-1.0; 3 * BLOCK]);
                let mut expected = a.clone();
                let sum = pattern.portable(&mut expected.0[..len], b, c);
                assert_eq!(pattern.run(2, &mut a.0[..len], b, c), 2.0 * sum);
                assert_eq!(a.0, expected.0);
            }
        }
    }
}
