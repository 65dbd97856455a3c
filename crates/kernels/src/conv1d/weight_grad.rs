//! The gradient of the weight in packed form: each tap is the weight gradient of a dense layer
//! whose batch are the lanes of all time steps the tap joins.

use super::Dims;
use crate::gemm::{PANEL, Start, WeightGradDims, weight_grad_on as dense_on};
use crate::simd::Isa;
use crate::sizes::elements;
use std::ops::Range;

/// Which part of the weight's gradient is computed: some panels of sixteen outputs of some taps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Taps.
    pub taps: Range<usize>,
    /// Panels.
    pub panels: Range<usize>,
}

impl Part {
    /// The whole weight.
    pub fn whole(dims: &Dims) -> Part {
        Part { taps: 0..dims.taps, panels: 0..dims.outputs.div_ceil(PANEL) }
    }
}

/// Part of the weight's gradient, `dw [taps][panels][channels / groups][16]`, from the whole `x
/// [time, channels, lanes]` and `dy [time_out, outputs, lanes]`.
///
/// One chain over time and lanes, time major; from [`Start::Dst`] it goes on from what `dw`
/// holds, so that calls for one block of the batch after another add up.
///
/// # Panics
/// When a slice has another length than the dimensions say, the part exceeds the weight, or
/// channels do not fall into whole groups.
pub fn weight_grad(dims: Dims, part: &Part, x: &[f32], dy: &[f32], dw: &mut [f32], start: Start) {
    weight_grad_on(Isa::current(), dims, part, x, dy, dw, start);
}

/// [`weight_grad`] on a given instruction set.
///
/// # Panics
/// As [`weight_grad`].
pub fn weight_grad_on(
    isa: Isa,
    dims: Dims,
    part: &Part,
    x: &[f32],
    dy: &[f32],
    dw: &mut [f32],
    start: Start,
) {
    dims.check(&part.taps, dims.taps);
    dims.check(&part.panels, dims.outputs.div_ceil(PANEL));
    let one = elements([part.panels.len(), dims.inputs(), PANEL]);
    assert_eq!(x.len(), elements([dims.time, dims.x_step()]), "x of {dims:?}");
    assert_eq!(dy.len(), elements([dims.time_out(), dims.y_step()]), "dy of {dims:?}");
    assert_eq!(dw.len(), elements([part.taps.len(), one]), "dw of {part:?} of {dims:?}");
    if one == 0 {
        return;
    }
    let aligned = dims.groups == 1 || dims.group(0).len().is_multiple_of(PANEL);
    if !aligned && start == Start::Zero {
        // Rows are written one by one: those past the last output as well.
        dw.fill(0.0);
    }
    for (tap, dw) in part.taps.clone().zip(dw.chunks_exact_mut(one)) {
        let grad = Grad { isa, dims, tap, x, dy, start };
        let rows = part.panels.start * PANEL..dims.outputs.min(part.panels.end * PANEL);
        let outputs = dims.group(0).len();
        for group in rows.start / outputs..rows.end.div_ceil(outputs) {
            let in_group = dims.group(group);
            let rows = rows.start.max(in_group.start)..rows.end.min(in_group.end);
            grad.group(group, rows, part.panels.start * PANEL, dw);
        }
    }
}

/// Inputs of one panel of elements on their way to another place.
const RUN: usize = 64;

struct Grad<'a> {
    isa: Isa,
    dims: Dims,
    tap: usize,
    x: &'a [f32],
    dy: &'a [f32],
    start: Start,
}

impl Grad<'_> {
    /// Rows `rows`, all of group `group`, of a tap whose panels from row `first` on are `dw`.
    fn group(&self, group: usize, rows: Range<usize>, first: usize, dw: &mut [f32]) {
        let Dims { lanes, stride, dilation, pad_left, .. } = self.dims;
        let inputs = self.dims.inputs();
        let times = self.times();
        let size = WeightGradDims {
            rows: rows.len(),
            inputs,
            lanes,
            blocks: times.len(),
            dy_block: self.dims.y_step(),
            x_block: stride * self.dims.x_step(),
        };
        let (mut x, mut dy): (&[f32], &[f32]) = (&[], &[]);
        if !times.is_empty() {
            let step = times.start * stride + self.tap * dilation - pad_left;
            x = &self.x[step * self.dims.x_step() + group * inputs * lanes..];
            dy = &self.dy[times.start * self.dims.y_step() + rows.start * lanes..];
        }
        let at = rows.start - first;
        let whole = at.is_multiple_of(PANEL)
            && (rows.len().is_multiple_of(PANEL) || rows.end == self.dims.outputs);
        if whole {
            let dst = &mut dw[at * inputs..][..rows.len().div_ceil(PANEL) * inputs * PANEL];
            dense_on(self.isa, size, dy, x, dst, self.start);
        } else {
            self.scattered(size, (dy, x), at, dw);
        }
    }

    /// Rows that do not begin or end with a panel: elements pass through a panel of their own.
    fn scattered(
        &self,
        size: WeightGradDims,
        (dy, x): (&[f32], &[f32]),
        at: usize,
        dw: &mut [f32],
    ) {
        let mut panel = [0.0; RUN * PANEL];
        let lanes = size.lanes;
        for first in (0..size.rows).step_by(PANEL) {
            for input in (0..size.inputs).step_by(RUN) {
                let (rows, inputs) = (PANEL.min(size.rows - first), RUN.min(size.inputs - input));
                let dst = &mut panel[..inputs * PANEL];
                let place = |i: usize, j: usize| {
                    let row = at + first + j;
                    (row / PANEL * size.inputs + input + i) * PANEL + row % PANEL
                };
                if self.start == Start::Dst {
                    for (i, values) in dst.chunks_exact_mut(PANEL).enumerate() {
                        for (j, value) in values[..rows].iter_mut().enumerate() {
                            *value = dw[place(i, j)];
                        }
                    }
                }
                let (dy, x) = (dy.get(first * lanes..), x.get(input * lanes..));
                let (dy, x) = (dy.unwrap_or_default(), x.unwrap_or_default());
                let size = WeightGradDims { rows, inputs, ..size };
                dense_on(self.isa, size, dy, x, dst, self.start);
                for (i, values) in dst.chunks_exact(PANEL).enumerate() {
                    for (j, value) in values[..rows].iter().enumerate() {
                        dw[place(i, j)] = *value;
                    }
                }
            }
        }
    }

    /// The output steps that read the sequence, not its padding, through the tap.
    fn times(&self) -> Range<usize> {
        let Dims { time, stride, dilation, pad_left, .. } = self.dims;
        let from = pad_left.saturating_sub(self.tap * dilation).div_ceil(stride);
        let to = (time + pad_left).saturating_sub(self.tap * dilation).div_ceil(stride);
        let to = to.min(self.dims.time_out());
        from.min(to)..to
    }
}
