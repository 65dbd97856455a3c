//! SARPROP: RPROP with weight decay, and noise on small steps, both of which cool down over the epochs.

use super::follow::Weights;
use crate::parameters::TrainParameters;
use crate::random::Random;
use crate::real::Real;

/// The smallest step.
const LEAST: f64 = 0.000_001;

/// Takes a step, and sets the slopes to 0. The epoch is not counted up.
pub fn step<T: Real>(
    training: &TrainParameters<T>,
    mse: f32,
    random: &mut Random,
    weights: Weights<'_, T>,
) {
    let increase = T::of_f32(training.rprop_increase_factor);
    let decrease = T::of_f32(training.rprop_decrease_factor);
    let max = T::of_f32(training.rprop_delta_max);
    let least = T::of_f32(LEAST as f32);
    let cooled = -training.sarprop_temperature * training.sarprop_epoch as f32;
    let power = |shift: f32| T::of((std::f64::consts::LN_2 * f64::from(cooled + shift)).exp());
    let decay = power(training.sarprop_weight_decay_shift);
    let noise = power(training.sarprop_step_error_shift);
    let small = T::of_f32(training.sarprop_step_error_threshold_factor * mse);
    let rmse = f64::from(mse).sqrt() as f32;
    // FANN keeps the step of the weight before where a product of slopes is 0.
    let mut next = T::ZERO;
    let Weights { weights, slopes, prev_steps, prev_slopes } = weights;
    let numbers = weights.iter_mut().zip(slopes).zip(prev_steps.iter_mut().zip(prev_slopes));
    for ((weight, slope), (prev_step, prev_slope)) in numbers {
        let last = if *prev_step > least { *prev_step } else { least };
        let mut now = -*slope - *weight * decay;
        let same = *prev_slope * now;
        if same > T::ZERO {
            let grown = last * increase;
            next = if grown < max { grown } else { max };
            *weight += if now < T::ZERO { next } else { -next };
        } else if same < T::ZERO {
            let shrunk = last * decrease;
            next = if last < small {
                shrunk + T::of_f32(random.fraction() * rmse) * noise
            } else if shrunk > least {
                shrunk
            } else {
                least
            };
            now = T::ZERO;
        } else {
            *weight += if now < T::ZERO { last } else { -last };
        }
        *prev_step = next;
        *prev_slope = now;
        *slope = T::ZERO;
    }
}
