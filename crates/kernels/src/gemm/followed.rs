//! A weight gradient of few steps, its parameters following while it is made.
//!
//! The root and the quotient of an update keep a unit busy that multiplications want as well, and
//! states come from far caches. So the elements of one tile are followed between the steps of the
//! next: neither waits for the other.

use super::PANEL;
use super::stack::Stack;
use super::tile::{Acc, Ahead, Place, Walk, row_offsets, step, store, zeros};
use crate::optim::Follow;
use crate::simd::{Isa, Kernel, Simd, prefetch_to_write, run_on};

/// Inputs and panels of a tile.
pub(super) const MR: usize = 6;
pub(super) const NV: usize = 4;

/// All inputs of four panels; there are at least as many as in a tile.
pub(super) struct Followed<'a, F> {
    pub walk: Walk,
    /// `[step][4 panels][16]`.
    pub turned: *const f32,
    pub x: *const f32,
    pub inputs: usize,
    /// The first panel.
    pub first: usize,
    pub states: &'a mut F,
}

impl<F: Follow> Followed<'_, F> {
    /// Makes and follows them.
    ///
    /// # Safety
    /// Inputs, in every block of the walk, and turned rows are readable; there are states for all
    /// four panels.
    pub(super) unsafe fn run(self, isa: Isa) {
        run_on(isa, self);
    }
}

impl<F: Follow> Kernel for Followed<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let factors = &self.states.factors();
        let mut room = Stack::<{ MR * NV * PANEL }>::new();
        let room = room.as_mut_ptr();
        let place = Place { row: PANEL, group: MR * PANEL };
        let mut made = Made { grad: room, at: 0, rows: 0, row: 0, left: 0 };
        for input in (0..self.inputs).step_by(MR) {
            // The last tile makes some inputs again.
            let start = input.min(self.inputs - MR);
            let acc = self.tile(s, factors, start, &mut made);
            while made.left > 0 {
                self.follow(s, factors, &mut made);
            }
            // SAFETY: there is room for a tile.
            unsafe { store::<S, MR, NV, false>(s, place, room, MR, 0, acc) };
            let at = (self.first * self.inputs + input) * PANEL;
            let rows = start + MR - input;
            let grad = room.wrapping_add((MR - rows) * PANEL);
            made = Made { grad, at, rows, row: 0, left: rows * NV };
        }
        while made.left > 0 {
            self.follow(s, factors, &mut made);
        }
    }
}

/// Elements of a finished tile that states have yet to follow, panel by panel.
struct Made {
    /// The next input's: of `[panel][input][16]`, and where they lie in the packed form.
    grad: *const f32,
    at: usize,
    /// Inputs of the tile, and the next one.
    rows: usize,
    row: usize,
    /// Inputs left, of all panels.
    left: usize,
}

impl<F: Follow> Followed<'_, F> {
    /// The tile from `input` on, following what was made before.
    #[inline(always)]
    fn tile<S: Simd>(
        &mut self,
        s: S,
        factors: &F::Factors,
        input: usize,
        made: &mut Made,
    ) -> Acc<S, MR, NV> {
        // Strides known to the compiler leave it registers.
        let (x_inner, x_group) = (NV * PANEL, PANEL);
        let mut walk = Walk { x_inner, x_group, w_inner: 1, ahead: Ahead::Nothing, ..self.walk };
        let offsets = row_offsets::<MR>(MR, walk.w_row);
        let pause = (walk.outer * walk.inner / (MR * NV)).max(1);
        let mut acc = zeros(s);
        for o in 0..walk.outer {
            let mut w = self.x.wrapping_add(input * walk.w_row + o * walk.w_outer);
            let mut x = self.turned.wrapping_add(o * walk.x_outer);
            let mut left = walk.inner;
            while left > 0 {
                let steps = pause.min(left);
                for _ in 0..steps {
                    // SAFETY: the caller of `run` vouches for inputs and turned rows.
                    unsafe {
                        step::<S, MR, NV, false>(
                            s, &mut walk, &offsets, &mut w, &mut x, 0, &mut acc,
                        );
                    }
                }
                left -= steps;
                if made.left > 0 {
                    self.follow(s, factors, made);
                }
            }
        }
        acc
    }

    /// Follows the elements of one input.
    #[inline(always)]
    fn follow<S: Simd>(&mut self, s: S, factors: &F::Factors, made: &mut Made) {
        // The line of the next tile.
        let parameters = self.states.parameters().as_ptr();
        prefetch_to_write(parameters.wrapping_add(made.at + MR * PANEL));
        for lane in (0..PANEL).step_by(S::LANES) {
            // SAFETY: elements that were made, of states that the caller of `run` vouches for.
            unsafe {
                let grad = s.load(made.grad.add(lane));
                self.states.update(s, factors, made.at + lane, S::LANES, grad);
            }
        }
        made.left -= 1;
        made.row += 1;
        made.at += PANEL;
        made.grad = made.grad.wrapping_add(PANEL);
        if made.row == made.rows {
            made.row = 0;
            made.at += (self.inputs - made.rows) * PANEL;
            made.grad = made.grad.wrapping_add((MR - made.rows) * PANEL);
        }
    }
}
