//! The product of the state with the recurrent weight, cut so that the gates it yields are still
//! in the second cache when the cell consumes them. Smaller cuts would cost the product more in
//! short rows of tiles than the cell gains from the first cache.

use super::Dims;
use crate::gemm::{DenseDims, PANEL, Start, dense_forward_on};
use crate::simd::Isa;
use std::ops::Range;

/// Elements of all gates computed before the cell consumes them.
const BLOCK: usize = 65536;
/// Units of each gate below which the product is not cut.
const FEWEST: usize = 128;

/// Units of the state that are computed together: all of them, or whole panels of each gate.
fn units_per_block(dims: Dims, gates: usize) -> usize {
    let all = dims.hidden.max(1);
    let aligned = dims.hidden.is_multiple_of(PANEL);
    if aligned && dims.lanes >= PANEL {
        (BLOCK / (gates * dims.lanes)).max(FEWEST).next_multiple_of(PANEL).min(all)
    } else {
        all
    }
}

/// `out = W_hh h` for the packed weight `[gates * hidden, hidden]`, or `out += W_hh h`; calls
/// `consume(out, elements)` when those elements of every gate are final.
pub(super) fn project(
    isa: Isa,
    (dims, gates): (Dims, usize),
    w_hh: &[f32],
    h: &[f32],
    out: &mut [f32],
    start: Start,
    mut consume: impl FnMut(&mut [f32], Range<usize>),
) {
    let Dims { hidden, lanes, .. } = dims;
    let most = units_per_block(dims, gates);
    for first in (0..hidden).step_by(most) {
        let units = first..hidden.min(first + most);
        if units.len() == hidden {
            let product = DenseDims { rows: gates * hidden, inputs: hidden, lanes };
            dense_forward_on(isa, product, w_hh, h, out, start);
        } else {
            let product = DenseDims { rows: units.len(), inputs: hidden, lanes };
            for gate in 0..gates {
                let rows = gate * hidden + units.start..gate * hidden + units.end;
                let w = &w_hh[rows.start * hidden..rows.end * hidden];
                let y = &mut out[rows.start * lanes..rows.end * lanes];
                dense_forward_on(isa, product, w, h, y, start);
            }
        }
        consume(out, units.start * lanes..units.end * lanes);
    }
}

/// `dh += W_hh^T d` for the packed transpose `[hidden, gates * hidden]` of the weight.
pub(super) fn project_back(
    isa: Isa,
    (dims, gates): (Dims, usize),
    w_back: &[f32],
    d: &[f32],
    dh: &mut [f32],
) {
    let Dims { hidden, lanes, .. } = dims;
    let product = DenseDims { rows: hidden, inputs: gates * hidden, lanes };
    dense_forward_on(isa, product, w_back, d, dh, Start::Dst);
}
