//! Random numbers from the C library's `rand`: a program that calls `srand` gets the weights it would get from
//! libfann.

use std::ffi::c_uint;

use whimbrel_fann::Random;

use crate::edge::export;
use crate::layout::{Ann, Real, TrainData};

/// The program's `rand`.
pub(crate) fn source() -> Random {
    Random::Function(|| {
        // SAFETY: `rand` may always be called.
        unsafe { libc::rand() as u32 }
    })
}

/// A number from `low` to `high`.
pub(crate) fn between(low: f32, high: f32) -> f32 {
    source().between(low, high)
}

export! {
    /// Starts `rand` anywhere.
    fn fann_seed_rand() {
        let seed = Random::arbitrary().draw() as c_uint;
        // SAFETY: `srand` may always be called.
        unsafe { libc::srand(seed) };
    }

    fn fann_randomize_weights(ann: &mut Ann, low: Real, high: Real) {
        let count = ann.total_connections as usize;
        for weight in &mut ann.weights_mut()[..count] {
            *weight = Real::from(between(low as f32, high as f32));
        }
        ann.forget_training();
    }

    /// Draws weights that fit the range of the inputs, after Widrow and Nguyen.
    fn fann_init_weights(ann: &mut Ann, data: &mut TrainData) {
        let inputs = data.inputs().iter().flatten().copied();
        let range = inputs.fold(None, |range: Option<(Real, Real)>, x| {
            let (low, high) = range.unwrap_or((x, x));
            Some((if x < low { x } else { low }, if x > high { x } else { high }))
        });
        let Some((low, high)) = range else { return };
        let ends = ann.num_input + ann.num_output + ann.layer_count() as c_uint;
        let hidden = ann.total_neurons.wrapping_sub(ends);
        let power = (f64::from(0.7_f32) * f64::from(hidden)).powf(1.0 / f64::from(ann.num_input));
        let scale = (power / f64::from(high - low)) as f32;
        let shortcut = ann.is_shortcut();
        for layer in 1..ann.layer_count() {
            let bias = ann.layers().neurons(if shortcut { 0 } else { layer - 1 }).end.wrapping_sub(1);
            for neuron in ann.layers().neurons(layer) {
                for connection in ann.neurons()[neuron].connections() {
                    let low = if ann.sources().at(connection) == bias { -scale } else { 0.0 };
                    ann.weights_mut()[connection] = Real::from(between(low, scale));
                }
            }
        }
        ann.forget_training();
    }
}

impl Ann {
    /// Starts a training anew whose steps and slopes belong to other weights.
    fn forget_training(&mut self) {
        if !self.prev_train_slopes.is_null() {
            self.clear_training();
        }
    }
}
