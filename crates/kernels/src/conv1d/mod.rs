//! Convolution along time of one block of lanes, and its two gradients, without a buffer of
//! unfolded inputs.
//!
//! Sequences are `[time, channel, lanes]`; each tap of the weight `[taps][outputs, channels /
//! groups]` is packed like a dense weight. Every result is one chain of multiply-adds over the
//! taps that meet the sequence, tap by tap, channel by channel; taps that fall into the padding
//! take no part in it. So a lane depends neither on the lanes beside it nor on how callers cut
//! time.
//!
//! Start reading at [`Dims`], then `forward`; `tile` is the loop under both.

mod forward;
mod input_grad;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
mod tile;
mod weight_grad;

pub use forward::{forward, forward_on};
pub use input_grad::{input_grad, input_grad_on};
pub use weight_grad::{Part, weight_grad, weight_grad_on};

use crate::gemm::packed_len;
use crate::sizes::elements;
use std::ops::Range;

/// Sizes of a convolution: output step `t` reads input steps `t stride + tap dilation - pad_left`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dims {
    /// Input steps.
    pub time: usize,
    /// Input channels.
    pub channels: usize,
    /// Output channels.
    pub outputs: usize,
    /// Lanes of the batch.
    pub lanes: usize,
    /// Taps of the filter.
    pub taps: usize,
    /// Input steps between two outputs.
    pub stride: usize,
    /// Input steps between two taps.
    pub dilation: usize,
    /// Parts the channels fall into, each convolved on its own.
    pub groups: usize,
    /// Zeros before the first step.
    pub pad_left: usize,
    /// Zeros after the last step.
    pub pad_right: usize,
}

impl Dims {
    /// Steps of the output; 0 when the filter is longer than the padded input.
    pub fn time_out(&self) -> usize {
        let span = elements([self.dilation, self.taps.saturating_sub(1)]) + 1;
        let padded = self.time + self.pad_left + self.pad_right;
        if padded < span { 0 } else { (padded - span) / self.stride + 1 }
    }

    /// Elements of the packed weight: taps one after another, each in panels.
    pub fn weight_len(&self) -> usize {
        elements([self.taps, self.tap_len()])
    }

    /// Elements of one packed tap.
    fn tap_len(&self) -> usize {
        packed_len(self.outputs, self.inputs())
    }

    /// Input channels of a group.
    fn inputs(&self) -> usize {
        self.channels / self.groups
    }

    /// Elements of one input step.
    fn x_step(&self) -> usize {
        elements([self.channels, self.lanes])
    }

    /// Elements of one output step.
    fn y_step(&self) -> usize {
        elements([self.outputs, self.lanes])
    }

    /// Output channels of group `group`.
    fn group(&self, group: usize) -> Range<usize> {
        let outputs = self.outputs / self.groups;
        group * outputs..(group + 1) * outputs
    }

    #[track_caller]
    fn check(&self, times: &Range<usize>, steps: usize) {
        assert!(self.stride > 0 && self.dilation > 0 && self.groups > 0, "{self:?}");
        assert!(
            self.channels.is_multiple_of(self.groups) && self.outputs.is_multiple_of(self.groups),
            "channels and outputs fall into whole groups: {self:?}"
        );
        assert!(times.start <= times.end && times.end <= steps, "steps {times:?} of {self:?}");
    }
}

/// Cuts `times`, every `every`-th step, into runs of steps with equal `of(t)`.
fn runs<T: PartialEq>(
    times: Range<usize>,
    every: usize,
    of: impl Fn(usize) -> T,
    mut run: impl FnMut(usize, usize, T),
) {
    let mut t = times.start;
    while t < times.end {
        let (first, value) = (t, of(t));
        let mut count = 0;
        while t < times.end && (count == 0 || of(t) == value) {
            t += every;
            count += 1;
        }
        run(first, count, value);
    }
}
