//! The long short-term memory, gates in the order input, forget, cell, output:
//!
//! ```text
//! i, f, o = sigmoid(pre + W h),  g = tanh(pre + W h)
//! c' = f c + i g,                h' = o tanh(c')
//! ```

use super::project::{project, project_back};
use super::sweep::{Pass, load, store, sweep};
use super::{Dims, neighbours, parts, parts_mut};
use crate::gemm::Start;
use crate::maths::{sigmoid, tanh};
use crate::simd::{Isa, Simd};

const GATES: usize = 4;

/// Runs the cell over all steps.
///
/// `w_hh` is the packed weight `[4 hidden, hidden]`. `gates [time, 4 hidden, lanes]` holds the
/// projected inputs with their bias on entry and the gates after activation on return. State 0 of
/// `h_all` and `c_all` `[time + 1, hidden, lanes]` is given, the others are written.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn forward(dims: Dims, w_hh: &[f32], gates: &mut [f32], h_all: &mut [f32], c_all: &mut [f32]) {
    forward_on(Isa::current(), dims, w_hh, gates, h_all, c_all);
}

/// [`forward`] on a given instruction set.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn forward_on(
    isa: Isa,
    dims: Dims,
    w_hh: &[f32],
    gates: &mut [f32],
    h_all: &mut [f32],
    c_all: &mut [f32],
) {
    dims.check_weight(w_hh, GATES);
    dims.check("gates", gates, dims.time, GATES);
    dims.check("h_all", h_all, dims.time + 1, 1);
    dims.check("c_all", c_all, dims.time + 1, 1);
    let state = dims.state();
    if state == 0 {
        return;
    }
    for (t, step) in gates.chunks_exact_mut(GATES * state).enumerate() {
        let (h_prev, h) = neighbours(h_all, t, state);
        let (c_prev, c) = neighbours(c_all, t, state);
        project(isa, (dims, GATES), w_hh, h_prev, step, Start::Dst, |step, at| {
            let [i, f, g, o] = parts_mut(step, state).map(|gate| &mut gate[at.clone()]);
            let (c_prev, c, h) = (&c_prev[at.clone()], &mut c[at.clone()], &mut h[at]);
            sweep(isa, Forward { i, f, g, o, c_prev, c, h });
        });
    }
}

struct Forward<'a> {
    i: &'a mut [f32],
    f: &'a mut [f32],
    g: &'a mut [f32],
    o: &'a mut [f32],
    c_prev: &'a [f32],
    c: &'a mut [f32],
    h: &'a mut [f32],
}

impl Pass for Forward<'_> {
    fn len(&self) -> usize {
        self.h.len()
    }

    #[inline(always)]
    unsafe fn step<S: Simd, const FULL: bool>(&mut self, s: S, at: usize, n: usize) {
        // SAFETY: all slices are as long as `h`.
        unsafe {
            let i = sigmoid(s, load::<S, FULL>(s, self.i, at, n));
            let f = sigmoid(s, load::<S, FULL>(s, self.f, at, n));
            let g = tanh(s, load::<S, FULL>(s, self.g, at, n));
            let o = sigmoid(s, load::<S, FULL>(s, self.o, at, n));
            let c_prev = load::<S, FULL>(s, self.c_prev, at, n);
            let c = s.fma(f, c_prev, s.mul(i, g));
            store::<S, FULL>(s, self.i, at, n, i);
            store::<S, FULL>(s, self.f, at, n, f);
            store::<S, FULL>(s, self.g, at, n, g);
            store::<S, FULL>(s, self.o, at, n, o);
            store::<S, FULL>(s, self.c, at, n, c);
            store::<S, FULL>(s, self.h, at, n, s.mul(o, tanh(s, c)));
        }
    }
}

/// What the forward scan leaves for the backward one.
#[derive(Clone, Copy, Debug)]
pub struct Saved<'a> {
    /// Cell states `[time + 1, hidden, lanes]`.
    pub c_all: &'a [f32],
    /// Gates after activation `[time, 4 hidden, lanes]`.
    pub gates: &'a [f32],
}

/// Carries gradients back through all steps. `w_back` is the packed transpose of the recurrent
/// weight, as [`turn`](crate::gemm::turn) makes it.
///
/// On entry `dh_all` and `dc_all` `[time + 1, hidden, lanes]` hold the gradients that reach each
/// state from outside; on return state 0 holds the gradient of the initial state, the others are
/// spent. `dpre [time, 4 hidden, lanes]` receives the gradient of the projected inputs, which is
/// also that of the recurrent product.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn backward(
    dims: Dims,
    w_back: &[f32],
    saved: Saved,
    dh_all: &mut [f32],
    dc_all: &mut [f32],
    dpre: &mut [f32],
) {
    backward_on(Isa::current(), dims, w_back, saved, dh_all, dc_all, dpre);
}

/// [`backward`] on a given instruction set.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn backward_on(
    isa: Isa,
    dims: Dims,
    w_back: &[f32],
    saved: Saved,
    dh_all: &mut [f32],
    dc_all: &mut [f32],
    dpre: &mut [f32],
) {
    dims.check_back(w_back, GATES);
    dims.check("c_all", saved.c_all, dims.time + 1, 1);
    dims.check("gates", saved.gates, dims.time, GATES);
    dims.check("dh_all", dh_all, dims.time + 1, 1);
    dims.check("dc_all", dc_all, dims.time + 1, 1);
    dims.check("dpre", dpre, dims.time, GATES);
    let state = dims.state();
    if state == 0 {
        return;
    }
    for (t, dstep) in dpre.chunks_exact_mut(GATES * state).enumerate().rev() {
        let [c_prev, c] = parts(&saved.c_all[t * state..], state);
        let (dh_prev, dh) = neighbours(dh_all, t, state);
        let (dc_prev, dc) = neighbours(dc_all, t, state);
        let gates = parts(&saved.gates[t * GATES * state..], state);
        let dgates = parts_mut(dstep, state);
        sweep(isa, Backward { gates, c_prev, c, dh, dc, dc_prev, dgates });
        project_back(isa, (dims, GATES), w_back, dstep, dh_prev);
    }
}

struct Backward<'a> {
    gates: [&'a [f32]; GATES],
    c_prev: &'a [f32],
    c: &'a [f32],
    dh: &'a [f32],
    dc: &'a [f32],
    dc_prev: &'a mut [f32],
    dgates: [&'a mut [f32]; GATES],
}

impl Pass for Backward<'_> {
    fn len(&self) -> usize {
        self.dh.len()
    }

    #[inline(always)]
    unsafe fn step<S: Simd, const FULL: bool>(&mut self, s: S, at: usize, n: usize) {
        let one = s.splat(1.0);
        // SAFETY: all slices are as long as `dh`.
        unsafe {
            let i = load::<S, FULL>(s, self.gates[0], at, n);
            let f = load::<S, FULL>(s, self.gates[1], at, n);
            let g = load::<S, FULL>(s, self.gates[2], at, n);
            let o = load::<S, FULL>(s, self.gates[3], at, n);
            let c_prev = load::<S, FULL>(s, self.c_prev, at, n);
            let c = tanh(s, load::<S, FULL>(s, self.c, at, n));
            let dh = load::<S, FULL>(s, self.dh, at, n);
            let dc = load::<S, FULL>(s, self.dc, at, n);
            let dc_prev = load::<S, FULL>(s, self.dc_prev, at, n);

            // The slopes are x (1 - x) for a sigmoid and 1 - x^2 for a tanh.
            let dc = s.fma(s.mul(dh, o), s.fnma(c, c, one), dc);
            let di = s.mul(s.mul(dc, g), s.fnma(i, i, i));
            let df = s.mul(s.mul(dc, c_prev), s.fnma(f, f, f));
            let dg = s.mul(s.mul(dc, i), s.fnma(g, g, one));
            let d_o = s.mul(s.mul(dh, c), s.fnma(o, o, o));
            store::<S, FULL>(s, self.dc_prev, at, n, s.fma(dc, f, dc_prev));
            store::<S, FULL>(s, self.dgates[0], at, n, di);
            store::<S, FULL>(s, self.dgates[1], at, n, df);
            store::<S, FULL>(s, self.dgates[2], at, n, dg);
            store::<S, FULL>(s, self.dgates[3], at, n, d_o);
        }
    }
}
