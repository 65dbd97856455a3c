//! Trainings: epochs until the error is small enough, with reports.

use std::ffi::c_uint;

use crate::data::fann_destroy_train;
use crate::data_file::fann_read_train_from_file;
use crate::edge::{Name, export};
use crate::layout::{Ann, TrainData};
use crate::stream::print;

/// Whether a report is due after this epoch or neuron.
pub(crate) fn is_due(count: c_uint, between: c_uint, most: c_uint, reached: bool) -> bool {
    between != 0 && (count.is_multiple_of(between) || count == most || count == 1 || reached)
}

/// Calls the program's function; true where it ends the training.
///
/// # Safety
/// `ann` and `data` are valid, and no reference to them is in use.
pub(crate) unsafe fn call_back(
    ann: *mut Ann,
    data: *mut TrainData,
    (most, between, desired_error): (c_uint, c_uint, f32),
    epochs: c_uint,
) -> bool {
    // SAFETY: the caller's promise.
    let callback = unsafe { (*ann).callback };
    // SAFETY: the program's function, called as FANN does.
    callback.is_some_and(|f| unsafe { f(ann, data, most, between, desired_error, epochs) } == -1)
}

export! {
    fn fann_train_on_data(
        ann: *mut Ann, data: *mut TrainData, most: c_uint, between: c_uint, desired_error: f32,
    ) {
        // SAFETY: `ann` is not NULL and no other reference is in use, here and below.
        if between != 0 && unsafe { (*ann).callback.is_none() } {
            print(&format!("Max epochs {most:8}. Desired error: {desired_error:.10}.\n"));
        }
        let mut epoch = 0;
        while epoch < most {
            // SAFETY: as above; the references end before the callback may use the structs.
            let (network, rows) = unsafe { (&mut *ann, &mut *data) };
            let (reached, error);
            if network.fits(rows) {
                let due = |epoch, reached| is_due(epoch, between, most, reached);
                (epoch, reached) = network.epochs(rows, (epoch, most), desired_error, due);
                error = network.mse();
            } else {
                (epoch, reached, error) = (epoch + 1, network.has_reached(desired_error), 0.0);
            }
            if is_due(epoch, between, most, reached) {
                if network.callback.is_none() {
                    let failed = network.num_bit_fail;
                    print(&format!(
                        "Epochs     {epoch:8}. Current error: {error:.10}. Bit fail {failed}.\n"
                    ));
                // SAFETY: as above.
                } else if unsafe { call_back(ann, data, (most, between, desired_error), epoch) } {
                    break;
                }
            }
            if reached {
                break;
            }
        }
    }

    fn fann_train_on_file(
        ann: *mut Ann, file: Name, most: c_uint, between: c_uint, desired_error: f32,
    ) {
        // SAFETY: a string of the program, and data that belong to this call.
        unsafe {
            let data = fann_read_train_from_file(file.0);
            if !data.is_null() {
                fann_train_on_data(ann, data, most, between, desired_error);
                fann_destroy_train(data);
            }
        }
    }
}
