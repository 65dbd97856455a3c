//! The convolution itself.
//!
//! Sixteen lanes and more put the vectors along the lanes, weights are broadcast. Fewer put them
//! along the outputs, and activations of several time steps are broadcast.

use super::tile::{Block, Columns, Rows, Scalars, Walk};
use super::{Dims, runs};
use crate::gemm::{PANEL, Start};
use crate::simd::Isa;
use crate::sizes::elements;
use std::ops::Range;

/// Steps `times` of the convolution: `y [times, outputs, lanes]` from the whole `x [time,
/// channels, lanes]` and the packed weight; from [`Start::Dst`] it is added to what `y` holds.
///
/// # Panics
/// When a slice has another length than the dimensions say, times exceed the output, or channels
/// do not fall into whole groups.
pub fn forward(dims: Dims, w: &[f32], x: &[f32], y: &mut [f32], times: Range<usize>, start: Start) {
    forward_on(Isa::current(), dims, w, x, y, times, start);
}

/// [`forward`] on a given instruction set.
///
/// # Panics
/// As [`forward`].
pub fn forward_on(
    isa: Isa,
    dims: Dims,
    w: &[f32],
    x: &[f32],
    y: &mut [f32],
    times: Range<usize>,
    start: Start,
) {
    dims.check(&times, dims.time_out());
    assert_eq!(w.len(), dims.weight_len(), "packed weight of {dims:?}");
    assert_eq!(x.len(), elements([dims.time, dims.x_step()]), "x of {dims:?}");
    assert_eq!(y.len(), elements([times.len(), dims.y_step()]), "y of steps {times:?} of {dims:?}");
    let mut product = Product { isa, dims, w, x, y, first: times.start, start };
    if dims.y_step() == 0 {
        return;
    }
    let apart = dims.groups > 1 && !dims.group(0).len().is_multiple_of(PANEL);
    runs(
        times,
        1,
        |t| taps(&dims, t),
        |first, count, taps| {
            for group in 0..dims.groups {
                let steps = first..first + count;
                if dims.lanes >= PANEL || apart {
                    product.along_lanes(group, steps, &taps);
                } else {
                    product.along_outputs(group, steps, &taps);
                }
            }
        },
    );
}

/// The taps of output step `t` that meet the sequence.
fn taps(dims: &Dims, t: usize) -> Range<usize> {
    let Dims { time, taps, stride, dilation, pad_left, .. } = *dims;
    let from = pad_left.saturating_sub(t * stride).div_ceil(dilation).min(taps);
    let to = (time + pad_left).saturating_sub(t * stride).div_ceil(dilation).min(taps);
    from..to.max(from)
}

struct Product<'a> {
    isa: Isa,
    dims: Dims,
    w: &'a [f32],
    x: &'a [f32],
    y: &'a mut [f32],
    /// The step at which `y` begins.
    first: usize,
    start: Start,
}

impl Product<'_> {
    /// Where the activations of group `group`, step `t` begin for the first of `taps`; anywhere
    /// when there is none.
    fn source(&self, group: usize, t: usize, taps: &Range<usize>) -> *const f32 {
        let Dims { stride, dilation, pad_left, lanes, .. } = self.dims;
        let step = (t * stride + taps.start * dilation).saturating_sub(pad_left);
        let at = step * self.dims.x_step() + group * self.dims.inputs() * lanes;
        self.x.as_ptr().wrapping_add(at)
    }

    fn along_lanes(&mut self, group: usize, times: Range<usize>, taps: &Range<usize>) {
        let Dims { lanes, stride, dilation, .. } = self.dims;
        let inputs = self.dims.inputs();
        let outputs = self.dims.group(group);
        let walk = Walk {
            taps: taps.len(),
            panels: 1,
            panel: inputs,
            skip: 0,
            last: inputs,
            w_tap: self.dims.tap_len() as isize,
            w_panel: 0,
            w_step: PANEL,
            x_tap: (dilation * self.dims.x_step()) as isize,
            x_panel: 0,
            x_step: lanes,
        };
        let c = (times.start - self.first) * self.dims.y_step() + outputs.start * lanes;
        let block = Block {
            walk,
            rows: Rows {
                first: outputs.start,
                end: outputs.end,
                one: 1,
                panel: inputs * PANEL,
                c: lanes,
            },
            columns: Columns {
                times: times.len(),
                x_time: stride * self.dims.x_step(),
                c_time: self.dims.y_step(),
                lanes,
                x_panel: PANEL,
                c_lane: 1,
                padded: false,
            },
            w: self.w.as_ptr().wrapping_add(taps.start * self.dims.tap_len()),
            x: self.source(group, times.start, taps),
            c: self.y.as_mut_ptr().wrapping_add(c),
            start: self.start,
        };
        // SAFETY: lengths were checked at entry; every tap of every step meets the sequence;
        // panels are padded to sixteen rows.
        unsafe { block.run(self.isa, Scalars::Panel) };
    }

    /// One lane at a time; the outputs of a group are whole panels, or there is one group.
    fn along_outputs(&mut self, group: usize, times: Range<usize>, taps: &Range<usize>) {
        let Dims { lanes, stride, dilation, .. } = self.dims;
        let inputs = self.dims.inputs();
        let outputs = self.dims.group(group);
        let walk = Walk {
            taps: taps.len(),
            panels: 1,
            panel: inputs,
            skip: 0,
            last: inputs,
            w_tap: (dilation * self.dims.x_step()) as isize,
            w_panel: 0,
            w_step: lanes,
            x_tap: self.dims.tap_len() as isize,
            x_panel: 0,
            x_step: PANEL,
        };
        let one = stride * self.dims.x_step();
        let w = taps.start * self.dims.tap_len() + outputs.start * inputs;
        let c = (times.start - self.first) * self.dims.y_step() + outputs.start * lanes;
        let block = Block {
            walk,
            rows: Rows {
                first: 0,
                end: times.len(),
                one,
                panel: one * PANEL,
                c: self.dims.y_step(),
            },
            columns: Columns {
                times: 1,
                x_time: 0,
                c_time: 0,
                lanes: outputs.len(),
                x_panel: inputs * PANEL,
                c_lane: lanes,
                padded: true,
            },
            w: self.source(group, times.start, taps),
            x: self.w.as_ptr().wrapping_add(w),
            c: self.y.as_mut_ptr().wrapping_add(c),
            start: self.start,
        };
        for lane in 0..lanes {
            let (w, c) = (block.w.wrapping_add(lane), block.c.wrapping_add(lane));
            // SAFETY: lengths were checked at entry; every tap of every step meets the sequence;
            // panels are padded to sixteen outputs.
            unsafe { Block { w, c, ..block }.run(self.isa, Scalars::Any) };
        }
    }
}
