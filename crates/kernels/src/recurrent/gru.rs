//! The gated recurrent unit, gates in the order reset, update, new:
//!
//! ```text
//! hid = W h + b
//! r, z = sigmoid(pre + hid),  n = tanh(pre + r hid_n),  h' = n + z (h - n)
//! ```

use super::project::{project, project_back};
use super::sweep::{Pass, load, store, sweep};
use super::{Dims, neighbours, parts, parts_mut};
use crate::gemm::Start;
use crate::maths::{sigmoid, tanh};
use crate::simd::{Isa, Kernel, Simd, run_on};

const GATES: usize = 3;
/// Saved for the backward scan: r, z, n and hid_n.
const SAVED: usize = 4;

/// The recurrent parameters.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    /// Packed weight `[3 hidden, hidden]`.
    pub w_hh: &'a [f32],
    /// Bias `[3 hidden]` of the recurrent product.
    pub b_hh: &'a [f32],
}

/// Runs the cell over all steps.
///
/// `pre [time, 3 hidden, lanes]` holds the projected inputs with their bias. State 0 of `h_all`
/// `[time + 1, hidden, lanes]` is given, the others are written. `saved [time, 4 hidden, lanes]`
/// receives `r`, `z`, `n` and `hid_n`.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn forward(dims: Dims, weights: Weights, pre: &[f32], h_all: &mut [f32], saved: &mut [f32]) {
    forward_on(Isa::current(), dims, weights, pre, h_all, saved);
}

/// [`forward`] on a given instruction set.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn forward_on(
    isa: Isa,
    dims: Dims,
    weights: Weights,
    pre: &[f32],
    h_all: &mut [f32],
    saved: &mut [f32],
) {
    dims.check_weight(weights.w_hh, GATES);
    assert_eq!(weights.b_hh.len(), GATES * dims.hidden, "b_hh of {dims:?}");
    dims.check("pre", pre, dims.time, GATES);
    dims.check("h_all", h_all, dims.time + 1, 1);
    dims.check("saved", saved, dims.time, SAVED);
    let Dims { hidden, lanes, .. } = dims;
    let state = dims.state();
    if state == 0 {
        return;
    }
    for (t, step) in saved.chunks_exact_mut(SAVED * state).enumerate() {
        let (h_prev, h) = neighbours(h_all, t, state);
        let pre: [_; GATES] = parts(&pre[t * GATES * state..], state);
        let bias: [_; GATES] = parts(weights.b_hh, hidden);
        // The product lies where r, z and n will: the pass turns each element in place.
        let (hid, hn) = step.split_at_mut(GATES * state);
        let size = (dims, GATES);
        project(isa, size, weights.w_hh, h_prev, hid, Start::Zero, |hid, at| {
            let units = at.start / lanes..at.end / lanes;
            run_on(
                isa,
                Forward {
                    lanes,
                    bias: bias.map(|b| &b[units.clone()]),
                    pre: pre.map(|p| &p[at.clone()]),
                    h_prev: &h_prev[at.clone()],
                    hid: parts_mut(hid, state).map(|p| &mut p[at.clone()]),
                    hn: &mut hn[at.clone()],
                    h: &mut h[at],
                },
            );
        });
    }
}

struct Forward<'a> {
    lanes: usize,
    bias: [&'a [f32]; GATES],
    pre: [&'a [f32]; GATES],
    h_prev: &'a [f32],
    hid: [&'a mut [f32]; GATES],
    hn: &'a mut [f32],
    h: &'a mut [f32],
}

impl Kernel for Forward<'_> {
    type Output = ();

    /// The bias varies from unit to unit: with one lane it is a vector like the others, with more
    /// each unit is a row of its own.
    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let units = self.bias[0].len();
        let (rows, row) = if self.lanes == 1 { (1, units) } else { (units, self.lanes) };
        let whole = row / S::LANES * S::LANES;
        for r in 0..rows {
            let splats: [S::F; GATES] = std::array::from_fn(|g| s.splat(self.bias[g][r]));
            for at in (0..whole).step_by(S::LANES) {
                // SAFETY: inside row r.
                unsafe { self.step::<S, true>(s, splats, r * row + at, S::LANES) };
            }
            if whole < row {
                // SAFETY: the end of row r.
                unsafe { self.step::<S, false>(s, splats, r * row + whole, row - whole) };
            }
        }
    }
}

impl Forward<'_> {
    /// # Safety
    /// The elements `at .. at + n` exist; `n` is `S::LANES` when `FULL`.
    #[inline(always)]
    unsafe fn step<S: Simd, const FULL: bool>(
        &mut self,
        s: S,
        splats: [S::F; GATES],
        at: usize,
        n: usize,
    ) {
        // SAFETY: all slices are as long as `h`; with one lane the bias is too.
        unsafe {
            let mut hid = splats;
            let mut pre = splats;
            for gate in 0..GATES {
                let bias = if self.lanes == 1 {
                    load::<S, FULL>(s, self.bias[gate], at, n)
                } else {
                    splats[gate]
                };
                hid[gate] = s.add(load::<S, FULL>(s, self.hid[gate], at, n), bias);
                pre[gate] = load::<S, FULL>(s, self.pre[gate], at, n);
            }
            let h = load::<S, FULL>(s, self.h_prev, at, n);
            let r = sigmoid(s, s.add(pre[0], hid[0]));
            let z = sigmoid(s, s.add(pre[1], hid[1]));
            let new = tanh(s, s.fma(r, hid[2], pre[2]));
            store::<S, FULL>(s, self.hid[0], at, n, r);
            store::<S, FULL>(s, self.hid[1], at, n, z);
            store::<S, FULL>(s, self.hid[2], at, n, new);
            store::<S, FULL>(s, self.hn, at, n, hid[2]);
            store::<S, FULL>(s, self.h, at, n, s.fma(z, s.sub(h, new), new));
        }
    }
}

/// What the forward scan leaves for the backward one.
#[derive(Clone, Copy, Debug)]
pub struct Saved<'a> {
    /// States `[time + 1, hidden, lanes]`.
    pub h_all: &'a [f32],
    /// `r`, `z`, `n`, `hid_n` `[time, 4 hidden, lanes]`.
    pub saved: &'a [f32],
}

/// Carries gradients back through all steps. `w_back` is the packed transpose of the recurrent
/// weight, as [`turn`](crate::gemm::turn) makes it.
///
/// On entry `dh_all [time + 1, hidden, lanes]` holds the gradients that reach each state from
/// outside; on return state 0 holds the gradient of the initial state, the others are spent.
/// `dpre` and `dhid` `[time, 3 hidden, lanes]` receive the gradients of the projected inputs and
/// of the recurrent product.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn backward(
    dims: Dims,
    w_back: &[f32],
    saved: Saved,
    dh_all: &mut [f32],
    dpre: &mut [f32],
    dhid: &mut [f32],
) {
    backward_on(Isa::current(), dims, w_back, saved, dh_all, dpre, dhid);
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
    dpre: &mut [f32],
    dhid: &mut [f32],
) {
    dims.check_back(w_back, GATES);
    dims.check("h_all", saved.h_all, dims.time + 1, 1);
    dims.check("saved", saved.saved, dims.time, SAVED);
    dims.check("dh_all", dh_all, dims.time + 1, 1);
    dims.check("dpre", dpre, dims.time, GATES);
    dims.check("dhid", dhid, dims.time, GATES);
    let state = dims.state();
    if state == 0 {
        return;
    }
    let steps = dpre.chunks_exact_mut(GATES * state).zip(dhid.chunks_exact_mut(GATES * state));
    for (t, (dpre, dhid)) in steps.enumerate().rev() {
        let (dh_prev, dh) = neighbours(dh_all, t, state);
        let pass = Backward {
            saved: parts(&saved.saved[t * SAVED * state..], state),
            h_prev: &saved.h_all[t * state..(t + 1) * state],
            dh,
            dh_prev,
            dpre: parts_mut(dpre, state),
            dhid: parts_mut(dhid, state),
        };
        sweep(isa, pass);
        project_back(isa, (dims, GATES), w_back, dhid, dh_prev);
    }
}

struct Backward<'a> {
    saved: [&'a [f32]; SAVED],
    h_prev: &'a [f32],
    dh: &'a [f32],
    dh_prev: &'a mut [f32],
    dpre: [&'a mut [f32]; GATES],
    dhid: [&'a mut [f32]; GATES],
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
            let r = load::<S, FULL>(s, self.saved[0], at, n);
            let z = load::<S, FULL>(s, self.saved[1], at, n);
            let new = load::<S, FULL>(s, self.saved[2], at, n);
            let hn = load::<S, FULL>(s, self.saved[3], at, n);
            let h_prev = load::<S, FULL>(s, self.h_prev, at, n);
            let dh = load::<S, FULL>(s, self.dh, at, n);
            let dh_prev = load::<S, FULL>(s, self.dh_prev, at, n);

            let dn = s.mul(s.mul(dh, s.sub(one, z)), s.fnma(new, new, one));
            let dz = s.mul(s.mul(dh, s.sub(h_prev, new)), s.fnma(z, z, z));
            let dr = s.mul(s.mul(dn, hn), s.fnma(r, r, r));
            store::<S, FULL>(s, self.dh_prev, at, n, s.fma(dh, z, dh_prev));
            for (gate, d) in [dr, dz, dn].into_iter().enumerate() {
                store::<S, FULL>(s, self.dpre[gate], at, n, d);
            }
            for (gate, d) in [dr, dz, s.mul(dn, r)].into_iter().enumerate() {
                store::<S, FULL>(s, self.dhid[gate], at, n, d);
            }
        }
    }
}
