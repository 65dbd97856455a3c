//! Activation functions of single neurons, by their numbers. The functions themselves are those of
//! `whimbrel-fann`, one number at a time.

use std::ffi::c_uint;

use whimbrel_fann::{Activation, Error};

use crate::edge::export;
use crate::layout::{Ann, Real};

/// The value of a neuron whose sum, with the steepness in it, is `x`; `x` for a number FANN does not know.
pub(crate) fn activate(function: c_uint, x: Real) -> Real {
    Activation::from_code(function).map_or(x, |function| function.value(x))
}

/// The derivative at a neuron's value and sum. There is none of the threshold: an error that belongs to no network.
pub(crate) fn slope(function: c_uint, steepness: Real, value: Real, sum: Real) -> Real {
    let Some(function) = Activation::from_code(function) else { return 0.0 };
    if !function.is_trainable() {
        crate::error::report(None, &Error::CantTrainActivation);
    }
    function.slope(steepness, value, sum)
}

/// Whether the function's range is from -1 to 1.
pub(crate) fn is_symmetric(function: c_uint) -> bool {
    Activation::from_code(function).is_some_and(Activation::is_symmetric)
}

export! {
    fn fann_activation(
        ann: Option<&mut Ann>, activation: c_uint, steepness: Real, value: Real,
    ) -> Real {
        let _ = ann;
        activate(activation, steepness * value)
    }

    fn fann_activation_derived(
        activation: c_uint, steepness: Real, value: Real, sum: Real,
    ) -> Real {
        slope(activation, steepness, value, sum)
    }
}
