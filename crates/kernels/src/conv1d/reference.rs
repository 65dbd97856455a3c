//! Plain loops in f64 that say what the kernels compute. The weight is `[taps, outputs, channels
//! / groups]`, row-major.

use super::Dims;

/// Calls `f` with the indices into x, w and y of every product that is summed.
fn for_each(d: &Dims, mut f: impl FnMut(usize, usize, usize)) {
    let (inputs, outputs) = (d.inputs(), d.outputs / d.groups);
    for t in 0..d.time_out() {
        for tap in 0..d.taps {
            let Some(from) = (t * d.stride + tap * d.dilation).checked_sub(d.pad_left) else {
                continue;
            };
            if from >= d.time {
                continue;
            }
            for o in 0..d.outputs {
                for c in 0..inputs {
                    for l in 0..d.lanes {
                        let channel = o / outputs * inputs + c;
                        f(
                            (from * d.channels + channel) * d.lanes + l,
                            (tap * d.outputs + o) * inputs + c,
                            (t * d.outputs + o) * d.lanes + l,
                        );
                    }
                }
            }
        }
    }
}

/// Adds the convolution to `y`.
pub(super) fn forward(d: &Dims, w: &[f64], x: &[f64], y: &mut [f64]) {
    for_each(d, |xi, wi, yi| y[yi] += w[wi] * x[xi]);
}

/// Adds the input gradient to `dx`.
pub(super) fn input_grad(d: &Dims, w: &[f64], dy: &[f64], dx: &mut [f64]) {
    for_each(d, |xi, wi, yi| dx[xi] += w[wi] * dy[yi]);
}

/// Adds the weight gradient to `dw`.
pub(super) fn weight_grad(d: &Dims, x: &[f64], dy: &[f64], dw: &mut [f64]) {
    for_each(d, |xi, wi, yi| dw[wi] += x[xi] * dy[yi]);
}
