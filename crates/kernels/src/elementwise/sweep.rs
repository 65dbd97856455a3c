//! The loop of one operation over one block: whole vectors, four at a time where the operation
//! is cheap, then the tail through a mask. Every element is computed by the same vector code, so results do
//! not depend on where blocks begin and end.

use super::op::{Map, Zip};
use crate::simd::{Isa, Kernel, Simd, run_on};

/// Lanes of the widest vector: a constant operand is this many copies of it.
pub(super) const SPLAT: usize = 16;

/// An operand of a sweep: an array that flows by, or one vector that stays.
#[derive(Clone, Copy)]
pub(super) struct Flow {
    ptr: *const f32,
    /// All ones when the operand advances with the index, 0 when it stays.
    advance: usize,
}

impl Flow {
    /// No operand.
    pub const NONE: Flow = Flow { ptr: std::ptr::null(), advance: 0 };

    /// The operand from element `at` on.
    #[inline(always)]
    pub fn starting(self, at: usize) -> Flow {
        Flow { ptr: self.ptr.wrapping_add(at & self.advance), ..self }
    }

    /// An array, readable for the length of the sweep.
    #[inline(always)]
    pub fn array(ptr: *const f32) -> Flow {
        Flow { ptr, advance: usize::MAX }
    }

    /// A constant, as [`SPLAT`] copies.
    #[inline(always)]
    pub fn constant(copies: *const [f32; SPLAT]) -> Flow {
        Flow { ptr: copies.cast(), advance: 0 }
    }

    /// # Safety
    /// Elements `at..at + n` are readable, or the operand stays. `n <= LANES`.
    #[inline(always)]
    unsafe fn load<S: Simd>(self, s: S, at: usize, n: usize) -> S::F {
        // SAFETY: the caller vouches for the elements; a constant has SPLAT of them.
        unsafe {
            let src = self.ptr.add(at & self.advance);
            if n == S::LANES { s.load(src) } else { s.load_first(src, n) }
        }
    }
}

/// What a sweep computes from its operands at `at..at + n`, `n <= LANES`.
trait Body: Copy {
    /// Whether the loop would take longer than the computation if it went vector by vector.
    const CHEAP: bool;
    /// # Safety
    /// These elements of every operand are readable.
    unsafe fn at<S: Simd>(self, s: S, at: usize, n: usize) -> S::F;
}

struct Sweep<B> {
    body: B,
    dst: *mut f32,
    len: usize,
}

impl<B: Body> Kernel for Sweep<B> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        const TOGETHER: usize = 4;
        let Sweep { body, dst, len } = self;
        let mut at = 0;
        // SAFETY: the callers below vouch for `len` elements of operands and target; a target
        // equal to an operand is read at a place before it is written there.
        unsafe {
            while B::CHEAP && at + TOGETHER * S::LANES <= len {
                let mut out = [s.splat(0.0); TOGETHER];
                for (i, out) in out.iter_mut().enumerate() {
                    *out = body.at(s, at + i * S::LANES, S::LANES);
                }
                for (i, out) in out.into_iter().enumerate() {
                    s.store(dst.add(at + i * S::LANES), out);
                }
                at += TOGETHER * S::LANES;
            }
            while at + S::LANES <= len {
                s.store(dst.add(at), body.at(s, at, S::LANES));
                at += S::LANES;
            }
            if at < len {
                s.store_first(dst.add(at), len - at, body.at(s, at, len - at));
            }
        }
    }
}

#[derive(Clone, Copy)]
struct One<M>(M, Flow);

impl<M: Map> Body for One<M> {
    const CHEAP: bool = M::CHEAP;
    #[inline(always)]
    unsafe fn at<S: Simd>(self, s: S, at: usize, n: usize) -> S::F {
        // SAFETY: the caller vouches for the elements.
        self.0.apply(s, unsafe { self.1.load(s, at, n) })
    }
}

#[derive(Clone, Copy)]
struct Two<Z>(Z, Flow, Flow);

impl<Z: Zip> Body for Two<Z> {
    const CHEAP: bool = Z::CHEAP;
    #[inline(always)]
    unsafe fn at<S: Simd>(self, s: S, at: usize, n: usize) -> S::F {
        // SAFETY: the caller vouches for the elements.
        unsafe { self.0.apply(s, self.1.load(s, at, n), self.2.load(s, at, n)) }
    }
}

/// `a * b + c`
#[derive(Clone, Copy)]
struct MulAdd(Flow, Flow, Flow);

impl Body for MulAdd {
    const CHEAP: bool = true;
    #[inline(always)]
    unsafe fn at<S: Simd>(self, s: S, at: usize, n: usize) -> S::F {
        // SAFETY: the caller vouches for the elements.
        unsafe { s.fma(self.0.load(s, at, n), self.1.load(s, at, n), self.2.load(s, at, n)) }
    }
}

/// `a` where the mask is not 0, else `b`.
#[derive(Clone, Copy)]
struct Select(Flow, Flow, Flow);

impl Body for Select {
    const CHEAP: bool = true;
    #[inline(always)]
    unsafe fn at<S: Simd>(self, s: S, at: usize, n: usize) -> S::F {
        // SAFETY: the caller vouches for the elements.
        let (mask, a, b) =
            unsafe { (self.0.load(s, at, n), self.1.load(s, at, n), self.2.load(s, at, n)) };
        s.select(s.eq(mask, s.splat(0.0)), b, a)
    }
}

/// `dst[i] = op(a[i])`.
///
/// # Safety
/// `a` is readable and `dst` writable for `len` elements; they are equal or disjoint.
pub(super) unsafe fn unary<M: Map>(isa: Isa, op: M, a: Flow, dst: *mut f32, len: usize) {
    run_on(isa, Sweep { body: One(op, a), dst, len });
}

/// `dst[i] = op(a[i], b[i])`.
///
/// # Safety
/// As for [`unary`], with both operands.
pub(super) unsafe fn binary<Z: Zip>(isa: Isa, op: Z, a: Flow, b: Flow, dst: *mut f32, len: usize) {
    run_on(isa, Sweep { body: Two(op, a, b), dst, len });
}

/// `dst[i] = a[i] * b[i] + c[i]`.
///
/// # Safety
/// As for [`unary`], with all operands.
pub(super) unsafe fn mul_add(isa: Isa, [a, b, c]: [Flow; 3], dst: *mut f32, len: usize) {
    run_on(isa, Sweep { body: MulAdd(a, b, c), dst, len });
}

/// `dst[i] = if mask[i] != 0 { a[i] } else { b[i] }`.
///
/// # Safety
/// As for [`unary`], with all operands.
pub(super) unsafe fn select(isa: Isa, [mask, a, b]: [Flow; 3], dst: *mut f32, len: usize) {
    run_on(isa, Sweep { body: Select(mask, a, b), dst, len });
}

/// Copies a block past the caches.
///
/// # Safety
/// `src` is readable and `dst` writable for `len` elements; they are disjoint.
pub(super) unsafe fn stream(isa: Isa, src: *const f32, dst: *mut f32, len: usize) {
    run_on(isa, Stream { src, dst, len });
}

struct Stream {
    src: *const f32,
    dst: *mut f32,
    len: usize,
}

impl Kernel for Stream {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Stream { src, dst, len } = self;
        let vector = S::LANES * size_of::<f32>();
        // Elements up to the first aligned vector.
        let head = (dst.addr().next_multiple_of(vector) - dst.addr()) / size_of::<f32>();
        let mut at = head.min(len);
        // SAFETY: the caller vouches for len elements; from `head` on the target is aligned.
        unsafe {
            s.store_first(dst, at, s.load_first(src, at));
            while at + S::LANES <= len {
                s.stream(dst.add(at), s.load(src.add(at)));
                at += S::LANES;
            }
            s.store_first(dst.add(at), len - at, s.load_first(src.add(at), len - at));
        }
        s.fence();
    }
}
