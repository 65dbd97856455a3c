//! Walks over everything but the channel: all elements `[o, c, i]` of one channel `c`.
//!
//! With one item in a row the channels lie side by side and are walked together over `o`.
//! Otherwise a channel is walked alone: row by row, the rows' sums added in ascending order.

use crate::reduce::order::{Across, Along, Walk};
use crate::simd::{Isa, Kernel, Simd, run_on};

/// One walk of a channel.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// Its first element in `[outer, channels, inner]`.
    pub offset: usize,
    /// Its first element in `[outer, inner]`.
    pub item: usize,
}

/// What is done with each channel, or group of channels side by side.
pub(super) trait Channels {
    /// # Safety
    /// The walk is laid out at the offset of each part; `lanes` channels begin at `channel`.
    unsafe fn run<S: Simd, W: Walk<S>>(
        &mut self,
        s: S,
        walk: W,
        parts: impl Iterator<Item = Part> + Clone,
        channel: usize,
        lanes: usize,
    );
}

/// Runs `body` over the channels of `[outer, channels, inner]`.
pub(super) fn over_channels(isa: Isa, sizes: [usize; 3], body: impl Channels) {
    run_on(isa, OverChannels(sizes, body));
}

struct OverChannels<B>([usize; 3], B);

impl<B: Channels> Kernel for OverChannels<B> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let [outer, channels, inner] = self.0;
        if inner == 1 {
            for channel in (0..channels).step_by(S::LANES) {
                let lanes = S::LANES.min(channels - channel);
                let walk = Across { n: outer, pitch: channels, lanes };
                let parts = std::iter::once(Part { offset: channel, item: 0 });
                // SAFETY: `outer` rows of `channels` elements, of which `lanes` remain.
                unsafe { self.1.run(s, walk, parts, channel, lanes) };
            }
            return;
        }
        for channel in 0..channels {
            let part = move |o| Part { offset: (o * channels + channel) * inner, item: o * inner };
            // SAFETY: `inner` elements follow each part.
            unsafe { self.1.run(s, Along { n: inner }, (0..outer).map(part), channel, 1) };
        }
    }
}
