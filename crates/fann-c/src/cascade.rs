//! Cascade training: the outputs are trained, then candidates for a new neuron, of which the best is
//! installed, and so on. Candidates live behind the neurons of the network, after one empty place, and their
//! weights behind its weights; each has weights from all neurons before the outputs, and then
//! one to every output.

use std::ffi::{c_int, c_uint};
use std::ops::Range;

use whimbrel_fann::{Activation, Error, hold};

use crate::activation::{activate, is_symmetric, slope};
use crate::allocate::{self, fann_reallocate_connections, fann_reallocate_neurons};
use crate::data::fann_destroy_train;
use crate::data_file::fann_read_train_from_file;
use crate::edge::{Name, export};
use crate::grow::{self, Limits};
use crate::layout::{Ann, Neuron, Real, TrainData, algorithm};
use crate::random::between;
use crate::run::weighted_sum;
use crate::stream::print;
use crate::train::{call_back, is_due};
use crate::view::Parts;

impl Ann {
    /// The neurons before the outputs, which feed every candidate.
    fn feeding(&self) -> usize {
        self.total_neurons.saturating_sub(self.num_output) as usize
    }

    /// The candidates' neurons.
    fn candidates(&self) -> Range<usize> {
        let first = self.total_neurons as usize + 1;
        first..first + self.candidate_count()
    }

    /// The weights into the outputs, which are the last ones.
    fn output_weights(&self) -> Range<usize> {
        let outputs = self.layers().neurons(self.layer_count().wrapping_sub(1)).start;
        self.neurons()[outputs].first_con as usize..self.total_connections as usize
    }

    /// Whether the algorithm can train outputs and candidates; an error where not.
    fn can_cascade(&mut self) -> bool {
        let can = matches!(
            self.training_algorithm,
            algorithm::RPROP | algorithm::QUICKPROP | algorithm::SARPROP
        );
        if !can {
            self.report(Error::CantUseTrainAlg);
        }
        can
    }

    /// Whether the network can grow, which takes one whose neurons are connected with all before them; an error where
    /// not.
    pub(crate) fn can_grow(&mut self) -> bool {
        let can = self.is_shortcut() && self.is_full();
        if !can {
            self.report(Error::CantUseTrainAlg);
        }
        can
    }

    /// One epoch of the outputs' weights.
    fn train_outputs_epoch(&mut self, data: &TrainData) -> f32 {
        self.reset_mse();
        let last = self.layer_count().wrapping_sub(1);
        for (input, output) in data.inputs().iter().zip(data.outputs().iter()) {
            self.run(input);
            self.compute_errors(output);
            self.add_slopes(last, last);
        }
        if self.can_cascade() {
            self.follow(self.training_algorithm, data.num_data, self.output_weights());
            if self.training_algorithm == algorithm::SARPROP {
                self.sarprop_epoch = self.sarprop_epoch.wrapping_add(1);
            }
        }
        self.mse()
    }

    /// Trains the outputs until the error is small enough or stays; the number of epochs.
    fn train_outputs(&mut self, data: &TrainData, desired_error: f32) -> c_uint {
        self.clear_training();
        let initial = self.train_outputs_epoch(data);
        if self.has_reached(desired_error) {
            return 1;
        }
        let most = self.cascade_max_out_epochs;
        let change = self.cascade_output_change_fraction;
        let (mut target, mut backslide) = (0.0_f32, -1.0e20_f32);
        let mut stagnation = most;
        for epoch in 1..most {
            let error = self.train_outputs_epoch(data);
            if self.has_reached(desired_error) {
                return epoch + 1;
            }
            let gain = initial - error;
            let moved = if target >= 0.0 {
                gain > target || gain < backslide
            } else {
                gain < target || gain > backslide
            };
            if moved {
                target = gain * (1.0 + change);
                backslide = gain * (1.0 - change);
                stagnation = epoch.wrapping_add(self.cascade_output_stagnation_epochs);
            }
            if epoch >= stagnation && epoch >= self.cascade_min_out_epochs {
                return epoch + 1;
            }
        }
        most
    }

    /// Makes room for the candidates and draws their weights; false where there is no memory.
    fn prepare_candidates(&mut self) -> bool {
        let there = self.make_room().unwrap_or_else(|| {
            self.report(Error::CantAllocateMem);
            false
        });
        let there =
            there && allocate::errors(self) && allocate::slopes(self) && allocate::steps(self);
        if there {
            self.draw_candidates();
        }
        there
    }

    /// Room for candidates behind neurons and weights, with some to spare for the next ones; nothing where their
    /// number is none that can be.
    fn make_room(&mut self) -> Option<bool> {
        let (count, total) = (self.candidate_count(), self.total_neurons as usize);
        let neurons = count.checked_add(total)?.checked_add(1)?;
        let connections = count.checked_add(1)?.checked_mul(total)?;
        let connections = connections.checked_add(self.total_connections as usize)?;
        let spare =
            |n: usize, least: usize| c_uint::try_from(n.checked_add((n / 2).max(least))?).ok();
        let mut there = true;
        if neurons > self.total_neurons_allocated as usize {
            // SAFETY: a network of this library.
            there &= unsafe { fann_reallocate_neurons(self, spare(neurons, 10)?) == 0 };
        }
        if there && connections > self.total_connections_allocated as usize {
            let wanted = spare(connections, total.checked_mul(10)?)?;
            // SAFETY: a network of this library.
            there &= unsafe { fann_reallocate_connections(self, wanted) == 0 };
        }
        Some(there)
    }

    fn draw_candidates(&mut self) {
        let hidden = self.total_neurons.wrapping_sub(self.num_input).wrapping_sub(self.num_output);
        let power = f64::from(0.7_f32 * hidden as f32).powf(f64::from(1.0 / self.num_input as f32));
        let scale = ((2.0 * power) as f32).clamp(0.5, 8.0);
        let (feeding, outputs) = (self.feeding(), self.num_output as usize);
        let mut connection = self.total_connections as usize + self.total_neurons as usize;
        let kinds = self.cascade_functions().iter().flat_map(|function| {
            self.cascade_steepnesses().iter().map(move |steepness| (*function, *steepness))
        });
        let groups = self.cascade_num_candidate_groups as usize;
        let kinds: Vec<_> = kinds.flat_map(|kind| std::iter::repeat_n(kind, groups)).collect();
        for (index, (activation_function, activation_steepness)) in self.candidates().zip(kinds) {
            let end = connection + feeding;
            self.neurons_mut()[index] = Neuron {
                first_con: connection as c_uint,
                last_con: end as c_uint,
                sum: 0.0,
                value: 0.0,
                activation_steepness,
                activation_function,
            };
            self.parts().errors[index] = 0.0;
            self.draw_weights(connection..end + outputs, scale);
            connection = end + outputs;
        }
    }

    /// Draws the weights of a candidate: positive ones, but for that of the bias.
    fn draw_weights(&mut self, range: Range<usize>, scale: f32) {
        let step = if self.training_algorithm == algorithm::RPROP {
            Real::from(self.rprop_delta_zero)
        } else {
            0.0
        };
        let bias = range.start + self.layers().neurons(0).len().wrapping_sub(1);
        let Parts { weights, slopes, previous_steps, previous_slopes, .. } = self.parts();
        for index in range.clone() {
            let low = if index == bias { -scale } else { 0.0 };
            weights[index] = Real::from(between(low, scale));
        }
        slopes[range.clone()].fill(0.0);
        previous_slopes[range.clone()].fill(0.0);
        previous_steps[range].fill(step);
    }

    /// Runs every candidate on the sample the network just ran, and adds its slopes and its score.
    fn add_candidate_slopes(&mut self) {
        let (outputs, first_output) = (self.num_output as usize, self.feeding());
        let candidates = self.candidates();
        // Taken out, so that the network can be borrowed in parts.
        let mut scores = self.scores_mut().to_vec();
        let Parts { neurons, weights, errors, slopes, .. } = self.parts();
        let (before, behind) = neurons.split_at_mut(candidates.start);
        let errors = &errors[first_output..][..outputs];
        let values = &before[..first_output].iter().map(|n| n.value).collect::<Vec<_>>()[..];
        for (candidate, score) in behind.iter_mut().zip(&mut scores) {
            let (range, steepness) = (candidate.connections(), candidate.activation_steepness);
            let out = range.end..range.end + outputs;
            let sum = weighted_sum(&weights[range.clone()], values);
            let sum = hold(sum, steepness);
            let value = activate(candidate.activation_function, steepness * sum);
            (candidate.sum, candidate.value) = (sum, value);
            let derivative = slope(candidate.activation_function, steepness, value, sum);
            let mut error = 0.0;
            let ends = weights[out.clone()].iter().zip(&mut slopes[out]).zip(errors);
            for ((weight, slope), wanted) in ends {
                let difference = value * weight - wanted;
                *slope -= 2.0 * difference * value;
                error += difference * weight;
                *score -= difference * difference;
            }
            error *= derivative;
            for (slope, value) in slopes[range].iter_mut().zip(values) {
                *slope -= error * value;
            }
        }
        self.scores_mut().copy_from_slice(&scores);
    }

    /// One epoch of the candidates; the best score.
    fn train_candidates_epoch(&mut self, data: &TrainData) -> Real {
        if !self.ensure_scores() || self.candidate_count() == 0 {
            return 0.0;
        }
        let start = Real::from(self.MSE_value);
        self.scores_mut().fill(start);
        let (first, outputs) = (self.feeding(), self.num_output as usize);
        for (input, desired) in data.inputs().iter().zip(data.outputs().iter()) {
            self.run(input);
            let Parts { neurons, errors, .. } = self.parts();
            let places = neurons[first..][..outputs].iter().zip(&mut errors[first..]);
            for ((neuron, error), desired) in places.zip(desired) {
                *error = desired - neuron.value;
                if is_symmetric(neuron.activation_function) {
                    *error /= 2.0;
                }
            }
            self.add_candidate_slopes();
        }
        self.update_candidates(data.num_data);
        let scores = self.scores_mut();
        let best =
            (1..scores.len()).fold(0, |best, i| if scores[i] > scores[best] { i } else { best });
        let score = scores[best];
        self.cascade_best_candidate = self.candidates().start as c_uint + best as c_uint;
        score
    }

    fn update_candidates(&mut self, rows: c_uint) {
        let candidates = self.candidates();
        let (Some(first), Some(last)) =
            (self.neurons().get(candidates.start), self.neurons().get(candidates.end - 1))
        else {
            return;
        };
        let range = first.first_con as usize..(last.last_con + self.num_output) as usize;
        if self.can_cascade() {
            self.follow(self.training_algorithm, rows, range);
        }
    }

    fn ensure_scores(&mut self) -> bool {
        if self.cascade_candidate_scores.is_null() {
            self.cascade_candidate_scores = allocate::zeroed(self.candidate_count());
        }
        let there = !self.cascade_candidate_scores.is_null();
        if !there {
            self.report(Error::CantAllocateMem);
        }
        there
    }

    /// Trains the candidates until the best is good enough or stays as it is; the number of epochs.
    fn train_candidates(&mut self, data: &TrainData) -> c_uint {
        if !self.ensure_scores() {
            return 0;
        }
        let most = self.cascade_max_cand_epochs;
        let change = self.cascade_candidate_change_fraction;
        let (mut target, mut backslide) = (0.0, Real::from(-1.0e20_f32));
        let mut stagnation = most;
        for epoch in 0..most {
            let score = self.train_candidates_epoch(data);
            if score / Real::from(self.MSE_value) > self.cascade_candidate_limit {
                return epoch + 1;
            }
            if score > target || score < backslide {
                target = score * Real::from(1.0 + change);
                backslide = score * Real::from(1.0 - change);
                stagnation = epoch.wrapping_add(self.cascade_candidate_stagnation_epochs);
            }
            if epoch >= stagnation && epoch >= self.cascade_min_cand_epochs {
                return epoch + 1;
            }
        }
        most
    }

    /// The line of a report.
    pub(crate) fn describe(&self, neurons: c_uint, epochs: c_uint) -> String {
        let (error, total, failed) = (self.mse(), self.MSE_value, self.num_bit_fail);
        let mut line = format!(
            "Neurons     {neurons:3}. Current error: {error:.6}. Total error:{total:8.4}. \
             Epochs {epochs:5}. Bit fail {failed:3}"
        );
        if self.layer_count() > 2 {
            let last = self.layers().neurons(self.layer_count() - 2).start;
            let Neuron { activation_steepness, activation_function, .. } = self.neurons()[last];
            let function = Activation::from_code(activation_function).map_or("", Activation::name);
            line +=
                &format!(". candidate steepness {activation_steepness:.2}. function {function}");
        }
        line + "\n"
    }
}

/// Trains on the struct itself and returns the epochs taken.
///
/// # Safety
/// `ann` and `data` are valid, and no reference to them is in use.
unsafe fn train_here(ann: *mut Ann, data: *mut TrainData, limits: Limits) -> c_uint {
    let (most, between, desired_error) = limits;
    let mut epochs: c_uint = 0;
    for neuron in 1..=most {
        // SAFETY: the caller's promise; the references end before the callback may use the structs.
        let (network, rows) = unsafe { (&mut *ann, &mut *data) };
        epochs = epochs.wrapping_add(network.train_outputs(rows, desired_error));
        let reached = network.has_reached(desired_error);
        if is_due(neuron, between, most, reached) {
            if network.callback.is_none() {
                print(&network.describe(neuron - 1, epochs));
            // SAFETY: as above.
            } else if unsafe { call_back(ann, data, limits, epochs) } {
                break;
            }
        }
        // SAFETY: as above.
        let (network, rows) = unsafe { (&mut *ann, &mut *data) };
        if reached || !network.prepare_candidates() {
            break;
        }
        epochs = epochs.wrapping_add(network.train_candidates(rows));
        network.install();
    }
    // SAFETY: as above.
    let (network, rows) = unsafe { (&mut *ann, &mut *data) };
    epochs = epochs.wrapping_add(network.train_outputs(rows, 0.0));
    network.connect_shortcuts();
    epochs
}

export! {
    fn fann_cascadetrain_on_data(
        ann: *mut Ann, data: *mut TrainData, most: c_uint, between: c_uint, desired_error: f32,
    ) {
        // SAFETY: neither is NULL and no other reference is in use, here and below.
        let network = unsafe { &mut *ann };
        if !network.can_grow() {
            return;
        }
        if between != 0 && network.callback.is_none() {
            print(&format!("Max neurons {most:3}. Desired error: {desired_error:.6}\n"));
        }
        let limits = (most, between, desired_error);
        // SAFETY: as above.
        let epochs = unsafe { grow::train(ann, data, limits).unwrap_or_else(|| train_here(ann, data, limits)) };
        // SAFETY: as above.
        let network = unsafe { &mut *ann };
        if between != 0 && network.callback.is_none() {
            let error = network.mse();
            print(&format!("Train outputs    Current error: {error:.6}. Epochs {epochs:6}\n"));
        }
    }

    fn fann_cascadetrain_on_file(
        ann: *mut Ann, file: Name, most: c_uint, between: c_uint, desired_error: f32,
    ) {
        // SAFETY: a string of the program, and data that belong to this call.
        unsafe {
            let data = fann_read_train_from_file(file.0);
            if !data.is_null() {
                fann_cascadetrain_on_data(ann, data, most, between, desired_error);
                fann_destroy_train(data);
            }
        }
    }

    fn fann_train_outputs(ann: &mut Ann, data: &mut TrainData, desired_error: f32) -> c_int {
        ann.train_outputs(data, desired_error) as c_int
    }

    fn fann_train_outputs_epoch(ann: &mut Ann, data: &mut TrainData) -> f32 {
        ann.train_outputs_epoch(data)
    }

    fn fann_initialize_candidates(ann: &mut Ann) -> c_int {
        if ann.prepare_candidates() { 0 } else { -1 }
    }

    fn initialize_candidate_weights(
        ann: &mut Ann, first_con: c_uint, last_con: c_uint, scale_factor: f32,
    ) {
        ann.draw_weights(first_con as usize..last_con as usize, scale_factor);
    }

    fn fann_train_candidates(ann: &mut Ann, data: &mut TrainData) -> c_int {
        ann.train_candidates(data) as c_int
    }

    fn fann_train_candidates_epoch(ann: &mut Ann, data: &mut TrainData) -> Real {
        ann.train_candidates_epoch(data)
    }

    fn fann_update_candidate_slopes(ann: &mut Ann) {
        ann.add_candidate_slopes();
    }

    fn fann_update_candidate_weights(ann: &mut Ann, num_data: c_uint) {
        ann.update_candidates(num_data);
    }
}
