//! The weight gradient, stored and followed.

use super::super::followed;
use super::super::weight_grad::{Grad, followed_on};
use super::*;
use crate::optim::Follow;
use crate::simd::Simd;

/// Parameters that become their gradient, once.
struct Kept(Vec<f32>);

impl Follow for Kept {
    type Factors = ();

    fn factors(&self) {}

    fn parameters(&self) -> &[f32] {
        &self.0
    }

    #[inline(always)]
    unsafe fn update<S: Simd>(&mut self, s: S, (): &(), at: usize, n: usize, grad: S::F) {
        let to = &mut self.0[at..at + n];
        assert!(to.iter().all(|v| v.is_nan()), "followed twice");
        // SAFETY: n elements.
        unsafe { s.store_first(to.as_mut_ptr(), n, grad) };
    }
}

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
            let mut kept = Kept(vec![f32::NAN; got.len()]);
            followed_on(isa, d, &dy, &x, &mut kept);
            assert_same_bits(isa, "dw", &kept.0, &want);
            // Every instruction set can go by tiles.
            if (1..=64).contains(&(d.lanes * d.blocks)) && d.inputs >= followed::MR {
                kept.0.fill(f32::NAN);
                Grad::new(isa, d, &dy, &x, &kept).by_tiles(&mut kept);
                assert_same_bits(isa, "dw", &kept.0, &want);
            }
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
fn few_steps_with_gaps_between_blocks_equal_the_plain_chain() {
    for (lanes, blocks) in
        [(1, 1), (23, 1), (8, 3), (5, 5), (47, 1), (16, 3), (9, 5), (64, 1), (13, 5)]
    {
        let (rows, inputs) = (70, 13);
        let (dy_block, x_block) = (rows * lanes + 3, inputs * lanes + 5);
        check(WeightGradDims { rows, inputs, lanes, blocks, dy_block, x_block }, Start::Zero);
    }
}

#[test]
fn sizes_beyond_what_there_is_are_refused() {
    let dims =
        WeightGradDims { rows: 64, inputs: 32, lanes: 2, blocks: 1, dy_block: 128, x_block: 64 };
    let wrapping = [
        (dims, 2047),
        (WeightGradDims { rows: (1 << 63) + 64, ..dims }, 2048),
        (WeightGradDims { blocks: 4, x_block: usize::MAX / 3 + 1, ..dims }, 2048),
        (WeightGradDims { lanes: 1 << 63, blocks: 0, ..dims }, 2048),
        (WeightGradDims { rows: 1 << 60, lanes: 0, ..dims }, 0),
    ];
    for (dims, parameters) in wrapping {
        let mut kept = Kept(vec![f32::NAN; parameters]);
        let followed = || followed_on(Isa::current(), dims, &[0.0; 128], &[0.0; 64], &mut kept);
        let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(followed));
        assert!(refused.is_err(), "{dims:?}");
    }
}

#[test]
fn long_reductions_and_many_inputs_equal_the_plain_chain() {
    let dims = |rows, inputs, lanes, blocks| {
        let (dy_block, x_block) = (rows * lanes, inputs * lanes);
        WeightGradDims { rows, inputs, lanes, blocks, dy_block, x_block }
    };
    check(dims(64, 6, 16, 4), Start::Zero);
    check(dims(130, 47, 9, 7), Start::Zero);
    check(dims(250, 61, 64, 1), Start::Zero);
    check(dims(33, 300, 32, 9), Start::Zero);
    check(dims(20, 530, 64, 3), Start::Dst);
    check(dims(17, 5, 300, 2), Start::Zero);
    check(dims(1, 1, 1, 1000), Start::Zero);
    check(dims(130, 150, 48, 4), Start::Zero);
    check(dims(200, 145, 300, 2), Start::Zero);
    check(dims(65, 146, 1024, 1), Start::Zero);
    check(dims(40, 150, 64, 17), Start::Zero);
}
