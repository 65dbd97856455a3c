//! The structs of FANN's headers, field by field: their places are what compiled programs rely on.
//! `tests/layout.rs` compares them with the headers. `lent`, the last field of [`Ann`], lies behind what C knows.

use std::ffi::{c_char, c_int, c_uint, c_void};

use libc::FILE;

/// `fann_type`: the number type of weights, values and data.
#[cfg(not(feature = "double"))]
pub type Real = f32;
/// `fann_type`: the number type of weights, values and data.
#[cfg(feature = "double")]
pub type Real = f64;

/// `fann_callback_type`: called by a training at every report; minus one ends it.
pub type Callback =
    Option<unsafe extern "C" fn(*mut Ann, *mut TrainData, c_uint, c_uint, f32, c_uint) -> c_int>;

/// Declares a struct of the C interface whose fields are named as in the header.
macro_rules! c_struct {
    ($(#[$attribute:meta])* $name:ident { $($field:ident: $kind:ty),* $(,)? }) => {
        $(#[$attribute])*
        #[allow(missing_docs, non_snake_case)]
        pub struct $name { $(pub $field: $kind),* }

        impl $name {
            /// Name and place in bytes of every field.
            pub const FIELDS: &[(&str, usize)] =
                &[$((stringify!($field), std::mem::offset_of!($name, $field))),*];
        }
    };
}

c_struct! {
    /// `struct fann_error`, the head of [`Ann`] and of [`TrainData`].
    #[repr(C)]
    ErrorData { errno_f: c_uint, error_log: *mut FILE, errstr: *mut c_char }
}

c_struct! {
    /// `struct fann_neuron`, packed as its header asks of GCC.
    #[repr(C, packed)]
    #[derive(Clone, Copy, Default)]
    Neuron {
        first_con: c_uint,
        last_con: c_uint,
        sum: Real,
        value: Real,
        activation_steepness: Real,
        activation_function: c_uint,
    }
}

c_struct! {
    /// `struct fann_layer`: the neurons from the first to the one before the last.
    #[repr(C)]
    #[derive(Clone, Copy)]
    Layer { first_neuron: *mut Neuron, last_neuron: *mut Neuron }
}

c_struct! {
    /// `struct fann_connection`.
    #[repr(C)]
    #[derive(Clone, Copy)]
    Connection { from_neuron: c_uint, to_neuron: c_uint, weight: Real }
}

c_struct! {
    /// `struct fann_train_data`.
    #[repr(C)]
    TrainData {
        errno_f: c_uint,
        error_log: *mut FILE,
        errstr: *mut c_char,
        num_data: c_uint,
        num_input: c_uint,
        num_output: c_uint,
        input: *mut *mut Real,
        output: *mut *mut Real,
    }
}

c_struct! {
    /// `struct fann`.
    #[repr(C)]
    Ann {
        errno_f: c_uint,
        error_log: *mut FILE,
        errstr: *mut c_char,
        learning_rate: f32,
        learning_momentum: f32,
        connection_rate: f32,
        network_type: c_uint,
        first_layer: *mut Layer,
        last_layer: *mut Layer,
        total_neurons: c_uint,
        num_input: c_uint,
        num_output: c_uint,
        weights: *mut Real,
        connections: *mut *mut Neuron,
        train_errors: *mut Real,
        training_algorithm: c_uint,
        total_connections: c_uint,
        output: *mut Real,
        num_MSE: c_uint,
        MSE_value: f32,
        num_bit_fail: c_uint,
        bit_fail_limit: Real,
        train_error_function: c_uint,
        train_stop_function: c_uint,
        callback: Callback,
        user_data: *mut c_void,
        cascade_output_change_fraction: f32,
        cascade_output_stagnation_epochs: c_uint,
        cascade_candidate_change_fraction: f32,
        cascade_candidate_stagnation_epochs: c_uint,
        cascade_best_candidate: c_uint,
        cascade_candidate_limit: Real,
        cascade_weight_multiplier: Real,
        cascade_max_out_epochs: c_uint,
        cascade_max_cand_epochs: c_uint,
        cascade_min_out_epochs: c_uint,
        cascade_min_cand_epochs: c_uint,
        cascade_activation_functions: *mut c_uint,
        cascade_activation_functions_count: c_uint,
        cascade_activation_steepnesses: *mut Real,
        cascade_activation_steepnesses_count: c_uint,
        cascade_num_candidate_groups: c_uint,
        cascade_candidate_scores: *mut Real,
        total_neurons_allocated: c_uint,
        total_connections_allocated: c_uint,
        quickprop_decay: f32,
        quickprop_mu: f32,
        rprop_increase_factor: f32,
        rprop_decrease_factor: f32,
        rprop_delta_min: f32,
        rprop_delta_max: f32,
        rprop_delta_zero: f32,
        sarprop_weight_decay_shift: f32,
        sarprop_step_error_threshold_factor: f32,
        sarprop_step_error_shift: f32,
        sarprop_temperature: f32,
        sarprop_epoch: c_uint,
        train_slopes: *mut Real,
        prev_steps: *mut Real,
        prev_train_slopes: *mut Real,
        prev_weights_deltas: *mut Real,
        scale_mean_in: *mut f32,
        scale_deviation_in: *mut f32,
        scale_new_min_in: *mut f32,
        scale_factor_in: *mut f32,
        scale_mean_out: *mut f32,
        scale_deviation_out: *mut f32,
        scale_new_min_out: *mut f32,
        scale_factor_out: *mut f32,
        lent: *mut c_void,
    }
}

/// Values of `enum fann_nettype_enum`.
pub(crate) mod nettype {
    pub const LAYER: u32 = 0;
    pub const SHORTCUT: u32 = 1;
}

/// Values of `enum fann_train_enum`.
pub(crate) mod algorithm {
    pub const INCREMENTAL: u32 = 0;
    pub const BATCH: u32 = 1;
    pub const RPROP: u32 = 2;
    pub const QUICKPROP: u32 = 3;
    pub const SARPROP: u32 = 4;
}

/// The value of `enum fann_errorfunc_enum` that leaves differences as they are.
pub(crate) const ERRORFUNC_LINEAR: u32 = 0;

/// Values of `enum fann_stopfunc_enum`.
pub(crate) mod stop_function {
    pub const MSE: u32 = 0;
    pub const BIT: u32 = 1;
}
