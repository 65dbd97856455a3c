//! Quickprop: the error over a weight is taken for a parabola, given by the last two slopes.

use super::batch;
use super::follow::{Numbers, Rule, Weights};
use super::rprop::MOST;
use crate::parameters::TrainParameters;
use crate::real::Real;

/// The step from which the parabola is used.
const STEP: f64 = 0.001;

/// Takes a step, and sets the slopes to 0.
pub fn step<T: Real>(training: &TrainParameters<T>, samples: usize, weights: Weights<'_, T>) {
    weights.follow(Quickprop::new(training, samples));
}

pub(super) struct Quickprop<T> {
    rate: T,
    decay: T,
    mu: T,
    /// The part of the last slope from which on steps would grow by more than `mu`.
    shrink: T,
}

impl<T: Real> Quickprop<T> {
    #[inline(always)]
    pub fn new(training: &TrainParameters<T>, samples: usize) -> Quickprop<T> {
        let mu = f64::from(training.quickprop_mu);
        Quickprop {
            rate: batch::rate(training, samples),
            decay: T::of_f32(training.quickprop_decay),
            mu: T::of_f32(training.quickprop_mu),
            shrink: T::of_f32((mu / (1.0 + mu)) as f32),
        }
    }
}

impl<T: Real> Rule<T> for Quickprop<T> {
    #[inline(always)]
    fn follow(&self, numbers: Numbers<T>) -> (T, T, T) {
        let Numbers { weight, slope, prev_step: last, prev_slope: before } = numbers;
        let (threshold, most) = (T::of(STEP), T::of_f32(MOST));
        let now = slope + self.decay * weight;
        let (up, down) = (last >= threshold, last <= -threshold);
        let linear = self.rate * now;
        let parabola = last * now / (before - now);
        // What holds going up holds for the opposite slopes going down.
        let (ahead, behind) = if up { (now, before) } else { (-now, -before) };
        let curve = if ahead > self.shrink * behind { self.mu * last } else { parabola };
        let moving = curve + if ahead > T::ZERO { linear } else { T::ZERO };
        let still = if down { moving } else { linear };
        let next = if up { moving } else { still };
        let moved = weight + next;
        let moved = if moved < -most { -most } else { moved };
        (if moved > most { most } else { moved }, next, now)
    }
}
