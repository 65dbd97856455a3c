//! The promised accuracy on a sample of f32, on every instruction set.

use super::reference::{erf, erfc, ulp_error};
use super::*;
use crate::check::isas;
use crate::elementwise::{Unary, reference, unary_on};
use crate::simd::Isa;

/// How the error of a function is measured, and the most it may be.
#[derive(Clone, Copy)]
pub(super) enum Promise {
    Ulp(f64),
    Absolute(f64),
    /// Relative to the larger of the result and this floor.
    AboveFloor {
        floor: f64,
        limit: f64,
    },
}

pub(super) const PROMISES: &[(Unary, Promise)] = &[
    (Unary::Exp, Promise::Ulp(EXP_MAX_ULP)),
    (Unary::Expm1, Promise::Ulp(EXPM1_MAX_ULP)),
    (Unary::Log, Promise::Ulp(LOG_MAX_ULP)),
    (Unary::Log1p, Promise::Ulp(LOG1P_MAX_ULP)),
    (Unary::Tanh, Promise::Ulp(TANH_MAX_ULP)),
    (Unary::Sigmoid, Promise::Ulp(SIGMOID_MAX_ULP)),
    (Unary::Silu, Promise::Ulp(SILU_MAX_ULP)),
    (Unary::Softplus, Promise::Ulp(SOFTPLUS_MAX_ULP)),
    (Unary::Erf, Promise::Ulp(ERF_MAX_ULP)),
    (Unary::Gelu, Promise::Ulp(GELU_MAX_ULP)),
    (Unary::GeluSlope, Promise::Absolute(GELU_SLOPE_MAX_ERROR)),
    (Unary::GeluTanh, Promise::AboveFloor { floor: 0.17, limit: GELU_TANH_MAX_ERROR }),
    (Unary::GeluTanhSlope, Promise::Absolute(GELU_SLOPE_MAX_ERROR)),
    (Unary::Sin, Promise::Ulp(SIN_COS_MAX_ULP)),
    (Unary::Cos, Promise::Ulp(SIN_COS_MAX_ULP)),
    (Unary::Rsqrt, Promise::Ulp(1.5)),
    (Unary::Recip, Promise::Ulp(0.5)),
    (Unary::Sqrt, Promise::Ulp(0.5)),
    (Unary::Floor, Promise::Ulp(0.0)),
    (Unary::Round, Promise::Ulp(0.0)),
    (Unary::Sign, Promise::Ulp(0.0)),
    (Unary::Relu, Promise::Ulp(0.0)),
];

impl Promise {
    pub fn limit(self) -> f64 {
        match self {
            Promise::Ulp(limit) | Promise::Absolute(limit) => limit,
            Promise::AboveFloor { limit, .. } => limit,
        }
    }

    pub fn error(self, got: f32, exact: f64) -> f64 {
        let nan_or_infinite = !f64::from(got).is_finite() || !exact.is_finite();
        match self {
            Promise::Ulp(_) => ulp_error(got, exact),
            _ if nan_or_infinite => ulp_error(got, exact),
            Promise::Absolute(_) => (f64::from(got) - exact).abs(),
            Promise::AboveFloor { floor, .. } => {
                (f64::from(got) - exact).abs() / exact.abs().max(floor)
            }
        }
    }
}

/// The largest error over `inputs` and where it is.
pub(super) fn worst(
    op: Unary,
    promise: Promise,
    isa: Isa,
    inputs: &[f32],
    exact: &[f64],
) -> (f64, f32) {
    let mut out = vec![0.0; inputs.len()];
    unary_on(isa, op, inputs, &mut out);
    let errors = inputs.iter().zip(&out).zip(exact);
    errors.fold((0.0, 0.0), |worst, ((x, got), exact)| {
        let error = promise.error(*got, *exact);
        if error > worst.0 { (error, *x) } else { worst }
    })
}

#[test]
fn functions_keep_their_promises_on_a_sample() {
    // Every exponent and both signs, mantissas spread by a stride without common factors, and a
    // dense net where the functions bend.
    let mut inputs: Vec<f32> = (0..=u32::MAX).step_by(40_009).map(f32::from_bits).collect();
    inputs.extend((-60_000..60_000).map(|i| i as f32 * 2.5e-3));
    inputs.extend([0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MIN_POSITIVE]);
    inputs.extend([f32::MAX, f32::MIN, 1e-45, -1e-45, 1.0, -1.0, 88.72283, 88.72284, -103.97208]);
    for &(op, promise) in PROMISES {
        let exact: Vec<f64> = inputs.iter().map(|x| reference::unary(op, f64::from(*x))).collect();
        for isa in isas() {
            let (error, at) = worst(op, promise, isa, &inputs, &exact);

            assert!(error <= promise.limit(), "{op:?} {}: {error} at {at:e}", isa.name());
        }
    }
}

#[test]
fn the_reference_error_function_knows_its_published_values() {
    assert!((erf(0.5) - 0.520_499_877_813_046_5).abs() < 1e-15);
    assert!((erf(1.5) - 0.966_105_146_475_310_8).abs() < 1e-15);
    assert!((erfc(3.0) / 2.209_049_699_858_544e-5 - 1.0).abs() < 1e-13);
    assert!((erfc(9.0) / 4.137_031_746_513_81e-37 - 1.0).abs() < 1e-13);
    assert!((erfc(2.0) - (1.0 - erf(2.0 - 1e-15))).abs() < 1e-14);
}
