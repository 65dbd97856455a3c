//! The canonical order of reductions, the same for every layout and instruction set.
//!
//! Element `j` of the `n` that one result is made of belongs to chain `j mod 16`. Chains run in
//! ascending order; a balanced tree then adds halves until one is left: chain `c` to `c + 8`, `c`
//! to `c + 4`, and so on. Lanes side by side keep 16 vectors, one per chain; a lone lane keeps its
//! chains in the lanes of one or two vectors. The arithmetic is the same, so is every bit.

use crate::simd::{Kernel, Simd};

/// Chains of every reduction.
pub(crate) const CHAINS: usize = 16;

/// How the elements of a result lie in vectors.
pub(crate) trait Walk<S: Simd>: Copy {
    /// Vectors that hold the chains of one result; step `i` belongs to vector `i mod VECTORS`.
    const VECTORS: usize;
    /// Steps with all their lanes alive.
    fn whole(self) -> usize;
    /// Lanes alive in one more step, if there is one.
    fn partial(self) -> usize;
    /// The vector of `step`, of which `lanes` are alive (see `whole` and `partial`).
    ///
    /// # Safety
    /// `src` is the first element of an array laid out as the walk says.
    unsafe fn load(self, s: S, src: *const f32, step: usize, lanes: usize) -> S::F;
    /// Stores what [`Walk::load`] loads.
    ///
    /// # Safety
    /// As for [`Walk::load`].
    unsafe fn store(self, s: S, dst: *mut f32, step: usize, lanes: usize, v: S::F);
    /// Numbers that differ from element to element but not from lane to lane, as a weight does.
    ///
    /// # Safety
    /// `src` has as many elements as a result is made of.
    unsafe fn load_shared(self, s: S, src: *const f32, step: usize, lanes: usize) -> S::F;
    /// Numbers that differ from lane to lane, as results do.
    ///
    /// # Safety
    /// `src` has one element for each lane of the walk.
    unsafe fn load_result(self, s: S, src: *const f32) -> S::F;
    /// The tree over the chains; a lone lane's result is in every lane.
    fn join<C: Combine>(self, s: S, chains: [S::F; CHAINS], c: C) -> S::F;
    /// `value` in the lanes alive, `other` in the rest.
    fn alive(self, s: S, lanes: usize, value: S::F, other: S::F) -> S::F;
}

/// Lanes side by side: each step is a row of `pitch` elements, of which `lanes` are taken.
#[derive(Clone, Copy)]
pub(crate) struct Across {
    pub n: usize,
    pub pitch: usize,
    /// 1..=LANES
    pub lanes: usize,
}

impl<S: Simd> Walk<S> for Across {
    const VECTORS: usize = CHAINS;

    #[inline(always)]
    fn whole(self) -> usize {
        self.n
    }

    #[inline(always)]
    fn partial(self) -> usize {
        0
    }

    #[inline(always)]
    unsafe fn load(self, s: S, src: *const f32, step: usize, _: usize) -> S::F {
        // SAFETY: the caller vouches for n rows of which `lanes` elements exist.
        unsafe {
            let src = src.add(step * self.pitch);
            if self.lanes == S::LANES { s.load(src) } else { s.load_first(src, self.lanes) }
        }
    }

    #[inline(always)]
    unsafe fn store(self, s: S, dst: *mut f32, step: usize, _: usize, v: S::F) {
        // SAFETY: as in `load`.
        unsafe {
            let dst = dst.add(step * self.pitch);
            if self.lanes == S::LANES { s.store(dst, v) } else { s.store_first(dst, self.lanes, v) }
        }
    }

    #[inline(always)]
    unsafe fn load_shared(self, s: S, src: *const f32, step: usize, _: usize) -> S::F {
        // SAFETY: the caller vouches for n elements.
        s.splat(unsafe { *src.add(step) })
    }

    #[inline(always)]
    unsafe fn load_result(self, s: S, src: *const f32) -> S::F {
        // SAFETY: the caller vouches for the lanes.
        unsafe { s.load_first(src, self.lanes) }
    }

    #[inline(always)]
    fn join<C: Combine>(self, s: S, mut chains: [S::F; CHAINS], c: C) -> S::F {
        let mut width = CHAINS / 2;
        while width > 0 {
            for i in 0..width {
                chains[i] = c.combine(s, chains[i], chains[i + width]);
            }
            width /= 2;
        }
        chains[0]
    }

    #[inline(always)]
    fn alive(self, _: S, _: usize, value: S::F, _: S::F) -> S::F {
        value
    }
}

/// A lone lane: `n` contiguous elements, a vector of them at a step.
#[derive(Clone, Copy)]
pub(crate) struct Along {
    pub n: usize,
}

impl<S: Simd> Walk<S> for Along {
    const VECTORS: usize = CHAINS / S::LANES;

    #[inline(always)]
    fn whole(self) -> usize {
        self.n / S::LANES
    }

    #[inline(always)]
    fn partial(self) -> usize {
        self.n % S::LANES
    }

    #[inline(always)]
    unsafe fn load(self, s: S, src: *const f32, step: usize, lanes: usize) -> S::F {
        // SAFETY: the caller vouches for n elements.
        unsafe {
            let src = src.add(step * S::LANES);
            if lanes == S::LANES { s.load(src) } else { s.load_first(src, lanes) }
        }
    }

    #[inline(always)]
    unsafe fn store(self, s: S, dst: *mut f32, step: usize, lanes: usize, v: S::F) {
        // SAFETY: the caller vouches for n elements.
        unsafe {
            let dst = dst.add(step * S::LANES);
            if lanes == S::LANES { s.store(dst, v) } else { s.store_first(dst, lanes, v) }
        }
    }

    #[inline(always)]
    unsafe fn load_shared(self, s: S, src: *const f32, step: usize, lanes: usize) -> S::F {
        // SAFETY: the caller vouches for n elements.
        unsafe { Walk::<S>::load(self, s, src, step, lanes) }
    }

    #[inline(always)]
    unsafe fn load_result(self, s: S, src: *const f32) -> S::F {
        // SAFETY: the caller vouches for the one lane.
        s.splat(unsafe { *src })
    }

    #[inline(always)]
    fn join<C: Combine>(self, s: S, chains: [S::F; CHAINS], c: C) -> S::F {
        let mut first = chains[0];
        if <Along as Walk<S>>::VECTORS == 2 {
            first = c.combine(s, first, chains[1]);
        }
        s.splat(c.across(s, first))
    }

    #[inline(always)]
    fn alive(self, s: S, lanes: usize, value: S::F, other: S::F) -> S::F {
        static IOTA: [f32; CHAINS] =
            [0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13., 14., 15.];
        // SAFETY: a vector has at most 16 lanes.
        let place = unsafe { s.load(IOTA.as_ptr()) };
        s.select(s.lt(place, s.splat(lanes as f32)), value, other)
    }
}

/// How two partial results become one.
pub(crate) trait Combine: Copy {
    /// What no elements reduce to; combining with it changes nothing.
    const START: f32;
    fn combine<S: Simd>(self, s: S, a: S::F, b: S::F) -> S::F;

    /// The tree over the lanes of one vector.
    #[inline(always)]
    fn across<S: Simd>(self, s: S, v: S::F) -> f32 {
        let mut lanes = [0.0; CHAINS];
        // SAFETY: a vector has at most 16 lanes.
        unsafe { s.store(lanes.as_mut_ptr(), v) };
        let mut width = S::LANES / 2;
        while width > 0 {
            for i in 0..width {
                lanes[i] = self.one(lanes[i], lanes[i + width]);
            }
            width /= 2;
        }
        lanes[0]
    }

    /// [`Combine::combine`] of two numbers.
    fn one(self, a: f32, b: f32) -> f32;
}

/// What a reduction takes from each step.
pub(crate) trait Term<S: Simd, W: Walk<S>> {
    /// # Safety
    /// The step lies inside the arrays the term reads.
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) -> S::F;
}

/// Reduces the terms of a walk.
///
/// # Safety
/// The arrays the term reads are laid out as the walk says.
#[inline(always)]
pub(crate) unsafe fn fold<S: Simd, W: Walk<S>, T: Term<S, W>, C: Combine>(
    s: S,
    walk: W,
    term: T,
    c: C,
) -> S::F {
    let start = s.splat(C::START);
    let mut chains = [start; CHAINS];
    let (whole, partial) = (walk.whole(), walk.partial());
    let mut step = 0;
    // SAFETY: steps stay below `whole`, or are the partial one.
    unsafe {
        while step + W::VECTORS <= whole {
            for (i, chain) in chains.iter_mut().enumerate().take(W::VECTORS) {
                *chain = c.combine(s, *chain, term.at(s, walk, step + i, S::LANES));
            }
            step += W::VECTORS;
        }
        for (i, chain) in chains.iter_mut().enumerate().take(W::VECTORS) {
            if step + i < whole {
                *chain = c.combine(s, *chain, term.at(s, walk, step + i, S::LANES));
            } else if step + i == whole && partial > 0 {
                let value = term.at(s, walk, whole, partial);
                *chain = c.combine(s, *chain, walk.alive(s, partial, value, start));
            }
        }
    }
    walk.join(s, chains, c)
}

/// What is done at each step of a walk.
pub(crate) trait Visit<S: Simd, W: Walk<S>> {
    /// # Safety
    /// The step lies inside the arrays the visit reads and writes.
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize);
}

/// Visits every step of a walk in ascending order.
///
/// # Safety
/// The arrays the visit reads and writes are laid out as the walk says.
#[inline(always)]
pub(crate) unsafe fn visit<S: Simd, W: Walk<S>>(s: S, walk: W, visit: impl Visit<S, W>) {
    // SAFETY: the steps are those of the walk.
    unsafe {
        for step in 0..walk.whole() {
            visit.at(s, walk, step, S::LANES);
        }
        if walk.partial() > 0 {
            visit.at(s, walk, walk.whole(), walk.partial());
        }
    }
}

/// Where a walk of `[outer, n, inner]` is.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// Its first element in arrays of that shape.
    pub offset: usize,
    /// Its first result in `[outer, inner]`.
    pub result: usize,
    /// How many results follow from there.
    pub lanes: usize,
}

/// What is done with each walk of `[outer, n, inner]`.
pub(crate) trait Body {
    /// # Safety
    /// The walk is laid out at its place in the arrays.
    unsafe fn run<S: Simd, W: Walk<S>>(&mut self, s: S, walk: W, place: Place);
}

/// A body over every group of lanes of `[outer, n, inner]`, as a kernel.
pub(crate) struct Over<B>(pub [usize; 3], pub B);

impl<B: Body> Kernel for Over<B> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let [outer, n, inner] = self.0;
        for o in 0..outer {
            if inner == 1 {
                let place = Place { offset: o * n, result: o, lanes: 1 };
                // SAFETY: n elements follow the offset.
                unsafe { self.1.run(s, Along { n }, place) };
                continue;
            }
            for i in (0..inner).step_by(S::LANES) {
                let lanes = S::LANES.min(inner - i);
                let walk = Across { n, pitch: inner, lanes };
                let place = Place { offset: o * n * inner + i, result: o * inner + i, lanes };
                // SAFETY: n rows of `inner` elements follow, of which `lanes` remain from i on.
                unsafe { self.1.run(s, walk, place) };
            }
        }
    }
}

/// Addition.
#[derive(Clone, Copy)]
pub(crate) struct Add;

impl Combine for Add {
    const START: f32 = 0.0;

    #[inline(always)]
    fn combine<S: Simd>(self, s: S, a: S::F, b: S::F) -> S::F {
        s.add(a, b)
    }

    #[inline(always)]
    fn across<S: Simd>(self, s: S, v: S::F) -> f32 {
        s.sum(v)
    }

    #[inline(always)]
    fn one(self, a: f32, b: f32) -> f32 {
        a + b
    }
}

/// The elements themselves.
pub(crate) struct Each(pub *const f32);

impl<S: Simd, W: Walk<S>> Term<S, W> for Each {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) -> S::F {
        // SAFETY: the caller vouches for the step.
        unsafe { walk.load(s, self.0, step, lanes) }
    }
}

/// Products of elements of two arrays.
pub(crate) struct Products(pub *const f32, pub *const f32);

impl<S: Simd, W: Walk<S>> Term<S, W> for Products {
    #[inline(always)]
    unsafe fn at(&self, s: S, walk: W, step: usize, lanes: usize) -> S::F {
        // SAFETY: the caller vouches for the step.
        unsafe { s.mul(walk.load(s, self.0, step, lanes), walk.load(s, self.1, step, lanes)) }
    }
}
