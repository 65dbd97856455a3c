//! Four lanes of AVX2 with FMA: for what does not fill a wider vector, and would wait longer for one.

use super::{Quad, Simd};
use std::arch::x86_64::*;

/// The token of these lanes.
#[derive(Clone, Copy, Debug)]
pub struct Four(pub(super) ());

/// Read from `4 - n` on: ones in the first `n` lanes, then zeros.
static TAIL: [i32; 8] = [-1, -1, -1, -1, 0, 0, 0, 0];

/// # Safety
/// AVX2 is available.
#[inline(always)]
unsafe fn first(n: usize) -> __m128i {
    // SAFETY: n is clamped to the lanes, so the 4 integers read lie inside TAIL.
    unsafe { _mm_loadu_si128(TAIL.as_ptr().add(4 - n.min(4)).cast()) }
}

impl Simd for Four {
    const LANES: usize = 4;
    const REGISTERS: usize = 16;
    type F = __m128;
    type I = __m128i;
    type Mask = __m128;
    type Four = Four;

    #[inline(always)]
    fn four(self) -> Four {
        self
    }

    #[inline(always)]
    fn splat(self, x: f32) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_set1_ps(x) }
    }

    #[inline(always)]
    fn splat_i(self, x: i32) -> __m128i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_set1_epi32(x) }
    }

    #[inline(always)]
    unsafe fn load(self, src: *const f32) -> __m128 {
        // SAFETY: the token proves the instruction set; the caller vouches for the memory.
        unsafe { _mm_loadu_ps(src) }
    }

    #[inline(always)]
    unsafe fn store(self, dst: *mut f32, v: __m128) {
        // SAFETY: the token proves the instruction set; the caller vouches for the memory.
        unsafe { _mm_storeu_ps(dst, v) }
    }

    #[inline(always)]
    unsafe fn stream(self, dst: *mut f32, v: __m128) {
        // SAFETY: the token proves the instruction set; the caller vouches for the memory.
        unsafe { _mm_stream_ps(dst, v) }
    }

    #[inline(always)]
    fn fence(self) {
        // SAFETY: every x86-64 has it.
        unsafe { _mm_sfence() }
    }

    #[inline(always)]
    unsafe fn load_first(self, src: *const f32, n: usize) -> __m128 {
        // SAFETY: the token proves the instruction set; the caller vouches for the memory.
        unsafe { _mm_maskload_ps(src, first(n)) }
    }

    #[inline(always)]
    unsafe fn store_first(self, dst: *mut f32, n: usize, v: __m128) {
        // SAFETY: the token proves the instruction set; the caller vouches for the memory.
        unsafe { _mm_maskstore_ps(dst, first(n), v) }
    }

    #[inline(always)]
    fn add(self, a: __m128, b: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_add_ps(a, b) }
    }

    #[inline(always)]
    fn sub(self, a: __m128, b: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_sub_ps(a, b) }
    }

    #[inline(always)]
    fn mul(self, a: __m128, b: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_mul_ps(a, b) }
    }

    #[inline(always)]
    fn div(self, a: __m128, b: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_div_ps(a, b) }
    }

    #[inline(always)]
    fn min(self, a: __m128, b: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_min_ps(a, b) }
    }

    #[inline(always)]
    fn max(self, a: __m128, b: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_max_ps(a, b) }
    }

    #[inline(always)]
    fn fma(self, a: __m128, b: __m128, c: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_fmadd_ps(a, b, c) }
    }

    #[inline(always)]
    fn fnma(self, a: __m128, b: __m128, c: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_fnmadd_ps(a, b, c) }
    }

    #[inline(always)]
    fn sqrt(self, a: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_sqrt_ps(a) }
    }

    #[inline(always)]
    fn abs(self, a: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_andnot_ps(_mm_set1_ps(-0.0), a) }
    }

    #[inline(always)]
    fn neg(self, a: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_xor_ps(_mm_set1_ps(-0.0), a) }
    }

    #[inline(always)]
    fn round(self, a: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a) }
    }

    #[inline(always)]
    fn floor(self, a: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_round_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(a) }
    }

    #[inline(always)]
    fn lt(self, a: __m128, b: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_cmp_ps::<_CMP_LT_OQ>(a, b) }
    }

    #[inline(always)]
    fn le(self, a: __m128, b: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_cmp_ps::<_CMP_LE_OQ>(a, b) }
    }

    #[inline(always)]
    fn eq(self, a: __m128, b: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_cmp_ps::<_CMP_EQ_OQ>(a, b) }
    }

    #[inline(always)]
    fn select(self, mask: __m128, a: __m128, b: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_blendv_ps(b, a, mask) }
    }

    #[inline(always)]
    fn not(self, m: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_xor_ps(m, _mm_castsi128_ps(_mm_set1_epi32(-1))) }
    }

    #[inline(always)]
    fn and(self, a: __m128, b: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_and_ps(a, b) }
    }

    #[inline(always)]
    fn or(self, a: __m128, b: __m128) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_or_ps(a, b) }
    }

    #[inline(always)]
    fn all(self, m: __m128) -> bool {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_movemask_ps(m) == 0xf }
    }

    #[inline(always)]
    fn bits(self, a: __m128) -> __m128i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_castps_si128(a) }
    }

    #[inline(always)]
    fn with_bits(self, a: __m128i) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_castsi128_ps(a) }
    }

    #[inline(always)]
    fn to_int(self, a: __m128) -> __m128i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_cvtps_epi32(a) }
    }

    #[inline(always)]
    fn to_float(self, a: __m128i) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_cvtepi32_ps(a) }
    }

    #[inline(always)]
    fn add_i(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_add_epi32(a, b) }
    }

    #[inline(always)]
    fn sub_i(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_sub_epi32(a, b) }
    }

    #[inline(always)]
    fn and_i(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_and_si128(a, b) }
    }

    #[inline(always)]
    fn or_i(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_or_si128(a, b) }
    }

    #[inline(always)]
    fn xor_i(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_xor_si128(a, b) }
    }

    #[inline(always)]
    fn shl<const BITS: u32>(self, a: __m128i) -> __m128i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_sllv_epi32(a, _mm_set1_epi32(BITS as i32)) }
    }

    #[inline(always)]
    fn shr<const BITS: u32>(self, a: __m128i) -> __m128i {
        // SAFETY: the token proves the instruction set.
        unsafe { _mm_srav_epi32(a, _mm_set1_epi32(BITS as i32)) }
    }

    #[inline(always)]
    fn mul_wide(self, a: __m128i, b: __m128i) -> (__m128i, __m128i) {
        // SAFETY: the token proves the instruction set.
        unsafe {
            let even = _mm_mul_epu32(a, b);
            let odd = _mm_mul_epu32(_mm_srli_epi64::<32>(a), _mm_srli_epi64::<32>(b));
            let high = _mm_blend_epi32::<0x0a>(_mm_srli_epi64::<32>(even), odd);
            let low = _mm_blend_epi32::<0x0a>(even, _mm_slli_epi64::<32>(odd));
            (high, low)
        }
    }

    #[inline(always)]
    fn sum(self, a: __m128) -> f32 {
        // SAFETY: the token proves the instruction set.
        unsafe {
            let two = _mm_add_ps(a, _mm_movehl_ps(a, a));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }
}

impl Quad for Four {
    #[inline(always)]
    fn sums(self, [a, b, c, d]: [__m128; 4]) -> __m128 {
        // SAFETY: the token proves the instruction set.
        unsafe {
            let ab = _mm_add_ps(_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
            let cd = _mm_add_ps(_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
            _mm_add_ps(_mm_movelh_ps(ab, cd), _mm_movehl_ps(cd, ab))
        }
    }
}
