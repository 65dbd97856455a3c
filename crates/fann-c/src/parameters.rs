//! Settings: one reader and one writer for each field that has them, and their way to and from the
//! settings of `whimbrel-fann`.

use std::ffi::{c_uint, c_void};

use whimbrel_fann::{
    Activation, Algorithm, CascadeParameters, Error, ErrorFunction, StopFunction, TrainParameters,
};

use crate::allocate::{candidate_kinds, replace};
use crate::edge::export;
use crate::layout::{Ann, Callback, Real};
use crate::view::slice;

/// Declares `fann_get_` and `fann_set_` of fields.
macro_rules! settings {
    ($($kind:ty: $($field:ident $get:ident $set:ident),* $(,)?;)*) => { $($(
        export! {
            fn $get(ann: &mut Ann) -> $kind {
                ann.$field
            }

            fn $set(ann: &mut Ann, value: $kind) {
                ann.$field = value;
            }
        }
    )*)* };
}

settings! {
    c_uint:
        training_algorithm fann_get_training_algorithm fann_set_training_algorithm,
        train_error_function fann_get_train_error_function fann_set_train_error_function,
        train_stop_function fann_get_train_stop_function fann_set_train_stop_function,
        cascade_output_stagnation_epochs
            fann_get_cascade_output_stagnation_epochs fann_set_cascade_output_stagnation_epochs,
        cascade_candidate_stagnation_epochs
            fann_get_cascade_candidate_stagnation_epochs fann_set_cascade_candidate_stagnation_epochs,
        cascade_max_out_epochs fann_get_cascade_max_out_epochs fann_set_cascade_max_out_epochs,
        cascade_min_out_epochs fann_get_cascade_min_out_epochs fann_set_cascade_min_out_epochs,
        cascade_max_cand_epochs fann_get_cascade_max_cand_epochs fann_set_cascade_max_cand_epochs,
        cascade_min_cand_epochs fann_get_cascade_min_cand_epochs fann_set_cascade_min_cand_epochs;
    f32:
        learning_rate fann_get_learning_rate fann_set_learning_rate,
        learning_momentum fann_get_learning_momentum fann_set_learning_momentum,
        quickprop_decay fann_get_quickprop_decay fann_set_quickprop_decay,
        quickprop_mu fann_get_quickprop_mu fann_set_quickprop_mu,
        rprop_increase_factor fann_get_rprop_increase_factor fann_set_rprop_increase_factor,
        rprop_decrease_factor fann_get_rprop_decrease_factor fann_set_rprop_decrease_factor,
        rprop_delta_min fann_get_rprop_delta_min fann_set_rprop_delta_min,
        rprop_delta_max fann_get_rprop_delta_max fann_set_rprop_delta_max,
        rprop_delta_zero fann_get_rprop_delta_zero fann_set_rprop_delta_zero,
        sarprop_weight_decay_shift
            fann_get_sarprop_weight_decay_shift fann_set_sarprop_weight_decay_shift,
        sarprop_step_error_threshold_factor
            fann_get_sarprop_step_error_threshold_factor fann_set_sarprop_step_error_threshold_factor,
        sarprop_step_error_shift fann_get_sarprop_step_error_shift fann_set_sarprop_step_error_shift,
        sarprop_temperature fann_get_sarprop_temperature fann_set_sarprop_temperature,
        cascade_output_change_fraction
            fann_get_cascade_output_change_fraction fann_set_cascade_output_change_fraction,
        cascade_candidate_change_fraction
            fann_get_cascade_candidate_change_fraction fann_set_cascade_candidate_change_fraction;
    Real:
        bit_fail_limit fann_get_bit_fail_limit fann_set_bit_fail_limit,
        cascade_weight_multiplier
            fann_get_cascade_weight_multiplier fann_set_cascade_weight_multiplier,
        cascade_candidate_limit fann_get_cascade_candidate_limit fann_set_cascade_candidate_limit;
    Callback: callback fann_get_callback fann_set_callback;
    *mut c_void: user_data fann_get_user_data fann_set_user_data;
}

export! {
    fn fann_get_cascade_num_candidates(ann: &mut Ann) -> c_uint {
        ann.candidate_count() as c_uint
    }

    fn fann_get_cascade_num_candidate_groups(ann: &mut Ann) -> c_uint {
        ann.cascade_num_candidate_groups
    }

    fn fann_set_cascade_num_candidate_groups(ann: &mut Ann, groups: c_uint) {
        ann.cascade_num_candidate_groups = groups;
        ann.forget_scores();
    }

    fn fann_get_cascade_activation_functions_count(ann: &mut Ann) -> c_uint {
        ann.cascade_activation_functions_count
    }

    fn fann_get_cascade_activation_functions(ann: &mut Ann) -> *mut c_uint {
        ann.cascade_activation_functions
    }

    fn fann_set_cascade_activation_functions(
        ann: &mut Ann, functions: *const c_uint, count: c_uint,
    ) {
        // SAFETY: as many as are counted; they are copied before the old ones go.
        let functions = unsafe { slice(functions, count as usize) };
        if !replace(&mut ann.cascade_activation_functions, functions) {
            return ann.report(Error::CantAllocateMem);
        }
        ann.cascade_activation_functions_count = functions.len() as c_uint;
        ann.forget_scores();
    }

    fn fann_get_cascade_activation_steepnesses_count(ann: &mut Ann) -> c_uint {
        ann.cascade_activation_steepnesses_count
    }

    fn fann_get_cascade_activation_steepnesses(ann: &mut Ann) -> *mut Real {
        ann.cascade_activation_steepnesses
    }

    fn fann_set_cascade_activation_steepnesses(
        ann: &mut Ann, steepnesses: *const Real, count: c_uint,
    ) {
        // SAFETY: as many as are counted; they are copied before the old ones go.
        let steepnesses = unsafe { slice(steepnesses, count as usize) };
        if !replace(&mut ann.cascade_activation_steepnesses, steepnesses) {
            return ann.report(Error::CantAllocateMem);
        }
        ann.cascade_activation_steepnesses_count = steepnesses.len() as c_uint;
        ann.forget_scores();
    }
}

/// Copies fields of the same name.
macro_rules! same {
    ($from:expr => $to:expr; $($field:ident),* $(,)?) => { $($to.$field = $from.$field;)* };
}

/// Copies fields that `struct fann` has under the name of the cascade training.
macro_rules! cascade {
    ($name:ident, $from:ident => $to:ident) => {
        cascade!(@ $name $from $to:
            output_change_fraction cascade_output_change_fraction,
            output_stagnation_epochs cascade_output_stagnation_epochs,
            candidate_change_fraction cascade_candidate_change_fraction,
            candidate_stagnation_epochs cascade_candidate_stagnation_epochs,
            weight_multiplier cascade_weight_multiplier,
            candidate_limit cascade_candidate_limit,
            max_out_epochs cascade_max_out_epochs,
            min_out_epochs cascade_min_out_epochs,
            max_cand_epochs cascade_max_cand_epochs,
            min_cand_epochs cascade_min_cand_epochs,
            num_candidate_groups cascade_num_candidate_groups)
    };
    (@ to_c $from:ident $to:ident: $($short:ident $long:ident),*) => { $($to.$long = $from.$short;)* };
    (@ from_c $from:ident $to:ident: $($short:ident $long:ident),*) => { $($to.$short = $from.$long;)* };
}

impl Ann {
    /// Takes over settings. Where there is no memory for the kinds of candidates, those stay.
    pub(crate) fn apply(
        &mut self,
        training: &TrainParameters<Real>,
        settings: &CascadeParameters<Real>,
    ) {
        self.training_algorithm = training.training_algorithm.code();
        self.train_error_function = training.train_error_function.code();
        self.train_stop_function = training.train_stop_function.code();
        same!(training => self;
            learning_rate, learning_momentum, bit_fail_limit, quickprop_decay, quickprop_mu,
            rprop_increase_factor, rprop_decrease_factor, rprop_delta_min, rprop_delta_max,
            rprop_delta_zero, sarprop_weight_decay_shift, sarprop_step_error_threshold_factor,
            sarprop_step_error_shift, sarprop_temperature, sarprop_epoch);
        cascade!(to_c, settings => self);
        let functions = settings.activation_functions.iter().map(|function| function.code());
        candidate_kinds(self, &functions.collect::<Vec<_>>(), &settings.activation_steepnesses);
    }

    /// The settings of training; nothing where one is a number that FANN does not know.
    pub(crate) fn training(&self, training: &mut TrainParameters<Real>) -> Option<()> {
        training.training_algorithm = Algorithm::from_code(self.training_algorithm)?;
        training.train_error_function = ErrorFunction::from_code(self.train_error_function)?;
        training.train_stop_function = StopFunction::from_code(self.train_stop_function)?;
        same!(self => training;
            learning_rate, learning_momentum, bit_fail_limit, quickprop_decay, quickprop_mu,
            rprop_increase_factor, rprop_decrease_factor, rprop_delta_min, rprop_delta_max,
            rprop_delta_zero, sarprop_weight_decay_shift, sarprop_step_error_threshold_factor,
            sarprop_step_error_shift, sarprop_temperature, sarprop_epoch);
        Some(())
    }

    /// The settings of cascade training; nothing where a function is a number that FANN does not know.
    pub(crate) fn cascade_settings(&self, settings: &mut CascadeParameters<Real>) -> Option<()> {
        let functions = self.cascade_functions().iter().map(|code| Activation::from_code(*code));
        settings.activation_functions = functions.collect::<Option<_>>()?;
        settings.activation_steepnesses = self.cascade_steepnesses().to_vec();
        let from = self;
        cascade!(from_c, from => settings);
        Some(())
    }

    /// Gives up the scores of candidates, whose number has changed.
    fn forget_scores(&mut self) {
        crate::allocate::release(&mut self.cascade_candidate_scores);
    }
}
