//! The plain recurrent cell: `h' = tanh(pre + W h)`, or with a rectifier in place of the tanh.

use super::project::{project, project_back};
use super::sweep::{Pass, load, store, sweep};
use super::{Dims, neighbours};
use crate::gemm::Start;
use crate::maths::{relu, tanh};
use crate::simd::{Isa, Simd};

/// What bends the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// The hyperbolic tangent.
    Tanh,
    /// `max(x, 0)`.
    Relu,
}

/// Runs the cell over all steps.
///
/// `w_hh` is the packed weight `[hidden, hidden]`, `pre [time, hidden, lanes]` holds the
/// projected inputs with all biases. State 0 of `h_all [time + 1, hidden, lanes]` is given, the
/// others are written.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn forward(dims: Dims, activation: Activation, w_hh: &[f32], pre: &[f32], h_all: &mut [f32]) {
    forward_on(Isa::current(), dims, activation, w_hh, pre, h_all);
}

/// [`forward`] on a given instruction set.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn forward_on(
    isa: Isa,
    dims: Dims,
    activation: Activation,
    w_hh: &[f32],
    pre: &[f32],
    h_all: &mut [f32],
) {
    dims.check_weight(w_hh, 1);
    dims.check("pre", pre, dims.time, 1);
    dims.check("h_all", h_all, dims.time + 1, 1);
    let state = dims.state();
    if state == 0 {
        return;
    }
    for (t, pre) in pre.chunks_exact(state).enumerate() {
        let (h_prev, h) = neighbours(h_all, t, state);
        project(isa, (dims, 1), w_hh, h_prev, h, Start::Zero, |h, at| {
            let (pre, h) = (&pre[at.clone()], &mut h[at]);
            match activation {
                Activation::Tanh => sweep(isa, Forward::<true> { pre, h }),
                Activation::Relu => sweep(isa, Forward::<false> { pre, h }),
            }
        });
    }
}

struct Forward<'a, const TANH: bool> {
    pre: &'a [f32],
    h: &'a mut [f32],
}

impl<const TANH: bool> Pass for Forward<'_, TANH> {
    fn len(&self) -> usize {
        self.h.len()
    }

    #[inline(always)]
    unsafe fn step<S: Simd, const FULL: bool>(&mut self, s: S, at: usize, n: usize) {
        // SAFETY: both slices are as long as `h`.
        unsafe {
            let pre = load::<S, FULL>(s, self.pre, at, n);
            let x = s.add(pre, load::<S, FULL>(s, self.h, at, n));
            let h = if TANH { tanh(s, x) } else { relu(s, x) };
            store::<S, FULL>(s, self.h, at, n, h);
        }
    }
}

/// Carries gradients back through all steps. `w_back` is the packed transpose of the recurrent
/// weight, as [`turn`](crate::gemm::turn) makes it.
///
/// On entry `dh_all [time + 1, hidden, lanes]` holds the gradients that reach each state of
/// `h_all` from outside; on return state 0 holds the gradient of the initial state, the others are
/// spent. `dpre [time, hidden, lanes]` receives the gradient of the projected inputs, which is
/// also that of the recurrent product.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn backward(
    dims: Dims,
    activation: Activation,
    w_back: &[f32],
    h_all: &[f32],
    dh_all: &mut [f32],
    dpre: &mut [f32],
) {
    backward_on(Isa::current(), dims, activation, w_back, h_all, dh_all, dpre);
}

/// [`backward`] on a given instruction set.
///
/// # Panics
/// When a slice has another length than the dimensions say.
pub fn backward_on(
    isa: Isa,
    dims: Dims,
    activation: Activation,
    w_back: &[f32],
    h_all: &[f32],
    dh_all: &mut [f32],
    dpre: &mut [f32],
) {
    dims.check_back(w_back, 1);
    dims.check("h_all", h_all, dims.time + 1, 1);
    dims.check("dh_all", dh_all, dims.time + 1, 1);
    dims.check("dpre", dpre, dims.time, 1);
    let state = dims.state();
    if state == 0 {
        return;
    }
    for (t, dpre) in dpre.chunks_exact_mut(state).enumerate().rev() {
        let (dh_prev, dh) = neighbours(dh_all, t, state);
        let h = &h_all[(t + 1) * state..(t + 2) * state];
        match activation {
            Activation::Tanh => sweep(isa, Backward::<true> { h, dh, dpre }),
            Activation::Relu => sweep(isa, Backward::<false> { h, dh, dpre }),
        }
        project_back(isa, (dims, 1), w_back, dpre, dh_prev);
    }
}

struct Backward<'a, const TANH: bool> {
    h: &'a [f32],
    dh: &'a [f32],
    dpre: &'a mut [f32],
}

impl<const TANH: bool> Pass for Backward<'_, TANH> {
    fn len(&self) -> usize {
        self.dh.len()
    }

    #[inline(always)]
    unsafe fn step<S: Simd, const FULL: bool>(&mut self, s: S, at: usize, n: usize) {
        let zero = s.splat(0.0);
        // SAFETY: all slices are as long as `dh`.
        unsafe {
            let h = load::<S, FULL>(s, self.h, at, n);
            let dh = load::<S, FULL>(s, self.dh, at, n);
            let d = if TANH {
                s.mul(dh, s.fnma(h, h, s.splat(1.0)))
            } else {
                s.select(s.lt(zero, h), dh, zero)
            };
            store::<S, FULL>(s, self.dpre, at, n, d);
        }
    }
}
