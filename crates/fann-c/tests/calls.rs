//! The C interface called from Rust, on machines without FANN's headers too: a network is made by a variadic
//! call, trained, saved, read and destroyed.
#![cfg(target_os = "linux")]

use std::ffi::{CStr, CString, c_char, c_int, c_uint};

use whimbrel_fann_c::layout::{Ann, ErrorData, Real, TrainData};

unsafe extern "C" {
    fn fann_create_standard(num_layers: c_uint, ...) -> *mut Ann;
    fn fann_create_sparse(rate: f32, num_layers: c_uint, ...) -> *mut Ann;
    fn fann_create_train(num_data: c_uint, num_input: c_uint, num_output: c_uint)
    -> *mut TrainData;
    fn fann_set_activation_function_hidden(ann: *mut Ann, function: c_uint);
    fn fann_set_activation_function_output(ann: *mut Ann, function: c_uint);
    fn fann_set_activation_steepness_hidden(ann: *mut Ann, steepness: Real);
    fn fann_train_on_data(
        ann: *mut Ann,
        data: *mut TrainData,
        most: c_uint,
        between: c_uint,
        desired_error: f32,
    );
    fn fann_run(ann: *mut Ann, input: *const Real) -> *mut Real;
    fn fann_save(ann: *mut Ann, name: *const c_char) -> c_int;
    fn fann_create_from_file(name: *const c_char) -> *mut Ann;
    fn fann_get_num_layers(ann: *mut Ann) -> c_uint;
    fn fann_scale_input(ann: *mut Ann, vector: *mut Real);
    fn fann_set_error_log(owner: *mut ErrorData, log: *mut libc::FILE);
    fn fann_get_errno(owner: *mut ErrorData) -> c_uint;
    fn fann_get_errstr(owner: *mut ErrorData) -> *mut c_char;
    fn fann_destroy(ann: *mut Ann);
    fn fann_destroy_train(data: *mut TrainData);
}

const SIGMOID_SYMMETRIC: c_uint = 5;
const XOR: [[Real; 3]; 4] =
    [[-1.0, -1.0, -1.0], [-1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0]];

fn outputs(ann: *mut Ann) -> Vec<Real> {
    // SAFETY: two inputs, one output.
    XOR.iter().map(|row| unsafe { *fann_run(ann, row.as_ptr()) }).collect()
}

#[test]
fn a_steepness_that_is_no_number_gives_none() {
    // SAFETY: as a C program would call it.
    unsafe {
        let ann = fann_create_standard(3 as c_uint, 2 as c_uint, 3 as c_uint, 1 as c_uint);
        fann_set_activation_function_hidden(ann, SIGMOID_SYMMETRIC);
        fann_set_activation_function_output(ann, SIGMOID_SYMMETRIC);
        fann_set_activation_steepness_hidden(ann, Real::NAN);
        assert!(outputs(ann).iter().all(|output| output.is_nan()));
        fann_destroy(ann);
    }
}

#[test]
fn a_network_learns_and_comes_back_from_its_file() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let name = CString::new(folder.join("calls.net").to_str().unwrap()).unwrap();
    // SAFETY: as a C program would call it.
    unsafe {
        let data = fann_create_train(4, 2, 1);
        for (row, numbers) in XOR.iter().enumerate() {
            let (input, output) = (*(*data).input.add(row), *(*data).output.add(row));
            input.copy_from_nonoverlapping(numbers.as_ptr(), 2);
            *output = numbers[2];
        }
        let ann = fann_create_standard(3 as c_uint, 2 as c_uint, 6 as c_uint, 1 as c_uint);
        // Weights that do not come from random numbers.
        for index in 0..(*ann).total_connections as usize {
            *(*ann).weights.add(index) = (index * 7 % 11) as Real / 5.0 - 1.0;
        }
        fann_set_activation_function_hidden(ann, SIGMOID_SYMMETRIC);
        fann_set_activation_function_output(ann, SIGMOID_SYMMETRIC);
        fann_train_on_data(ann, data, 5000, 0, 0.001);
        let learnt = outputs(ann);
        let right = learnt.iter().zip(XOR).filter(|(out, row)| (*out - row[2]).abs() < 0.5);
        assert_eq!(right.count(), 4, "{learnt:?}");
        assert_eq!(fann_save(ann, name.as_ptr()), 0);
        let read = fann_create_from_file(name.as_ptr());
        assert_eq!(outputs(read), learnt);
        fann_destroy(read);
        fann_destroy(ann);
        fann_destroy_train(data);
    }
}

#[test]
fn variadic_calls_pass_every_size() {
    // SAFETY: as many sizes as are counted; eight do not fit into registers.
    unsafe {
        let two: c_uint = 2;
        let deep =
            fann_create_standard(9 as c_uint, two, two, two, two, two, two, two, two, 5 as c_uint);
        assert_eq!((fann_get_num_layers(deep), (*deep).num_input, (*deep).num_output), (9, 2, 5));
        fann_destroy(deep);
        let sparse = fann_create_sparse(0.5, 3 as c_uint, 4 as c_uint, 6 as c_uint, 3 as c_uint);
        assert_eq!(((*sparse).connection_rate, (*sparse).num_output), (0.5, 3));
        fann_destroy(sparse);
    }
}

#[test]
fn errors_have_numbers_and_messages() {
    // SAFETY: as a C program would call it.
    unsafe {
        let ann = fann_create_standard(2 as c_uint, 1 as c_uint, 1 as c_uint);
        let owner = ann.cast::<ErrorData>();
        fann_set_error_log(owner, std::ptr::null_mut());
        fann_scale_input(ann, std::ptr::null_mut());
        assert_eq!(fann_get_errno(owner), 18);
        let text = CStr::from_ptr(fann_get_errstr(owner));
        assert_eq!(text.to_bytes(), b"Scaling parameters not present.\n");
        assert_eq!(fann_get_errno(owner), 0);
        fann_destroy(ann);
    }
}
