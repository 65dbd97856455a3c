//! Lanes in plain Rust arrays, in loops that compilers vectorise for any target.
//!
//! `fma` rounds twice: a fused one would call into the C library where the target has no such
//! instruction.

use super::{Quad, Simd};

/// The token of so many portable lanes, eight or four; always available.
#[derive(Clone, Copy, Debug)]
pub struct Portable<const LANES: usize = 8>;

/// Numbers of lanes that there are.
pub trait Width {}
impl Width for Portable<4> {}
impl Width for Portable<8> {}

/// Lanes, aligned so that the compiler keeps them in registers.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Lanes<T, const LANES: usize>([T; LANES]);

#[inline(always)]
fn map<A: Copy, R: Copy, const N: usize>(a: Lanes<A, N>, f: impl Fn(A) -> R) -> Lanes<R, N> {
    Lanes(std::array::from_fn(|i| f(a.0[i])))
}

#[inline(always)]
fn zip<A: Copy, R: Copy, const N: usize>(
    a: Lanes<A, N>,
    b: Lanes<A, N>,
    f: impl Fn(A, A) -> R,
) -> Lanes<R, N> {
    Lanes(std::array::from_fn(|i| f(a.0[i], b.0[i])))
}

/// Adding 2^23 to a magnitude below it leaves no room for a fraction, so the hardware rounds to
/// the nearest integer, ties to even. Larger values are integers already.
#[inline(always)]
fn round_ties_even(x: f32) -> f32 {
    const MAGIC: f32 = 8_388_608.0;
    if x.abs() < MAGIC { ((x.abs() + MAGIC) - MAGIC).copysign(x) } else { x }
}

#[inline(always)]
fn all(set: bool) -> u32 {
    if set { u32::MAX } else { 0 }
}

impl<const LANES: usize> Simd for Portable<LANES>
where
    Portable<LANES>: Width,
{
    const LANES: usize = LANES;
    const REGISTERS: usize = 16;
    type F = Lanes<f32, LANES>;
    type I = Lanes<i32, LANES>;
    type Mask = Lanes<u32, LANES>;
    type Four = Portable<4>;

    #[inline(always)]
    fn four(self) -> Portable<4> {
        Portable
    }

    #[inline(always)]
    fn splat(self, x: f32) -> Self::F {
        Lanes([x; LANES])
    }

    #[inline(always)]
    fn splat_i(self, x: i32) -> Self::I {
        Lanes([x; LANES])
    }

    #[inline(always)]
    unsafe fn load(self, src: *const f32) -> Self::F {
        // SAFETY: the caller vouches for LANES elements; unaligned reads are allowed.
        Lanes(unsafe { src.cast::<[f32; LANES]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, dst: *mut f32, v: Self::F) {
        // SAFETY: the caller vouches for LANES elements.
        unsafe { dst.cast::<[f32; LANES]>().write_unaligned(v.0) }
    }

    #[inline(always)]
    unsafe fn load_first(self, src: *const f32, n: usize) -> Self::F {
        let mut out = [0.0; LANES];
        for (i, lane) in out.iter_mut().enumerate().take(n) {
            // SAFETY: the caller vouches for n elements.
            *lane = unsafe { src.add(i).read() };
        }
        Lanes(out)
    }

    #[inline(always)]
    unsafe fn store_first(self, dst: *mut f32, n: usize, v: Self::F) {
        for (i, lane) in v.0.iter().enumerate().take(n) {
            // SAFETY: the caller vouches for n elements.
            unsafe { dst.add(i).write(*lane) };
        }
    }

    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        zip(a, b, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        zip(a, b, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        zip(a, b, |a, b| a * b)
    }

    #[inline(always)]
    fn div(self, a: Self::F, b: Self::F) -> Self::F {
        zip(a, b, |a, b| a / b)
    }

    #[inline(always)]
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        self.add(self.mul(a, b), c)
    }

    #[inline(always)]
    fn fnma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        self.sub(c, self.mul(a, b))
    }

    #[inline(always)]
    fn min(self, a: Self::F, b: Self::F) -> Self::F {
        zip(a, b, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        zip(a, b, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn sqrt(self, a: Self::F) -> Self::F {
        map(a, f32::sqrt)
    }

    #[inline(always)]
    fn abs(self, a: Self::F) -> Self::F {
        map(a, f32::abs)
    }

    #[inline(always)]
    fn neg(self, a: Self::F) -> Self::F {
        map(a, |a: f32| -a)
    }

    #[inline(always)]
    fn round(self, a: Self::F) -> Self::F {
        map(a, round_ties_even)
    }

    #[inline(always)]
    fn floor(self, a: Self::F) -> Self::F {
        map(a, |x: f32| {
            let r = round_ties_even(x);
            if r > x { r - 1.0 } else { r }
        })
    }

    #[inline(always)]
    fn lt(self, a: Self::F, b: Self::F) -> Self::Mask {
        zip(a, b, |a, b| all(a < b))
    }

    #[inline(always)]
    fn le(self, a: Self::F, b: Self::F) -> Self::Mask {
        zip(a, b, |a, b| all(a <= b))
    }

    #[inline(always)]
    fn eq(self, a: Self::F, b: Self::F) -> Self::Mask {
        zip(a, b, |a, b| all(a == b))
    }

    #[inline(always)]
    fn select(self, mask: Self::Mask, a: Self::F, b: Self::F) -> Self::F {
        let mut out = b;
        for i in 0..LANES {
            let bits = (mask.0[i] & a.0[i].to_bits()) | (!mask.0[i] & b.0[i].to_bits());
            out.0[i] = f32::from_bits(bits);
        }
        out
    }

    #[inline(always)]
    fn not(self, m: Self::Mask) -> Self::Mask {
        map(m, |m: u32| !m)
    }

    #[inline(always)]
    fn and(self, a: Self::Mask, b: Self::Mask) -> Self::Mask {
        zip(a, b, |a, b| a & b)
    }

    #[inline(always)]
    fn or(self, a: Self::Mask, b: Self::Mask) -> Self::Mask {
        zip(a, b, |a, b| a | b)
    }

    #[inline(always)]
    fn all(self, m: Self::Mask) -> bool {
        m.0.iter().all(|lane| *lane != 0)
    }

    #[inline(always)]
    fn bits(self, a: Self::F) -> Self::I {
        map(a, |a: f32| a.to_bits() as i32)
    }

    #[inline(always)]
    fn with_bits(self, a: Self::I) -> Self::F {
        map(a, |a: i32| f32::from_bits(a as u32))
    }

    #[inline(always)]
    fn to_int(self, a: Self::F) -> Self::I {
        map(a, |a| round_ties_even(a) as i32)
    }

    #[inline(always)]
    fn to_float(self, a: Self::I) -> Self::F {
        map(a, |a: i32| a as f32)
    }

    #[inline(always)]
    fn add_i(self, a: Self::I, b: Self::I) -> Self::I {
        zip(a, b, i32::wrapping_add)
    }

    #[inline(always)]
    fn sub_i(self, a: Self::I, b: Self::I) -> Self::I {
        zip(a, b, i32::wrapping_sub)
    }

    #[inline(always)]
    fn and_i(self, a: Self::I, b: Self::I) -> Self::I {
        zip(a, b, |a, b| a & b)
    }

    #[inline(always)]
    fn or_i(self, a: Self::I, b: Self::I) -> Self::I {
        zip(a, b, |a, b| a | b)
    }

    #[inline(always)]
    fn xor_i(self, a: Self::I, b: Self::I) -> Self::I {
        zip(a, b, |a, b| a ^ b)
    }

    #[inline(always)]
    fn shl<const BITS: u32>(self, a: Self::I) -> Self::I {
        map(a, |a: i32| a << BITS)
    }

    #[inline(always)]
    fn shr<const BITS: u32>(self, a: Self::I) -> Self::I {
        map(a, |a: i32| a >> BITS)
    }

    #[inline(always)]
    fn mul_wide(self, a: Self::I, b: Self::I) -> (Self::I, Self::I) {
        let product = |a: i32, b: i32| u64::from(a as u32) * u64::from(b as u32);
        (zip(a, b, |a, b| (product(a, b) >> 32) as i32), zip(a, b, |a, b| product(a, b) as i32))
    }

    #[inline(always)]
    fn sum(self, a: Self::F) -> f32 {
        let mut lanes = a.0;
        let mut half = LANES / 2;
        while half > 0 {
            for i in 0..half {
                lanes[i] += lanes[i + half];
            }
            half /= 2;
        }
        lanes[0]
    }
}

impl Quad for Portable<4> {
    #[inline(always)]
    fn sums(self, rows: [Self::F; 4]) -> Self::F {
        Lanes(rows.map(|Lanes([a, b, c, d])| (a + c) + (b + d)))
    }
}
