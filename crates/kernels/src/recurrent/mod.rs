//! Recurrent cells over whole sequences: the scan along time of one block of lanes, forward and
//! backward.
//!
//! Sequences are `[time, channel, lanes]`. The projection of the inputs comes in ready-made and
//! weight gradients are left to the caller, as both are single products over all steps; what
//! remains here is the part that time makes serial. A lane never depends on the lanes beside it.
//!
//! Start reading at [`lstm`]; `project` holds the product all cells share.

pub mod gru;
pub mod lstm;
pub mod rnn;

mod project;
#[cfg(test)]
mod reference;
mod sweep;
#[cfg(test)]
mod tests;

use crate::gemm::packed_len;
use crate::sizes::elements;

/// Sizes of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dims {
    /// Steps.
    pub time: usize,
    /// Elements of the state.
    pub hidden: usize,
    /// Lanes of the batch.
    pub lanes: usize,
}

impl Dims {
    /// Elements of one state, `[hidden, lanes]`.
    fn state(self) -> usize {
        self.hidden * self.lanes
    }

    #[track_caller]
    fn check_weight(self, w_hh: &[f32], gates: usize) {
        assert_eq!(
            w_hh.len(),
            packed_len(elements([gates, self.hidden]), self.hidden),
            "w_hh of {self:?}"
        );
    }

    #[track_caller]
    fn check_back(self, w_back: &[f32], gates: usize) {
        let expected = packed_len(self.hidden, elements([gates, self.hidden]));
        assert_eq!(w_back.len(), expected, "w_back of {self:?}");
    }

    /// Checks a sequence of `steps` steps with `channels` states side by side.
    #[track_caller]
    fn check(self, name: &str, sequence: &[f32], steps: usize, channels: usize) {
        assert_eq!(
            sequence.len(),
            elements([steps, channels, self.hidden, self.lanes]),
            "{name} of {self:?}"
        );
    }
}

/// States `t` and `t + 1` of a sequence of states.
fn neighbours(all: &mut [f32], t: usize, state: usize) -> (&mut [f32], &mut [f32]) {
    all[t * state..(t + 2) * state].split_at_mut(state)
}

/// The parts of one step: `N` states side by side.
fn parts<const N: usize>(step: &[f32], state: usize) -> [&[f32]; N] {
    std::array::from_fn(|i| &step[i * state..(i + 1) * state])
}

/// The parts of one step, to be written.
fn parts_mut<const N: usize>(mut step: &mut [f32], state: usize) -> [&mut [f32]; N] {
    std::array::from_fn(|_| step.split_off_mut(..state).unwrap_or_default())
}
