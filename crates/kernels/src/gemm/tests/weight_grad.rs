//! The weight gradient, stored and handed out in runs.

use super::*;

/// Packed form with the padding made zero, as the kernels give it.
fn check(d: WeightGradDims, start: Start) {
    let span = |block: usize, rows: usize| match d.blocks {
        0 => 0,
        n => (n - 1) * block + rows * d.lanes,
    };
    let dy = values(span(d.dy_block, d.rows), 1);
    let x = values(span(d.x_block, d.inputs), 2);
    let before = values(d.rows * d.inputs, 3);
    for isa in isas() {
        let mut want = before.clone();
        reference::weight_grad(isa, d, &dy, &x, &mut want, start);
        let want = packed(d.rows, d.inputs, &want);
        let mut got = packed(d.rows, d.inputs, &before);
        weight_grad_on(isa, d, &dy, &x, &mut got, start);
        assert_same_bits(isa, "dw", &got, &want);
        if start == Start::Zero {
            let mut got = vec![f32::NAN; got.len()];
            weight_grad_tiles_on(isa, d, &dy, &x, |at, run| {
                assert!(got[at..at + run.len()].iter().all(|v| v.is_nan()), "handed out twice");
                got[at..at + run.len()].copy_from_slice(run);
            });
            assert_same_bits(isa, "dw", &got, &want);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn equals_the_plain_chain(
        rows in awkward(), inputs in awkward(), lanes in 0usize..70, blocks in 0usize..5,
        gaps in (0usize..3, 0usize..3), start in starts(),
    ) {
        let (dy_block, x_block) = (rows * lanes + gaps.0, inputs * lanes + gaps.1);
        check(WeightGradDims { rows, inputs, lanes, blocks, dy_block, x_block }, start);
    }
}

#[test]
fn long_reductions_and_many_inputs_equal_the_plain_chain() {
    let dims = |rows, inputs, lanes, blocks| {
        let (dy_block, x_block) = (rows * lanes, inputs * lanes);
        WeightGradDims { rows, inputs, lanes, blocks, dy_block, x_block }
    };
    check(dims(33, 300, 32, 9), Start::Zero);
    check(dims(20, 530, 64, 3), Start::Dst);
    check(dims(17, 5, 300, 2), Start::Zero);
    check(dims(1, 1, 1, 1000), Start::Zero);
    check(dims(130, 150, 48, 4), Start::Zero);
    check(dims(200, 145, 300, 2), Start::Zero);
    check(dims(65, 146, 1024, 1), Start::Zero);
    check(dims(40, 150, 64, 17), Start::Zero);
}
