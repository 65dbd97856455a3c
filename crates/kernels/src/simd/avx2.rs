//! AVX2 with FMA: 8 lanes, 16 registers, tails through lane masks.

use super::{Four, Kernel, Simd};
use std::arch::x86_64::*;

/// The token of this instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

#[target_feature(enable = "avx2,fma")]
pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx2(()))
}

/// Lanes at and past `8 - n` are all ones when read from there.
static TAIL: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

/// # Safety
/// AVX2 is available.
#[inline(always)]
unsafe fn first(n: usize) -> __m256i {
    // SAFETY: n is clamped to the lanes, so the 8 integers read lie inside TAIL.
    unsafe { _mm256_loadu_si256(TAIL.as_ptr().add(8 - n.min(8)).cast()) }
}

/// # Safety
/// AVX2 is available.
#[inline(always)]
pub(super) unsafe fn sum(a: __m256) -> f32 {
    // SAFETY: registers only.
    unsafe {
        let four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
    }
}

impl Simd for Avx2 {
    const LANES: usize = 8;
    const REGISTERS: usize = 16;
    type F = __m256;
    type I = __m256i;
    type Mask = __m256;
    type Four = Four;

    #[inline(always)]
    fn four(self) -> Four {
        Four(())
    }

    #[inline(always)]
    fn splat(self, x: f32) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_set1_ps(x) }
    }

    #[inline(always)]
    fn splat_i(self, x: i32) -> __m256i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_set1_epi32(x) }
    }

    #[inline(always)]
    unsafe fn load(self, src: *const f32) -> __m256 {
        // SAFETY: the token proves the instruction set; the caller vouches for the memory.
        unsafe { _mm256_loadu_ps(src) }
    }

    #[inline(always)]
    unsafe fn store(self, dst: *mut f32, v: __m256) {
        // SAFETY: the token proves the instruction set; the caller vouches for the memory.
        unsafe { _mm256_storeu_ps(dst, v) }
    }

    #[inline(always)]
    unsafe fn stream(self, dst: *mut f32, v: __m256) {
        // SAFETY: the token proves the instruction set; the caller vouches for the memory.
        unsafe { _mm256_stream_ps(dst, v) }
    }

    #[inline(always)]
    fn fence(self) {
        // SAFETY: every x86-64 has it.
        unsafe { _mm_sfence() }
    }

    #[inline(always)]
    unsafe fn load_first(self, src: *const f32, n: usize) -> __m256 {
        // SAFETY: the token proves the instruction set; the caller vouches for the memory.
        unsafe { _mm256_maskload_ps(src, first(n)) }
    }

    #[inline(always)]
    unsafe fn store_first(self, dst: *mut f32, n: usize, v: __m256) {
        // SAFETY: the token proves the instruction set; the caller vouches for the memory.
        unsafe { _mm256_maskstore_ps(dst, first(n), v) }
    }

    #[inline(always)]
    fn add(self, a: __m256, b: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_add_ps(a, b) }
    }

    #[inline(always)]
    fn sub(self, a: __m256, b: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_sub_ps(a, b) }
    }

    #[inline(always)]
    fn mul(self, a: __m256, b: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_mul_ps(a, b) }
    }

    #[inline(always)]
    fn div(self, a: __m256, b: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_div_ps(a, b) }
    }

    #[inline(always)]
    fn min(self, a: __m256, b: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_min_ps(a, b) }
    }

    #[inline(always)]
    fn max(self, a: __m256, b: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_max_ps(a, b) }
    }

    #[inline(always)]
    fn fma(self, a: __m256, b: __m256, c: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_fmadd_ps(a, b, c) }
    }

    #[inline(always)]
    fn fnma(self, a: __m256, b: __m256, c: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_fnmadd_ps(a, b, c) }
    }

    #[inline(always)]
    fn sqrt(self, a: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_sqrt_ps(a) }
    }

    #[inline(always)]
    fn abs(self, a: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), a) }
    }

    #[inline(always)]
    fn neg(self, a: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_xor_ps(_mm256_set1_ps(-0.0), a) }
    }

    #[inline(always)]
    fn round(self, a: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a) }
    }

    #[inline(always)]
    fn floor(self, a: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_round_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(a) }
    }

    #[inline(always)]
    fn lt(self, a: __m256, b: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(a, b) }
    }

    #[inline(always)]
    fn le(self, a: __m256, b: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_cmp_ps::<_CMP_LE_OQ>(a, b) }
    }

    #[inline(always)]
    fn eq(self, a: __m256, b: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_cmp_ps::<_CMP_EQ_OQ>(a, b) }
    }

    #[inline(always)]
    fn select(self, mask: __m256, a: __m256, b: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_blendv_ps(b, a, mask) }
    }

    #[inline(always)]
    fn not(self, m: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_xor_ps(m, _mm256_castsi256_ps(_mm256_set1_epi32(-1))) }
    }

    #[inline(always)]
    fn and(self, a: __m256, b: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_and_ps(a, b) }
    }

    #[inline(always)]
    fn or(self, a: __m256, b: __m256) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_or_ps(a, b) }
    }

    #[inline(always)]
    fn all(self, m: __m256) -> bool {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_movemask_ps(m) == 0xff }
    }

    #[inline(always)]
    fn bits(self, a: __m256) -> __m256i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_castps_si256(a) }
    }

    #[inline(always)]
    fn with_bits(self, a: __m256i) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_castsi256_ps(a) }
    }

    #[inline(always)]
    fn to_int(self, a: __m256) -> __m256i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_cvtps_epi32(a) }
    }

    #[inline(always)]
    fn to_float(self, a: __m256i) -> __m256 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_cvtepi32_ps(a) }
    }

    #[inline(always)]
    fn add_i(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_add_epi32(a, b) }
    }

    #[inline(always)]
    fn sub_i(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_sub_epi32(a, b) }
    }

    #[inline(always)]
    fn and_i(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_and_si256(a, b) }
    }

    #[inline(always)]
    fn or_i(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_or_si256(a, b) }
    }

    #[inline(always)]
    fn xor_i(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_xor_si256(a, b) }
    }

    #[inline(always)]
    fn shl<const BITS: u32>(self, a: __m256i) -> __m256i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_sllv_epi32(a, _mm256_set1_epi32(BITS as i32)) }
    }

    #[inline(always)]
    fn shr<const BITS: u32>(self, a: __m256i) -> __m256i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm256_srav_epi32(a, _mm256_set1_epi32(BITS as i32)) }
    }

    #[inline(always)]
    fn mul_wide(self, a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        // SAFETY: the token proves the instruction set.
        unsafe {
            let even = _mm256_mul_epu32(a, b);
            let odd = _mm256_mul_epu32(_mm256_srli_epi64::<32>(a), _mm256_srli_epi64::<32>(b));
            let high = _mm256_blend_epi32::<0xaa>(_mm256_srli_epi64::<32>(even), odd);
            let low = _mm256_blend_epi32::<0xaa>(even, _mm256_slli_epi64::<32>(odd));
            (high, low)
        }
    }

    #[inline(always)]
    fn sum(self, a: __m256) -> f32 {
        // SAFETY: the token proves the instruction set.
        unsafe { sum(a) }
    }
}
