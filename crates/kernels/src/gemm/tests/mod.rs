//! The kernels against plain chains, bit by bit, on every instruction set of the machine.

mod batched;
mod dense;
mod general;
mod input_grad;
mod weight_grad;

use super::*;
use crate::check::{assert_same_bits, isas, values};
use crate::simd::Isa;
use proptest::prelude::*;

fn packed(outputs: usize, inputs: usize, w: &[f32]) -> Vec<f32> {
    let mut packed = vec![f32::NAN; packed_len(outputs, inputs)];
    pack(outputs, inputs, w, &mut packed);
    packed
}

/// Sizes around the edges of tiles and blocks.
fn awkward() -> impl Strategy<Value = usize> {
    prop_oneof![
        4 => prop::sample::select(vec![0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 49, 63, 64, 65]),
        2 => 0usize..80,
        1 => prop::sample::select(vec![127, 128, 129, 255, 257, 300]),
    ]
}

fn starts() -> impl Strategy<Value = Start> {
    prop::sample::select(vec![Start::Zero, Start::Dst])
}

proptest! {
    #[test]
    fn unpacking_gives_back_what_was_packed(outputs in awkward(), inputs in awkward()) {
        let w = values(outputs * inputs, 3);
        let p = packed(outputs, inputs, &w);
        let mut back = vec![f32::NAN; w.len()];
        unpack(outputs, inputs, &p, &mut back);
        prop_assert_eq!(&back, &w);
        let kept = p.iter().filter(|v| **v != 0.0).count();
        prop_assert_eq!(kept, w.iter().filter(|v| **v != 0.0).count());
    }
}
