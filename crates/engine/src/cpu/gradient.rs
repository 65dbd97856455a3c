//! Cutting a weight's gradient, which is a sum over the whole batch, into parts of the weight.
//!
//! A part is some panels with all inputs; or, where there are fewer panels than pieces are wanted,
//! some inputs of one panel. Either lies in one run of the packed form.

use super::lowering::{Lowering, part};
use crate::EngineError;
use std::ops::Range;
use whimbrel_graph::ValueId;
use whimbrel_kernels::gemm::{PANEL, WeightGradDims};
use whimbrel_tensor::arena::Span;

/// Panels that are worth a piece beyond one for each thread: every piece reads all of x.
pub const PANELS_OF_PIECE: usize = 8;

/// Inputs of a panel that are worth a piece: every piece turns all of dy.
const INPUTS_OF_PIECE: usize = 32;

/// How a gradient is cut.
#[derive(Clone, Copy)]
pub struct Cut {
    dims: WeightGradDims,
    /// Parts of the panels.
    panels: usize,
    /// Parts of the inputs, of each part of the panels.
    inputs: usize,
}

/// One part of a gradient.
pub struct Part {
    /// Its sizes.
    pub dims: WeightGradDims,
    /// Its words of the packed form.
    pub words: Range<usize>,
    /// Words of dy and of x before its first.
    skip: [usize; 2],
}

impl Cut {
    /// The cut of the gradient that `dy` and `x` make.
    pub fn new(at: &Lowering, dy: ValueId, x: ValueId) -> Result<Cut, EngineError> {
        let dims = sizes(at, dy, x)?;
        let panels = dims.rows.div_ceil(PANEL).max(1);
        let runs = dims.inputs.div_ceil(INPUTS_OF_PIECE).max(1);
        let wanted = at.pieces(panels * runs);
        Ok(match wanted > panels {
            true => Cut { dims, panels, inputs: wanted.div_ceil(panels) },
            false => {
                let panels = wanted.max(at.fine_pieces(panels / PANELS_OF_PIECE));
                Cut { dims, panels, inputs: 1 }
            }
        })
    }

    /// The number of parts.
    pub fn pieces(&self) -> usize {
        self.panels * self.inputs
    }

    /// Part number `piece`.
    pub fn part(&self, piece: usize) -> Part {
        let WeightGradDims { rows, inputs, lanes, .. } = self.dims;
        let rows = part(rows, PANEL, self.panels, piece / self.inputs);
        let some = part(inputs, 1, self.inputs, piece % self.inputs);
        let at = |row: usize, input: usize| (row.div_ceil(PANEL) * inputs + input) * PANEL;
        let words = match self.inputs {
            1 => at(rows.start, 0)..at(rows.end, 0),
            _ => at(rows.start, some.start)..at(rows.start, some.end),
        };
        let skip = [rows.start * lanes, some.start * lanes];
        let dims = WeightGradDims { rows: rows.len(), inputs: some.len(), ..self.dims };
        Part { dims, words, skip }
    }
}

impl Part {
    /// The words of dy it reads.
    pub fn dy(&self, all: Span) -> Span {
        rest(all, self.skip[0])
    }

    /// The words of x it reads.
    pub fn x(&self, all: Span) -> Span {
        rest(all, self.skip[1])
    }
}

fn rest(span: Span, skip: usize) -> Span {
    Span::new(span.offset + skip, span.len.saturating_sub(skip))
}

/// Sizes of a weight's gradient: blocks and matrices are one reduction when both operands step
/// through them evenly.
fn sizes(at: &Lowering, dy: ValueId, x: ValueId) -> Result<WeightGradDims, EngineError> {
    let (dy_shape, x_shape) = (at.block_shape(dy), at.block_shape(x));
    let rank = dy_shape.rank();
    let (rows, lanes) = (dy_shape[rank - 2], dy_shape[rank - 1]);
    let inputs = x_shape[rank - 2];
    let matrices: usize = dy_shape[..rank - 2].iter().product();
    let blocks = at.plan.lanes.blocks_of(dy);
    let even = |value: ValueId, rows: usize| at.stride(value) == matrices * rows * lanes;
    let (dy_block, x_block) = (rows * lanes, inputs * lanes);
    if blocks == 1 || (even(dy, rows) && even(x, inputs)) {
        return Ok(WeightGradDims {
            rows,
            inputs,
            lanes,
            blocks: blocks * matrices,
            dy_block,
            x_block,
        });
    }
    if matrices == 1 {
        let (dy_block, x_block) = (at.stride(dy), at.stride(x));
        return Ok(WeightGradDims { rows, inputs, lanes, blocks, dy_block, x_block });
    }
    Err(at.unsupported("matrices and blocks of uneven steps"))
}
