//! The input gradient.

use super::*;

fn check(d: InputGradDims, start: Start) {
    let w = values(d.outputs * d.inputs, 1);
    let p = packed(d.outputs, d.inputs, &w);
    let dy = values(d.outputs * d.lanes, 2);
    let before = values(d.rows * d.lanes, 3);
    for isa in isas() {
        let (mut got, mut want) = (before.clone(), before.clone());
        input_grad_on(isa, d, &p, &dy, &mut got, start);
        reference::input_grad(isa, d, &w, &dy, &mut want, start);
        assert_same_bits(isa, "dx", &got, &want);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn equals_the_plain_chain(
        outputs in awkward(), inputs in awkward(), lanes in awkward(), start in starts(),
    ) {
        check(InputGradDims { outputs, inputs, first: 0, rows: inputs, lanes }, start);
    }

    #[test]
    fn some_rows_equal_the_plain_chain(
        outputs in awkward(), first in awkward(), rows in awkward(), past in 0usize..3,
        lanes in 1usize..70, start in starts(),
    ) {
        check(InputGradDims { outputs, inputs: first + rows + past, first, rows, lanes }, start);
    }
}

#[test]
fn long_reductions_and_many_lanes_equal_the_plain_chain() {
    check(InputGradDims { outputs: 1100, inputs: 37, first: 0, rows: 37, lanes: 33 }, Start::Zero);
    check(InputGradDims { outputs: 515, inputs: 17, first: 1, rows: 16, lanes: 200 }, Start::Dst);
}
