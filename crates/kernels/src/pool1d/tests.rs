//! Every instruction set against the definition, window by window.

use super::*;
use crate::check::isas;
use proptest::prelude::*;

/// The steps of a window, found by trying all of them.
fn window(pool: Pool1d, window: usize, time: usize) -> Vec<usize> {
    let step = |tap: usize| (window * pool.stride + tap * pool.dilation).checked_sub(pool.padding);
    (0..pool.kernel).filter_map(step).filter(|step| *step < time).collect()
}

fn winner(x: &[f32], width: usize, lane: usize, steps: &[usize]) -> Option<usize> {
    let value = |step: usize| x[step * width + lane];
    steps.iter().copied().reduce(|best, step| {
        let better = value(step) > value(best) || (value(step).is_nan() && !value(best).is_nan());
        if better { step } else { best }
    })
}

proptest! {
    #[test]
    fn poolings_and_gradients_follow_the_definition(
        time in 0usize..12,
        width in 0usize..40,
        kernel in 1usize..5,
        stride in 1usize..4,
        padding in 0usize..3,
        dilation in 1usize..3,
        poison in any::<bool>(),
        seed in any::<u32>(),
    ) {
        let padding = padding.min(kernel / 2);
        // Few distinct values, so that equals meet in a window.
        let value = |i: usize| ((i as u32).wrapping_mul(2_654_435_761) ^ seed).rotate_left(9) % 7;
        let mut x: Vec<f32> = (0..time * width).map(|i| value(i) as f32).collect();
        if poison && !x.is_empty() {
            let at = seed as usize % x.len();
            x[at] = f32::NAN;
        }
        for op in [PoolOp::Max, PoolOp::Average] {
            let pool = Pool1d { op, kernel, stride, padding, dilation };
            let windows = pool.windows(time);
            let dy: Vec<f32> = (0..windows * width).map(|i| 1.0 + value(i + 3) as f32 * 0.5).collect();
            let mut y = vec![f32::NEG_INFINITY; windows * width];
            let mut dx = vec![0.0f32; x.len()];
            for w in 0..windows {
                let steps = window(pool, w, time);
                for lane in 0..width {
                    let at = w * width + lane;
                    match op {
                        PoolOp::Max => {
                            if let Some(step) = winner(&x, width, lane, &steps) {
                                y[at] = x[step * width + lane];
                                dx[step * width + lane] += dy[at];
                            }
                        }
                        PoolOp::Average => {
                            let sum = steps.iter().fold(0.0, |sum, s| sum + x[s * width + lane]);
                            y[at] = sum / kernel as f32;
                            for step in &steps {
                                dx[step * width + lane] += dy[at] / kernel as f32;
                            }
                        }
                    }
                }
            }
            for isa in isas() {
                let (mut got_y, mut got_dx) = (vec![9.0; y.len()], vec![9.0; dx.len()]);
                pool1d_on(isa, pool, time, width, &x, &mut got_y);
                pool1d_grad_on(isa, pool, time, width, &x, &dy, &mut got_dx);
                let bits = |x: &[f32]| x.iter().map(|x| if x.is_nan() { 1 } else { x.to_bits() }).collect::<Vec<_>>();
                prop_assert_eq!(bits(&got_y), bits(&y), "{:?} {:?}", isa, pool);
                prop_assert_eq!(bits(&got_dx), bits(&dx), "{:?} {:?}", isa, pool);
            }
        }
    }
}

#[test]
fn no_window_fits_where_time_is_too_short() {
    let pool = Pool1d { op: PoolOp::Max, kernel: 3, stride: 1, padding: 0, dilation: 2 };
    assert_eq!(pool.windows(4), 0);
    assert_eq!(pool.windows(5), 1);
    pool1d(pool, 4, 2, &[0.0; 8], &mut []);
}
