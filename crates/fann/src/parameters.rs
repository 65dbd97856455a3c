//! How a network is trained: FANN's settings with FANN's defaults.
//!
//! Fields are named as in `struct fann`; each stands for one `fann_get_` and one `fann_set_` function.

use crate::activation::Activation;
use crate::real::Real;

macro_rules! codes {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $code:literal, $fann:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$doc])* $variant = $code,)* }

        impl $name {
            /// All of them, in FANN's order.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The one with a number of FANN's enumeration.
            pub fn from_code(code: u32) -> Option<$name> {
                $name::ALL.get(code as usize).copied()
            }

            /// The number in FANN's enumeration.
            pub fn code(self) -> u32 {
                self as u32
            }

            /// The name FANN prints.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $fann,)* }
            }
        }
    };
}

codes! {
    /// A training algorithm, `enum fann_train_enum`.
    Algorithm {
        /// Weights follow every sample.
        Incremental = 0, "FANN_TRAIN_INCREMENTAL";
        /// Weights follow the mean of all samples.
        Batch = 1, "FANN_TRAIN_BATCH";
        /// Steps grow and shrink with the signs of the slopes (iRPROP-).
        Rprop = 2, "FANN_TRAIN_RPROP";
        /// Steps lead to where parabolas have their ends.
        Quickprop = 3, "FANN_TRAIN_QUICKPROP";
        /// RPROP with noise and weight decay that cool down.
        Sarprop = 4, "FANN_TRAIN_SARPROP";
    }
}

codes! {
    /// What errors are worth while training, `enum fann_errorfunc_enum`.
    ErrorFunction {
        /// As they are.
        Linear = 0, "FANN_ERRORFUNC_LINEAR";
        /// More the larger they are.
        Tanh = 1, "FANN_ERRORFUNC_TANH";
    }
}

codes! {
    /// What ends a training, `enum fann_stopfunc_enum`.
    StopFunction {
        /// The mean square error.
        Mse = 0, "FANN_STOPFUNC_MSE";
        /// The number of outputs that are off by more than the limit.
        Bit = 1, "FANN_STOPFUNC_BIT";
    }
}

codes! {
    /// How layers are connected, `enum fann_nettype_enum`.
    NetworkType {
        /// Each layer to the next.
        Layer = 0, "FANN_NETTYPE_LAYER";
        /// Each layer to all that follow.
        Shortcut = 1, "FANN_NETTYPE_SHORTCUT";
    }
}

/// Settings of training.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainParameters<T> {
    /// The algorithm of [`train_on_data`](crate::Network::train_on_data).
    pub training_algorithm: Algorithm,
    /// How far weights follow slopes.
    pub learning_rate: f32,
    /// Which part of its last change a weight changes again by; incremental training only.
    pub learning_momentum: f32,
    /// What errors are worth.
    pub train_error_function: ErrorFunction,
    /// What ends a training.
    pub train_stop_function: StopFunction,
    /// The error from which an output counts as a failed bit; symmetric functions count half.
    pub bit_fail_limit: T,
    /// Quickprop: how weights shrink by themselves.
    pub quickprop_decay: f32,
    /// Quickprop: how much larger than the last a step may be.
    pub quickprop_mu: f32,
    /// RPROP: by what steps grow.
    pub rprop_increase_factor: f32,
    /// RPROP: by what steps shrink.
    pub rprop_decrease_factor: f32,
    /// RPROP: the smallest step.
    pub rprop_delta_min: f32,
    /// RPROP: the largest step.
    pub rprop_delta_max: f32,
    /// RPROP: the first step.
    pub rprop_delta_zero: f32,
    /// SARPROP: how much weights decay.
    pub sarprop_weight_decay_shift: f32,
    /// SARPROP: which steps are small beside the error.
    pub sarprop_step_error_threshold_factor: f32,
    /// SARPROP: how large the noise is.
    pub sarprop_step_error_shift: f32,
    /// SARPROP: how fast noise and decay cool down.
    pub sarprop_temperature: f32,
    /// SARPROP: epochs so far.
    pub sarprop_epoch: u32,
}

impl<T> TrainParameters<T> {
    /// FANN's settings with this limit of failed bits.
    pub(crate) fn with_limit(bit_fail_limit: T) -> TrainParameters<T> {
        TrainParameters {
            training_algorithm: Algorithm::Rprop,
            learning_rate: 0.7,
            learning_momentum: 0.0,
            train_error_function: ErrorFunction::Tanh,
            train_stop_function: StopFunction::Mse,
            bit_fail_limit,
            quickprop_decay: -0.0001,
            quickprop_mu: 1.75,
            rprop_increase_factor: 1.2,
            rprop_decrease_factor: 0.5,
            rprop_delta_min: 0.0,
            rprop_delta_max: 50.0,
            rprop_delta_zero: 0.1,
            sarprop_weight_decay_shift: -6.644,
            sarprop_step_error_threshold_factor: 0.1,
            sarprop_step_error_shift: 1.385,
            sarprop_temperature: 0.015,
            sarprop_epoch: 0,
        }
    }
}

impl<T: Real> Default for TrainParameters<T> {
    fn default() -> Self {
        TrainParameters::with_limit(T::of(0.35))
    }
}

/// Settings of cascade training.
#[derive(Clone, Debug, PartialEq)]
pub struct CascadeParameters<T> {
    /// The part by which the error must change to count as a change.
    pub output_change_fraction: f32,
    /// Epochs without change after which the outputs are trained.
    pub output_stagnation_epochs: u32,
    /// The part by which the best score must change to count as a change.
    pub candidate_change_fraction: f32,
    /// Epochs without change after which the candidates are trained.
    pub candidate_stagnation_epochs: u32,
    /// By what the output weights of a candidate are multiplied when it is installed.
    pub weight_multiplier: T,
    /// The score, in parts of the error, at which candidates are trained.
    pub candidate_limit: T,
    /// The most epochs of the outputs.
    pub max_out_epochs: u32,
    /// The fewest epochs of the outputs.
    pub min_out_epochs: u32,
    /// The most epochs of the candidates.
    pub max_cand_epochs: u32,
    /// The fewest epochs of the candidates.
    pub min_cand_epochs: u32,
    /// The functions candidates have.
    pub activation_functions: Vec<Activation>,
    /// The steepnesses candidates have.
    pub activation_steepnesses: Vec<T>,
    /// How many candidates there are of each function and steepness.
    pub num_candidate_groups: u32,
}

impl<T: Real> Default for CascadeParameters<T> {
    fn default() -> Self {
        let steepnesses = [0.25, 0.5, 0.75, 1.0].map(T::of);
        CascadeParameters::with(T::of(0.4), T::of(1000.0), steepnesses.to_vec())
    }
}

impl<T> CascadeParameters<T> {
    /// FANN's settings with these numbers of the network's type.
    pub(crate) fn with(
        weight_multiplier: T,
        candidate_limit: T,
        activation_steepnesses: Vec<T>,
    ) -> CascadeParameters<T> {
        use Activation::*;
        CascadeParameters {
            output_change_fraction: 0.01,
            output_stagnation_epochs: 12,
            candidate_change_fraction: 0.01,
            candidate_stagnation_epochs: 12,
            weight_multiplier,
            candidate_limit,
            max_out_epochs: 150,
            min_out_epochs: 50,
            max_cand_epochs: 150,
            min_cand_epochs: 50,
            activation_functions: vec![
                Sigmoid,
                SigmoidSymmetric,
                Gaussian,
                GaussianSymmetric,
                Elliot,
                ElliotSymmetric,
                SinSymmetric,
                CosSymmetric,
                Sin,
                Cos,
            ],
            activation_steepnesses,
            num_candidate_groups: 2,
        }
    }

    /// How many candidates compete: functions times steepnesses times groups.
    pub fn num_candidates(&self) -> usize {
        let kinds =
            self.activation_functions.len().saturating_mul(self.activation_steepnesses.len());
        kinds.saturating_mul(self.num_candidate_groups as usize)
    }
}
