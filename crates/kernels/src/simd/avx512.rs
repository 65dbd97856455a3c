//! AVX-512: 16 lanes, 32 registers, predicated tails.

use super::{Four, Kernel, Simd};
use std::arch::x86_64::*;

/// The token of this instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx512(()))
}

#[inline(always)]
fn first(n: usize) -> __mmask16 {
    ((1u32 << n.min(16)) - 1) as __mmask16
}

impl Simd for Avx512 {
    const LANES: usize = 16;
    const REGISTERS: usize = 32;
    type F = __m512;
    type I = __m512i;
    type Mask = __mmask16;
    type Four = Four;

    #[inline(always)]
    fn four(self) -> Four {
        Four(())
    }

    #[inline(always)]
    fn splat(self, x: f32) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_set1_ps(x) }
    }

    #[inline(always)]
    fn splat_i(self, x: i32) -> __m512i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_set1_epi32(x) }
    }

    #[inline(always)]
    unsafe fn load(self, src: *const f32) -> __m512 {
        // SAFETY: the token proves the instruction set; the caller vouches for the memory.
        unsafe { _mm512_loadu_ps(src) }
    }

    #[inline(always)]
    unsafe fn store(self, dst: *mut f32, v: __m512) {
        // SAFETY: the token proves the instruction set; the caller vouches for the memory.
        unsafe { _mm512_storeu_ps(dst, v) }
    }

    #[inline(always)]
    unsafe fn stream(self, dst: *mut f32, v: __m512) {
        // SAFETY: the token proves the instruction set; the caller vouches for the memory.
        unsafe { _mm512_stream_ps(dst, v) }
    }

    #[inline(always)]
    fn fence(self) {
        // SAFETY: every x86-64 has it.
        unsafe { _mm_sfence() }
    }

    #[inline(always)]
    unsafe fn load_first(self, src: *const f32, n: usize) -> __m512 {
        // SAFETY: the token proves the instruction set; the caller vouches for the memory.
        unsafe { _mm512_maskz_loadu_ps(first(n), src) }
    }

    #[inline(always)]
    unsafe fn store_first(self, dst: *mut f32, n: usize, v: __m512) {
        // SAFETY: the token proves the instruction set; the caller vouches for the memory.
        unsafe { _mm512_mask_storeu_ps(dst, first(n), v) }
    }

    #[inline(always)]
    fn add(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_add_ps(a, b) }
    }

    #[inline(always)]
    fn sub(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_sub_ps(a, b) }
    }

    #[inline(always)]
    fn mul(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_mul_ps(a, b) }
    }

    #[inline(always)]
    fn div(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_div_ps(a, b) }
    }

    #[inline(always)]
    fn min(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_min_ps(a, b) }
    }

    #[inline(always)]
    fn max(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_max_ps(a, b) }
    }

    #[inline(always)]
    fn fma(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }

    #[inline(always)]
    fn fnma(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_fnmadd_ps(a, b, c) }
    }

    #[inline(always)]
    fn sqrt(self, a: __m512) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_sqrt_ps(a) }
    }

    #[inline(always)]
    fn abs(self, a: __m512) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_andnot_ps(_mm512_set1_ps(-0.0), a) }
    }

    #[inline(always)]
    fn neg(self, a: __m512) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_xor_ps(_mm512_set1_ps(-0.0), a) }
    }

    #[inline(always)]
    fn flush(self, a: __m512) -> __m512 {
        // Denormal numbers and -0.
        const SMALL: i32 = 0x20 | 0x04;
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_maskz_mov_ps(!_mm512_fpclass_ps_mask::<SMALL>(a), a) }
    }

    #[inline(always)]
    fn round(self, a: __m512) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a) }
    }

    #[inline(always)]
    fn scale(self, a: __m512, n: __m512) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_scalef_ps(a, n) }
    }

    #[inline(always)]
    fn floor(self, a: __m512) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(a) }
    }

    #[inline(always)]
    fn lt(self, a: __m512, b: __m512) -> __mmask16 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b) }
    }

    #[inline(always)]
    fn le(self, a: __m512, b: __m512) -> __mmask16 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_cmp_ps_mask::<_CMP_LE_OQ>(a, b) }
    }

    #[inline(always)]
    fn eq(self, a: __m512, b: __m512) -> __mmask16 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b) }
    }

    #[inline(always)]
    fn select(self, mask: __mmask16, a: __m512, b: __m512) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_mask_blend_ps(mask, b, a) }
    }

    #[inline(always)]
    fn not(self, m: __mmask16) -> __mmask16 {
        !m
    }

    #[inline(always)]
    fn and(self, a: __mmask16, b: __mmask16) -> __mmask16 {
        a & b
    }

    #[inline(always)]
    fn or(self, a: __mmask16, b: __mmask16) -> __mmask16 {
        a | b
    }

    #[inline(always)]
    fn all(self, m: __mmask16) -> bool {
        m == 0xffff
    }

    #[inline(always)]
    fn bits(self, a: __m512) -> __m512i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_castps_si512(a) }
    }

    #[inline(always)]
    fn with_bits(self, a: __m512i) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_castsi512_ps(a) }
    }

    #[inline(always)]
    fn to_int(self, a: __m512) -> __m512i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_cvtps_epi32(a) }
    }

    #[inline(always)]
    fn to_float(self, a: __m512i) -> __m512 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_cvtepi32_ps(a) }
    }

    #[inline(always)]
    fn add_i(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    fn sub_i(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_sub_epi32(a, b) }
    }

    #[inline(always)]
    fn and_i(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_and_si512(a, b) }
    }

    #[inline(always)]
    fn or_i(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_or_si512(a, b) }
    }

    #[inline(always)]
    fn xor_i(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_xor_si512(a, b) }
    }

    #[inline(always)]
    fn shl<const BITS: u32>(self, a: __m512i) -> __m512i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_slli_epi32::<BITS>(a) }
    }

    #[inline(always)]
    fn shr<const BITS: u32>(self, a: __m512i) -> __m512i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm512_srai_epi32::<BITS>(a) }
    }

    #[inline(always)]
    fn mul_wide(self, a: __m512i, b: __m512i) -> (__m512i, __m512i) {
        // SAFETY: the token proves the instruction set.
        unsafe {
            let even = _mm512_mul_epu32(a, b);
            let odd = _mm512_mul_epu32(_mm512_srli_epi64::<32>(a), _mm512_srli_epi64::<32>(b));
            let high = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64::<32>(even), odd);
            let low = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64::<32>(odd));
            (high, low)
        }
    }

    #[inline(always)]
    fn sum(self, a: __m512) -> f32 {
        // SAFETY: the token proves the instruction set.
        unsafe {
            let low = _mm512_castps512_ps256(a);
            let high = _mm512_extractf32x8_ps::<1>(a);
            super::avx2::sum(_mm256_add_ps(low, high))
        }
    }
}
