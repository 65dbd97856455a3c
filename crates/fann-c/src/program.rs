//! A C program's training of XOR, called as C calls it, for the benchmark of the interface.

use std::ffi::c_uint;

use crate::allocate::fann_destroy;
use crate::create::fann_create_standard_array;
use crate::data::{fann_create_train, fann_destroy_train};
use crate::epoch::fann_train_epoch;
use crate::layout::{Ann, Real, TrainData, algorithm};
use crate::neurons::{fann_set_activation_function_hidden, fann_set_activation_function_output};
use crate::parameters::fann_set_training_algorithm;
use crate::train::fann_train_on_data;
use crate::view::{slice, slice_mut};

const SIZES: [c_uint; 3] = [2, 4, 1];
/// The connections of the network.
pub const CONNECTIONS: usize = 17;
const SIGMOID_SYMMETRIC: c_uint = 5;

/// XOR as training data, and networks of two, four and one neurons.
#[derive(Debug)]
pub struct Xor(*mut TrainData);

impl Xor {
    /// The data; nothing where there is no memory.
    pub fn new() -> Option<Xor> {
        // SAFETY: any numbers may be asked for.
        let data = unsafe { fann_create_train(4, 2, 1) };
        // SAFETY: NULL or new.
        let made = unsafe { data.as_ref() }?;
        let (sides, pairs) = ([-1.0, 1.0], made.inputs().iter_mut().zip(made.outputs().iter_mut()));
        for (row, (input, output)) in pairs.enumerate() {
            input.copy_from_slice(&[sides[row / 2], sides[row % 2]]);
            output.fill(sides[usize::from(row == 1 || row == 2)]);
        }
        Some(Xor(data))
    }

    /// Lets a program use a new network with these weights, trained by RPROP; nothing where there is no memory.
    fn with<R>(
        &self,
        weights: &[Real; CONNECTIONS],
        program: impl FnOnce(*mut Ann) -> R,
    ) -> Option<R> {
        // SAFETY: as many sizes as are counted.
        let ann = unsafe { fann_create_standard_array(SIZES.len() as c_uint, SIZES.as_ptr()) };
        // SAFETY: NULL or new, with that many weights.
        let own = unsafe { slice_mut(ann.as_ref()?.weights, CONNECTIONS) };
        own.copy_from_slice(weights);
        // SAFETY: a network of this library, destroyed once.
        unsafe {
            fann_set_activation_function_hidden(ann, SIGMOID_SYMMETRIC);
            fann_set_activation_function_output(ann, SIGMOID_SYMMETRIC);
            fann_set_training_algorithm(ann, algorithm::RPROP);
            let result = program(ann);
            fann_destroy(ann);
            Some(result)
        }
    }

    /// Makes a network, trains it, and returns its weights.
    pub fn train(&self, weights: &[Real; CONNECTIONS], epochs: u32) -> Option<Vec<Real>> {
        self.with(weights, |ann| {
            // SAFETY: a network and data that fit.
            unsafe {
                fann_train_on_data(ann, self.0, epochs, 0, -1.0);
                slice((*ann).weights, CONNECTIONS).to_vec()
            }
        })
    }

    /// The errors of the first epochs.
    pub fn errors(&self, weights: &[Real; CONNECTIONS], epochs: usize) -> Option<Vec<f32>> {
        self.with(weights, |ann| {
            // SAFETY: a network and data that fit.
            let epoch = |_| unsafe { fann_train_epoch(ann, self.0) };
            (0..epochs).map(epoch).collect()
        })
    }
}

impl Drop for Xor {
    fn drop(&mut self) {
        // SAFETY: made by `new` and destroyed only here.
        unsafe { fann_destroy_train(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_one_by_one_are_those_of_a_training() {
        let xor = Xor::new().unwrap();
        let weights = std::array::from_fn(|i| (i * 7 % 11) as Real / 5.0 - 1.0);
        let errors = xor.errors(&weights, 30).unwrap();
        assert!(errors[29] < errors[0], "{errors:?}");
        let trained = xor.train(&weights, 30).unwrap();
        let continued = xor
            .with(&weights, |ann| {
                // SAFETY: a network and data that fit.
                unsafe {
                    (0..30).for_each(|_| _ = fann_train_epoch(ann, xor.0));
                    slice((*ann).weights, CONNECTIONS).to_vec()
                }
            })
            .unwrap();
        assert_eq!(trained, continued);
    }
}
