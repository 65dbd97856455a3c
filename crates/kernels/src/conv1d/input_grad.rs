//! The gradient of the input: each input step gathers from the output steps that read it, tap by
//! tap, output by output.

use super::tile::{Block, Columns, Rows, Scalars, Walk};
use super::{Dims, runs};
use crate::gemm::{PANEL, Start};
use crate::simd::Isa;
use crate::sizes::elements;
use std::ops::Range;

/// Steps `times` of the input gradient: `dx [times, channels, lanes]` from the whole `dy
/// [time_out, outputs, lanes]` and the packed weight; from [`Start::Dst`] it is added to what
/// `dx` holds.
///
/// # Panics
/// When a slice has another length than the dimensions say, times exceed the input, or channels
/// do not fall into whole groups.
pub fn input_grad(
    dims: Dims,
    w: &[f32],
    dy: &[f32],
    dx: &mut [f32],
    times: Range<usize>,
    start: Start,
) {
    input_grad_on(Isa::current(), dims, w, dy, dx, times, start);
}

/// [`input_grad`] on a given instruction set.
///
/// # Panics
/// As [`input_grad`].
pub fn input_grad_on(
    isa: Isa,
    dims: Dims,
    w: &[f32],
    dy: &[f32],
    dx: &mut [f32],
    times: Range<usize>,
    start: Start,
) {
    dims.check(&times, dims.time);
    assert_eq!(w.len(), dims.weight_len(), "packed weight of {dims:?}");
    assert_eq!(dy.len(), elements([dims.time_out(), dims.y_step()]), "dy of {dims:?}");
    assert_eq!(
        dx.len(),
        elements([times.len(), dims.x_step()]),
        "dx of steps {times:?} of {dims:?}"
    );
    if dims.x_step() == 0 {
        return;
    }
    let mut grad = Grad { isa, dims, w, dy, dx, first: times.start, start };
    // Steps a stride apart are read through the same taps.
    for phase in 0..dims.stride.min(times.len()) {
        let phase = times.start + phase..times.end;
        runs(
            phase,
            dims.stride,
            |t| Taps::of(&dims, t),
            |first, count, taps| {
                for group in 0..dims.groups {
                    grad.group(group, first, count, taps);
                }
            },
        );
    }
}

/// The taps through which output steps read one input step: `first`, `first + every`, ..
#[derive(Clone, Copy, PartialEq, Eq)]
struct Taps {
    first: usize,
    every: usize,
    count: usize,
}

impl Taps {
    /// Tap k serves step t when `t + pad_left - k dilation` is `stride` times an output step.
    fn of(dims: &Dims, t: usize) -> Taps {
        let Dims { taps, stride, dilation, pad_left, .. } = *dims;
        let serves = |k: &usize| output(dims, t + pad_left, k * dilation).is_some();
        let mut serving = (0..taps).filter(serves);
        let Some(first) = serving.next() else { return Taps { first: 0, every: 1, count: 0 } };
        Taps { first, every: stride / gcd(stride, dilation), count: 1 + serving.count() }
    }
}

/// The output step that starts at padded step `at - back`.
fn output(dims: &Dims, at: usize, back: usize) -> Option<usize> {
    let start = at.checked_sub(back)?;
    let t = start / dims.stride;
    (start.is_multiple_of(dims.stride) && t < dims.time_out()).then_some(t)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

struct Grad<'a> {
    isa: Isa,
    dims: Dims,
    w: &'a [f32],
    dy: &'a [f32],
    dx: &'a mut [f32],
    /// The step at which `dx` begins.
    first: usize,
    start: Start,
}

impl Grad<'_> {
    /// The channels of one group for `count` steps, a stride apart, from step `t` on.
    fn group(&mut self, group: usize, t: usize, count: usize, taps: Taps) {
        let Dims { lanes, stride, dilation, pad_left, .. } = self.dims;
        let inputs = self.dims.inputs();
        let outputs = self.dims.group(group);
        // A group's outputs may begin and end inside a panel.
        let panels = outputs.start / PANEL..outputs.end.div_ceil(PANEL);
        let walk = Walk {
            taps: taps.count,
            panels: panels.len(),
            panel: PANEL,
            skip: outputs.start % PANEL,
            last: outputs.end - PANEL * panels.end.saturating_sub(1),
            w_tap: (taps.every * self.dims.tap_len()) as isize,
            w_panel: inputs * PANEL,
            w_step: 1,
            x_tap: -((taps.every * dilation / stride * self.dims.y_step()) as isize),
            x_panel: PANEL * lanes,
            x_step: lanes,
        };
        let from = output(&self.dims, t + pad_left, taps.first * dilation).unwrap_or_default();
        let w = taps.first * self.dims.tap_len() + panels.start * inputs * PANEL;
        let x = from * self.dims.y_step() + panels.start * PANEL * lanes;
        let c = (t - self.first) * self.dims.x_step() + group * inputs * lanes;
        let block = Block {
            walk,
            rows: Rows { first: 0, end: inputs, one: PANEL, panel: PANEL * PANEL, c: lanes },
            columns: Columns {
                times: count,
                x_time: self.dims.y_step(),
                c_time: stride * self.dims.x_step(),
                lanes,
                x_panel: PANEL,
                c_lane: 1,
                padded: false,
            },
            w: self.w.as_ptr().wrapping_add(w),
            x: self.dy.as_ptr().wrapping_add(x),
            c: self.dx.as_mut_ptr().wrapping_add(c),
            start: self.start,
        };
        // SAFETY: lengths were checked at entry; every tap serves every step from an output step;
        // the panels hold every input of the group.
        unsafe { block.run(self.isa, Scalars::Sixteen) };
    }
}
