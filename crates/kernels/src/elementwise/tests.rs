//! Programs on every instruction set against the element-by-element reference.

use super::*;
use crate::check::{isas, scaled};
use crate::maths::reference::ulp_error;
use proptest::prelude::*;

#[test]
fn binary_operations_agree_with_the_reference_at_awkward_values() {
    let values = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -2.0,
        3.0,
        -3.0,
        2.5,
        1e-40,
        -1e-40,
        1e30,
        -1e30,
        3.4e38,
        f32::MIN_POSITIVE,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        1.000_000_1,
        16_777_215.0,
    ];
    let pairs: Vec<(f32, f32)> =
        values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b))).collect();
    let a: Vec<f32> = pairs.iter().map(|p| p.0).collect();
    let b: Vec<f32> = pairs.iter().map(|p| p.1).collect();
    for isa in isas() {
        for &op in Binary::ALL {
            // A gradient's product may be rounded twice or once, which shows where it cancels.
            if matches!(op, Binary::TanhGrad | Binary::SigmoidGrad) {
                continue;
            }
            let mut out = vec![0.0; a.len()];
            binary_on(isa, op, &a, &b, &mut out);
            for (i, (a, b)) in pairs.iter().enumerate() {
                let exact = reference::binary(op, f64::from(*a), f64::from(*b));
                let limit = if op == Binary::Pow { crate::maths::POW_MAX_ULP } else { 0.5 };
                let error = ulp_error(out[i], exact);
                assert!(error <= limit, "{isa:?} {op:?}({a}, {b}) = {} not {exact}", out[i]);
            }
        }
    }
}

#[test]
fn nan_propagates_through_relu_max_and_min() {
    let a = [f32::NAN, 1.0, f32::NAN];
    let b = [1.0, f32::NAN, f32::NAN];
    for isa in isas() {
        let mut out = [0.0; 3];
        for op in [Binary::Max, Binary::Min] {
            binary_on(isa, op, &a, &b, &mut out);
            assert!(out.iter().all(|x| x.is_nan()), "{isa:?} {op:?}");
        }
        unary_on(isa, Unary::Relu, &a, &mut out);
        assert!(out[0].is_nan() && out[1] == 1.0, "{isa:?}");
    }
}

/// y0 = relu(x0 * x1 + 0.5), y1 = in place: select(x2 < y1, tanh(x0 - x2), y1 / 2).
fn two_outputs() -> Program {
    use Source::{Constant, Input, Output, Register};
    let steps = vec![
        Step::MulAdd { a: Input(0), b: Input(1), c: Constant(0.5), dst: Target::Register(0) },
        Step::unary(Unary::Relu, Register(0), Target::Output(0)),
        Step::binary(Binary::Lt, Input(2), Output(1), Target::Register(0)),
        Step::binary(Binary::Sub, Input(0), Input(2), Target::Register(1)),
        Step::unary(Unary::Tanh, Register(1), Target::Register(1)),
        Step::binary(Binary::Mul, Constant(0.5), Output(1), Target::Output(1)),
        Step::Select { mask: Register(0), a: Register(1), b: Output(1), dst: Target::Output(1) },
    ];
    Program::new(3, &[super::Output::Fresh, super::Output::InPlace], steps).unwrap()
}

fn check(program: &Program, start: usize, inputs: &[Input], dense: &[Vec<f32>], old: &[f32]) {
    let len = old.len();
    let mut results: Vec<Vec<Vec<f32>>> = Vec::new();
    for isa in isas() {
        let mut y = [vec![f32::NAN; len], old.to_vec()];
        let [y0, y1] = &mut y;
        program.run_on(isa, start, inputs, &mut [y0, y1]);
        for i in 0..len {
            let mut expected = [f32::NAN, old[i]];
            let at: Vec<f32> = dense.iter().map(|x| x[i]).collect();
            reference::element(program.steps(), &at, &mut expected);
            for o in 0..2 {
                let difference = (y[o][i] - expected[o]).abs();
                assert!(
                    difference <= 2e-6,
                    "{isa:?} output {o} at {i}: {} {}",
                    y[o][i],
                    expected[o]
                );
            }
        }
        // The same bits for any cut.
        let cut = len / 3;
        let mut pieces = [vec![f32::NAN; len], old.to_vec()];
        let [p0, p1] = &mut pieces;
        for range in [0..cut, cut..len] {
            let part: Vec<Input> = inputs
                .iter()
                .map(|input| match input {
                    Input::Dense(data) => Input::Dense(&data[range.clone()]),
                    other => *other,
                })
                .collect();
            let outputs: &mut [&mut [f32]] = &mut [&mut p0[range.clone()], &mut p1[range.clone()]];
            program.run_on(isa, start + range.start, &part, outputs);
        }
        assert_eq!(bits(&y), bits(&pieces), "{isa:?}");
        results.push(y.to_vec());
    }
    if results.len() == 3 {
        assert_eq!(bits(&results[1]), bits(&results[2]), "AVX2 and AVX-512 differ");
    }
}

fn bits(y: &[Vec<f32>]) -> Vec<Vec<u32>> {
    y.iter().map(|y| y.iter().map(|x| x.to_bits()).collect()).collect()
}

#[test]
fn dense_programs_agree_with_the_reference_at_awkward_lengths() {
    let program = two_outputs();
    for len in [0, 1, 7, 8, 15, 16, 17, 63, 64, 65, 300, 1023, 1024, 1025, 5000] {
        let inputs: Vec<Vec<f32>> = (0..3).map(|i| scaled(len, i, 3.0)).collect();
        let dense: Vec<Input> = inputs.iter().map(|x| Input::Dense(x)).collect();
        check(&program, 0, &dense, &inputs, &scaled(len, 9, 3.0));
    }
}

#[test]
fn results_past_the_caches_equal_those_in_them() {
    // Long enough to be streamed; neither end on a vector.
    let len = (1 << 20) + 37;
    let x = scaled(len, 3, 3.0);
    let steps = vec![
        Step::binary(Binary::Mul, Source::Input(0), Source::Input(0), Target::Output(0)),
        Step::binary(Binary::Sub, Source::Output(0), Source::Constant(1.0), Target::Output(1)),
    ];
    let program = Program::new(1, &[Output::Fresh, Output::InPlace], steps).unwrap();
    for isa in isas() {
        let (mut y, mut z) = (vec![9.0; len + 3], vec![9.0; len]);
        program.run_on(isa, 0, &[Input::Dense(&x)], &mut [&mut y[3..], &mut z]);
        assert_eq!(y[..3], [9.0; 3]);
        for (i, x) in x.iter().enumerate() {
            assert_eq!((y[i + 3], z[i]), (x * x, x * x - 1.0), "{isa:?} {i}");
        }
    }
}

#[test]
fn axes_walked_as_one_are_merged() {
    let layout = Broadcast::new(&[64, 1, 12, 32], &[0, 7, 0, 1]).unwrap();
    assert_eq!(layout, Broadcast::new(&[768, 32], &[0, 1]).unwrap());
    assert!(Broadcast::new(&[3, 4, 5], &[20, 5, 1]).unwrap().is_dense());
    assert!(Broadcast::new(&[3, 4, 5], &[0, 0, 0]).unwrap().is_scalar());
    assert_eq!(Broadcast::row(5, 8).reach(), 5);
    assert_eq!(Broadcast::lane(5, 8).reach(), 8);
    let error = Broadcast::new(&[2; 5], &[1, 0, 2, 0, 4]).unwrap_err();
    assert!(error.to_string().contains("[1, 0, 2, 0, 4]"), "{error}");
}

#[test]
fn programs_that_make_no_sense_are_refused() {
    let step = |a, dst| vec![Step::unary(Unary::Neg, a, dst)];
    let fresh = [Output::Fresh];
    let refuse = |steps| Program::new(1, &fresh, steps).unwrap_err();
    let (input, output) = (Source::Input(0), Target::Output(0));
    assert_eq!(refuse(step(Source::Input(1), output)), ProgramError::NoInput { step: 0, input: 1 });
    assert_eq!(
        refuse(step(input, Target::Output(1))),
        ProgramError::NoOutput { step: 0, output: 1 }
    );
    assert_eq!(
        refuse(step(Source::Register(2), output)),
        ProgramError::ReadBeforeWrite { step: 0, place: Target::Register(2) }
    );
    assert_eq!(
        refuse(step(Source::Output(0), output)),
        ProgramError::ReadBeforeWrite { step: 0, place: output }
    );
    assert_eq!(refuse(step(input, Target::Register(0))), ProgramError::NeverWritten { output: 0 });
    assert!(matches!(
        refuse(step(input, Target::Register(40))),
        ProgramError::TooMany { what: "registers", count: 41, limit: 16 }
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn broadcast_inputs_equal_their_expansion(
        dims in proptest::collection::vec(1usize..20, 1..5),
        kept in proptest::collection::vec(any::<bool>(), 8),
        scale in 1usize..3,
        seed in any::<u64>(),
        cut in 0.0f64..1.0,
    ) {
        let len: usize = dims.iter().product();
        let start = (cut * len as f64) as usize;
        let broadcast = |offset: usize, unit: usize| {
            let mut strides = vec![0; dims.len()];
            let mut next = unit;
            for d in (0..dims.len()).rev() {
                if kept[offset + d] {
                    strides[d] = next;
                    next *= dims[d];
                }
            }
            let layout = Broadcast::new(&dims, &strides).unwrap();
            let data = scaled(layout.reach(), seed ^ offset as u64, 3.0);
            let full: Vec<f32> = (0..len)
                .map(|i| {
                    let (mut rest, mut at) = (i, 0);
                    for d in (0..dims.len()).rev() {
                        at += rest % dims[d] * strides[d];
                        rest /= dims[d];
                    }
                    data[at]
                })
                .collect();
            (layout, data, full[start..].to_vec())
        };
        let (layout1, data1, full1) = broadcast(0, 1);
        let (layout2, data2, full2) = broadcast(4, scale);
        let dense = scaled(len - start, seed, 3.0);
        let inputs =
            [Input::Dense(&dense), Input::Broadcast(&data1, &layout1), Input::Broadcast(&data2, &layout2)];
        check(&two_outputs(), start, &inputs, &[dense.clone(), full1, full2], &scaled(len - start, 77, 3.0));
    }
}
