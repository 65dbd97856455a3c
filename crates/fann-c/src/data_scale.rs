//! Scaling of training data by themselves: all inputs, or all outputs, to a range.

use std::ffi::c_uint;

use crate::edge::export;
use crate::layout::{Real, TrainData};
use crate::view::Rows;

/// Maps all numbers linearly so that they reach from `low` to `high`.
fn scale(rows: Rows, low: Real, high: Real) {
    let mut numbers = rows.iter().flatten().copied();
    let Some(first) = numbers.next() else { return };
    let (mut least, mut most) = (first, first);
    for x in numbers {
        if x < least {
            least = x;
        } else if x > most {
            most = x;
        }
    }
    let factor = (high - low) / (most - least);
    for x in rows.iter_mut().flatten() {
        let scaled = (*x - least) * factor + low;
        *x = if scaled < low {
            low
        } else if scaled > high {
            high
        } else {
            scaled
        };
    }
}

export! {
    fn fann_scale_data(
        rows: *mut *mut Real, num_data: c_uint, num_elem: c_uint, low: Real, high: Real,
    ) {
        scale(Rows { rows, count: num_data as usize, width: num_elem as usize }, low, high);
    }

    fn fann_scale_input_train_data(data: &mut TrainData, low: Real, high: Real) {
        scale(data.inputs(), low, high);
    }

    fn fann_scale_output_train_data(data: &mut TrainData, low: Real, high: Real) {
        scale(data.outputs(), low, high);
    }

    fn fann_scale_train_data(data: &mut TrainData, low: Real, high: Real) {
        scale(data.inputs(), low, high);
        scale(data.outputs(), low, high);
    }
}
