//! Vectors of f32 lanes, the same code for every instruction set.
//!
//! A kernel is a struct of its arguments that implements [`Kernel`]: its body is generic over
//! [`Simd`] and [`run`] calls it compiled for the instruction set in use. Everything between
//! `Kernel::run` and the vector operations must be `#[inline(always)]`, otherwise the compiler
//! falls back to baseline code.
//!
//! Fused instruction sets round `fma` once; the portable one rounds twice. AVX2 and AVX-512
//! therefore agree bit for bit wherever the order of operations does not depend on `LANES`.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod four;
mod isa;
mod portable;
mod slice;

pub use isa::{Isa, IsaError};
#[cfg(target_arch = "x86_64")]
pub use {avx2::Avx2, avx512::Avx512, four::Four};

pub use portable::Portable;
pub use slice::{first_of_slice, first_to_slice, from_slice, to_slice};

/// One instruction set: a zero-sized token that proves it is available.
///
/// Comparisons are false for NaN lanes. `min` and `max` return the second operand when either
/// is NaN; kernels that promise NaN propagation order their operands accordingly.
#[allow(missing_docs, reason = "the names are the arithmetic they do")]
pub trait Simd: Copy + Send + Sync + 'static {
    /// f32 lanes in a vector: 8 or 16, or the 4 of [`Simd::Four`].
    const LANES: usize;
    /// Vector registers the instruction set offers, for choosing tile sizes.
    const REGISTERS: usize;
    type F: Copy;
    type I: Copy;
    type Mask: Copy;
    /// Four lanes of the same instruction set.
    type Four: Quad;

    fn four(self) -> Self::Four;

    fn splat(self, x: f32) -> Self::F;
    fn splat_i(self, x: i32) -> Self::I;

    /// # Safety
    /// `src` is readable for `LANES` elements.
    unsafe fn load(self, src: *const f32) -> Self::F;
    /// # Safety
    /// `dst` is writable for `LANES` elements.
    unsafe fn store(self, dst: *mut f32, v: Self::F);
    /// Stores past the caches, for results too large to be found there again; to be followed by
    /// [`Simd::fence`].
    /// # Safety
    /// `dst` is writable for `LANES` elements and aligned to the size of a vector.
    #[inline(always)]
    unsafe fn stream(self, dst: *mut f32, v: Self::F) {
        // SAFETY: promised by the caller.
        unsafe { self.store(dst, v) }
    }
    /// Makes streamed stores visible before later stores.
    #[inline(always)]
    fn fence(self) {}
    /// Loads the first `n <= LANES` lanes, the others are 0.
    /// # Safety
    /// `src` is readable for `n` elements.
    unsafe fn load_first(self, src: *const f32, n: usize) -> Self::F;
    /// Stores the first `n <= LANES` lanes.
    /// # Safety
    /// `dst` is writable for `n` elements.
    unsafe fn store_first(self, dst: *mut f32, n: usize, v: Self::F);

    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a * b + c`.
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// `c - a * b`.
    fn fnma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    fn sqrt(self, a: Self::F) -> Self::F;
    fn abs(self, a: Self::F) -> Self::F;
    fn neg(self, a: Self::F) -> Self::F;
    /// Numbers too small for the normal range and -0 as 0, all others as they are.
    #[inline(always)]
    fn flush(self, a: Self::F) -> Self::F {
        let small = self.lt(self.abs(a), self.splat(f32::MIN_POSITIVE));
        self.select(small, self.splat(0.0), a)
    }
    /// To the nearest integer, ties to even.
    fn round(self, a: Self::F) -> Self::F;
    fn floor(self, a: Self::F) -> Self::F;
    /// `a * 2^n` for whole `n` in -252..=254, rounded once where `a * 2^(n / 2)` is a normal number.
    #[inline(always)]
    fn scale(self, a: Self::F, n: Self::F) -> Self::F {
        // Powers beyond those of a float in two steps, of which the first is exact.
        let n = self.to_int(n);
        let half = self.shr::<1>(n);
        let power = |n| self.with_bits(self.shl::<23>(self.add_i(n, self.splat_i(127))));
        self.mul(self.mul(a, power(half)), power(self.sub_i(n, half)))
    }

    fn lt(self, a: Self::F, b: Self::F) -> Self::Mask;
    fn le(self, a: Self::F, b: Self::F) -> Self::Mask;
    fn eq(self, a: Self::F, b: Self::F) -> Self::Mask;
    /// Lanes of `a` where the mask is set, of `b` elsewhere.
    fn select(self, mask: Self::Mask, a: Self::F, b: Self::F) -> Self::F;
    /// Lanes that are NaN.
    #[inline(always)]
    fn is_nan(self, a: Self::F) -> Self::Mask {
        self.not(self.eq(a, a))
    }
    fn not(self, m: Self::Mask) -> Self::Mask;
    fn and(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn or(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Whether the mask is set in every lane.
    fn all(self, m: Self::Mask) -> bool;

    /// The bits of the lanes.
    fn bits(self, a: Self::F) -> Self::I;
    /// Lanes with these bits.
    fn with_bits(self, a: Self::I) -> Self::F;
    /// To i32, to nearest; defined for lanes that fit.
    fn to_int(self, a: Self::F) -> Self::I;
    fn to_float(self, a: Self::I) -> Self::F;
    fn add_i(self, a: Self::I, b: Self::I) -> Self::I;
    fn sub_i(self, a: Self::I, b: Self::I) -> Self::I;
    fn and_i(self, a: Self::I, b: Self::I) -> Self::I;
    fn or_i(self, a: Self::I, b: Self::I) -> Self::I;
    fn xor_i(self, a: Self::I, b: Self::I) -> Self::I;
    fn shl<const BITS: u32>(self, a: Self::I) -> Self::I;
    /// Arithmetic shift right.
    fn shr<const BITS: u32>(self, a: Self::I) -> Self::I;
    /// The upper and the lower halves of the products of lanes without sign.
    fn mul_wide(self, a: Self::I, b: Self::I) -> (Self::I, Self::I);

    /// Sum of the lanes as a balanced tree: halves are added until one lane remains.
    fn sum(self, a: Self::F) -> f32;
}

/// Four lanes, for what does not fill a wider vector.
pub trait Quad: Simd {
    /// The sums of the lanes of four vectors, each in the lane of its number: of lanes 0 and 2, and 1 and 3, first.
    fn sums(self, rows: [Self::F; 4]) -> Self::F;
}

/// Asks the first cache for the line at `at`, which need not be readable.
#[inline(always)]
pub fn prefetch(at: *const f32) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint; it never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    let _ = at;
}

/// Asks the second cache for the line at `at`, which need not be readable.
#[inline(always)]
pub fn prefetch_far(at: *const f32) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint; it never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(at.cast());
    }
    let _ = at;
}

/// Asks the first cache for the line at `at`, which need not be readable, to write it: other cores give it up.
#[inline(always)]
pub fn prefetch_to_write(at: *const f32) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint; it never faults.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) at, options(readonly, nostack, preserves_flags));
    }
    let _ = at;
}

/// A computation compiled once per instruction set.
pub trait Kernel {
    /// What the computation returns.
    type Output;
    /// The body; implementations are `#[inline(always)]`.
    fn run<S: Simd>(self, s: S) -> Self::Output;
}

/// Runs `kernel` on the instruction set in use ([`Isa::current`]).
#[inline]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    match Isa::current() {
        // SAFETY: what is in use was asked for before it was chosen.
        Isa::Avx512 => return unsafe { avx512::run(kernel) },
        // SAFETY: as above.
        Isa::Avx2 => return unsafe { avx2::run(kernel) },
        Isa::Portable => {}
    }
    kernel.run(Portable::<8>)
}

/// Runs `kernel` on `isa`, or on the portable lanes where the machine lacks it.
#[inline]
pub fn run_on<K: Kernel>(isa: Isa, kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    match isa {
        // SAFETY: available() asked the processor for every feature the token stands for.
        Isa::Avx512 if isa.available() => return unsafe { avx512::run(kernel) },
        // SAFETY: as above.
        Isa::Avx2 if isa.available() => return unsafe { avx2::run(kernel) },
        _ => {}
    }
    let _ = isa;
    kernel.run(Portable::<8>)
}

#[cfg(test)]
mod tests;
