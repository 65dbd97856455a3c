//! The arithmetic peak of some threads together.

use std::time::Instant;
use whimbrel_kernels::probe::multiply_adds;

use super::crew::at_once;

/// Loop turns between two looks at the clock: a few microseconds.
const TURNS: u64 = 2048;

/// Floating-point operations a second `threads` threads reach together, in f32, an FMA counting
/// two. Takes `seconds`; two milliseconds are enough between the rounds of another measurement.
///
/// Each thread reports its best eighth of the time: a limit must not be lowered by whoever else
/// uses the machine.
pub fn peak(threads: usize, seconds: f64) -> f64 {
    at_once(vec![|| best_slice(seconds / 8.0, 8); threads]).iter().sum()
}

fn best_slice(slice_seconds: f64, slices: usize) -> f64 {
    let mut best = 0.0_f64;
    for _ in 0..slices {
        let start = Instant::now();
        let mut flops = 0.0;
        let seconds = loop {
            flops += multiply_adds(TURNS);
            let seconds = start.elapsed().as_secs_f64();
            if seconds >= slice_seconds {
                break seconds;
            }
        };
        best = best.max(flops / seconds);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::peak;

    #[test]
    fn the_peak_is_a_positive_rate_for_any_thread_count() {
        for threads in [1, 2, 3] {
            assert!(peak(threads, 1e-4) > 0.0);
        }
    }
}
