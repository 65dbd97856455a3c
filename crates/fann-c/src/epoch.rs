//! Epochs of training and of testing: all rows of data once. `lend.rs` hands them to the fast network; here they are
//! also computed on the struct itself, step by step, for networks that cannot be lent.

use std::ffi::c_uint;

use crate::edge::export;
use crate::layout::{Ann, Real, TrainData, algorithm};
use crate::view::slice;

impl Ann {
    /// All weights.
    fn all(&self) -> std::ops::Range<usize> {
        0..self.total_connections as usize
    }

    /// Runs every row and adds up the slopes of all weights.
    fn sum_slopes(&mut self, data: &TrainData) {
        self.reset_mse();
        for (input, output) in data.inputs().iter().zip(data.outputs().iter()) {
            self.run(input);
            self.compute_errors(output);
            self.backpropagate();
            self.add_slopes(1, usize::MAX);
        }
    }

    /// One epoch on the struct itself.
    pub(crate) fn epoch_here(&mut self, algorithm: c_uint, data: &TrainData) {
        match algorithm {
            algorithm::INCREMENTAL => {
                self.reset_mse();
                for (input, output) in data.inputs().iter().zip(data.outputs().iter()) {
                    self.train(input, output);
                }
            }
            algorithm::BATCH => {
                self.sum_slopes(data);
                self.follow(algorithm, data.num_data, self.all());
            }
            algorithm::RPROP | algorithm::QUICKPROP | algorithm::SARPROP => {
                if self.prev_train_slopes.is_null() {
                    self.clear_training();
                }
                self.sum_slopes(data);
                self.follow(algorithm, data.num_data, self.all());
                if algorithm == algorithm::SARPROP {
                    self.sarprop_epoch = self.sarprop_epoch.wrapping_add(1);
                }
            }
            _ => {}
        }
    }

    /// Incremental training on one sample.
    fn train(&mut self, input: &[Real], output: &[Real]) {
        self.run(input);
        self.compute_errors(output);
        self.backpropagate();
        self.follow_sample();
    }
}

/// Declares an epoch of one algorithm, whichever the network is set to.
macro_rules! epochs {
    ($($name:ident $algorithm:ident),*) => { export! { $(
        fn $name(ann: &mut Ann, data: &mut TrainData) -> f32 {
            ann.epoch(algorithm::$algorithm, data)
        }
    )* } };
}

epochs!(
    fann_train_epoch_incremental INCREMENTAL,
    fann_train_epoch_batch BATCH,
    fann_train_epoch_irpropm RPROP,
    fann_train_epoch_quickprop QUICKPROP,
    fann_train_epoch_sarprop SARPROP
);

export! {
    fn fann_train(ann: &mut Ann, input: *const Real, desired: *const Real) {
        // SAFETY: a program passes as many inputs and outputs as the network has.
        let input = unsafe { slice(input, ann.num_input as usize) };
        // SAFETY: as above.
        let desired = unsafe { slice(desired, ann.num_output as usize) };
        ann.train(input, desired);
    }

    fn fann_train_epoch(ann: &mut Ann, data: &mut TrainData) -> f32 {
        if ann.fits(data) { ann.epoch(ann.training_algorithm, data) } else { 0.0 }
    }

    fn fann_test_data(ann: &mut Ann, data: &mut TrainData) -> f32 {
        if !ann.fits(data) {
            return 0.0;
        }
        ann.test_all(data);
        ann.mse()
    }
}
