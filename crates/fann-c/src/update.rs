//! How weights follow their slopes: the rules of `whimbrel-fann` over the arrays of a network, and
//! incremental training, which needs no slopes.

use std::ffi::c_uint;
use std::ops::Range;

use whimbrel_fann::rules::{self, Weights};
use whimbrel_fann::{Error, TrainParameters};

use crate::allocate;
use crate::edge::export;
use crate::layout::{Ann, Real, algorithm};
use crate::random::source;
use crate::run::Room;
use crate::view::Parts;

impl Ann {
    /// Incremental training: every weight follows the error of the last sample.
    ///
    /// libfann takes wrong neurons here for networks that are not fully connected; this takes those the
    /// weights come from.
    pub(crate) fn follow_sample(&mut self) {
        if !allocate::deltas(self) {
            return;
        }
        let (full, shortcut) = (self.is_full(), self.is_shortcut());
        let rate = Real::from(self.learning_rate);
        let momentum = Real::from(self.learning_momentum);
        let Parts { layers, neurons, weights, sources, errors, deltas, .. } = self.parts();
        if errors.is_empty() {
            return;
        }
        let mut room = Room::new();
        for layer in 1..layers.count() {
            let range = layers.neurons(layer);
            let base = if shortcut { 0 } else { layers.neurons(layer - 1).start };
            let before = room.gather(neurons[base..range.start].iter().map(|n| n.value));
            for index in range {
                let step = errors[index] * rate;
                let connections = neurons[index].connections();
                let places = weights[connections.clone()].iter_mut();
                let places = places.zip(&mut deltas[connections.clone()]);
                let change = |(weight, delta): (&mut Real, &mut Real), value: Real| {
                    *delta = step * value + momentum * *delta;
                    *weight += *delta;
                };
                if full {
                    places.zip(before).for_each(|(place, value)| change(place, *value));
                } else {
                    let from = sources.of(connections);
                    places.zip(from).for_each(|(place, from)| change(place, neurons[from].value));
                }
            }
        }
    }

    /// Lets a range of weights follow their slopes, by a rule of an algorithm that sums them.
    pub(crate) fn follow(&mut self, algorithm: c_uint, rows: c_uint, range: Range<usize>) {
        let mut training = TrainParameters::default();
        if self.training(&mut training).is_none() || !allocate::slopes(self) {
            return;
        }
        if algorithm != algorithm::BATCH && !allocate::steps(self) {
            return;
        }
        let mse = self.mse();
        let Parts { weights, slopes, previous_steps, previous_slopes, .. } = self.parts();
        let (weights, slopes) = (&mut weights[range.clone()], &mut slopes[range.clone()]);
        if algorithm == algorithm::BATCH {
            return rules::batch(&training, rows as usize, weights, slopes);
        }
        let prev_steps = &mut previous_steps[range.clone()];
        let prev_slopes = &mut previous_slopes[range];
        let weights = Weights { weights, slopes, prev_steps, prev_slopes };
        match algorithm {
            algorithm::RPROP => rules::rprop(&training, weights),
            algorithm::QUICKPROP => rules::quickprop(&training, rows as usize, weights),
            algorithm::SARPROP => rules::sarprop(&training, mse, &mut source(), weights),
            _ => self.report(Error::CantUseTrainAlg),
        }
    }
}

/// A range of weights as FANN's functions name it.
fn range(first: c_uint, past_end: c_uint) -> Range<usize> {
    first as usize..past_end as usize
}

export! {
    fn fann_update_weights(ann: &mut Ann) {
        ann.follow_sample();
    }

    fn fann_update_weights_batch(
        ann: &mut Ann, num_data: c_uint, first_weight: c_uint, past_end: c_uint,
    ) {
        ann.follow(algorithm::BATCH, num_data, range(first_weight, past_end));
    }

    fn fann_update_weights_quickprop(
        ann: &mut Ann, num_data: c_uint, first_weight: c_uint, past_end: c_uint,
    ) {
        ann.follow(algorithm::QUICKPROP, num_data, range(first_weight, past_end));
    }

    fn fann_update_weights_irpropm(ann: &mut Ann, first_weight: c_uint, past_end: c_uint) {
        ann.follow(algorithm::RPROP, 1, range(first_weight, past_end));
    }

    fn fann_update_weights_sarprop(
        ann: &mut Ann, epoch: c_uint, first_weight: c_uint, past_end: c_uint,
    ) {
        let now = std::mem::replace(&mut ann.sarprop_epoch, epoch);
        ann.follow(algorithm::SARPROP, 1, range(first_weight, past_end));
        ann.sarprop_epoch = now;
    }
}
