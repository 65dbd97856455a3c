//! Matrix products: packed weights from the left and gradients of packed weights; the rest is in
//! `product`.

use super::gradient::Cut;
use super::instruction;
use super::instruction::Instruction;
use super::layout::Layouts;
use super::lowering::{Lowering, part};
use super::product;
use crate::EngineError;
use whimbrel_graph::ops::Dot;
use whimbrel_graph::{Node, Op, ValueId};
use whimbrel_kernels::gemm::{
    DenseDims, InputGradDims, PANEL, Start, dense_forward, input_grad, weight_grad,
};
use whimbrel_tensor::arena::{Access, Span, Views};

/// Lowers a product by the form of its operands.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Op::Dot(dot) = *at.op() else { return Err(at.unsupported("not a product")) };
    let (lhs, rhs, out) = (at.input(0), at.input(1), at.output(0));
    if at.layouts.in_panels(lhs) && !dot.rhs_transposed {
        return Ok(weight_from_the_left(at, dot, [lhs, rhs, out]));
    }
    if at.layouts.in_panels(out) {
        let cut = Cut::new(at, lhs, rhs)?;
        return Ok(gradient_of_weight(at, cut, [lhs, rhs, out]));
    }
    let made = product::lower(at, dot, [lhs, rhs], &|block| at.block(out, block), at.scratch());
    Ok(vec![made.ok_or_else(|| at.unsupported("operands do not fit"))?])
}

/// Whether a product reads or makes panels; the others need scratch memory.
pub fn uses_panels(layouts: &Layouts, dot: Dot, node: &Node) -> bool {
    (layouts.in_panels(node.inputs[0]) && !dot.rhs_transposed) || layouts.in_panels(node.outputs[0])
}

/// `W x` or `Wᵀ x` for every matrix of the right operand, `W` in panels.
fn weight_from_the_left(at: &Lowering, dot: Dot, [w, x, y]: [ValueId; 3]) -> Vec<Instruction> {
    let weight = at.shape(w);
    let (outputs, inputs) = (weight[0], weight[1]);
    let shape = at.block_shape(x);
    let lanes = shape[shape.rank() - 1];
    let matrices: usize = shape[..shape.rank() - 2].iter().product();
    let (rows, depth) = if dot.lhs_transposed { (inputs, outputs) } else { (outputs, inputs) };
    let blocks = at.blocks();
    // Blocks are cut first, then matrices, then rows; a piece of rows reads all of x. Few large blocks
    // are cut by rows too.
    let unit = if dot.lhs_transposed { 8 } else { PANEL };
    let units = rows.div_ceil(unit);
    let row_parts = match matrices {
        1 => (at.fine_pieces(blocks * units) / blocks).max(1),
        _ => 1,
    };
    let pieces = match (blocks, matrices) {
        (1, 2..) => at.fine_pieces(matrices),
        _ => blocks * row_parts,
    };
    let row_range = move |piece: usize| match matrices {
        1 => part(rows, unit, row_parts, piece % row_parts),
        _ => 0..rows,
    };
    let access = |piece: usize| {
        let block = if blocks > 1 { piece / row_parts } else { 0 };
        let (w, x, y) = (at.block(w, 0), at.block(x, block), at.block(y, block));
        if matrices == 1 {
            let range = row_range(piece);
            let dst = Span::new(y.offset + range.start * lanes, range.len() * lanes);
            let weights = match dot.lhs_transposed {
                true => w,
                false => {
                    let first = range.start / PANEL * inputs * PANEL;
                    let words = range.len().div_ceil(PANEL) * inputs * PANEL;
                    Span::new(w.offset + first, words)
                }
            };
            return Access::new([weights, x], [dst]);
        }
        let range = if blocks > 1 { 0..matrices } else { part(matrices, 1, pieces, piece) };
        let cut = |span: Span, step: usize| {
            Span::new(span.offset + range.start * step, range.len() * step)
        };
        Access::new([w, cut(x, depth * lanes)], [cut(y, rows * lanes)])
    };
    let kernel = Box::new(move |piece: usize, views: Views<'_>| {
        let ([w, x], [y]) = views.get();
        let range = row_range(piece);
        let step = (range.len() * lanes).max(1);
        for (x, y) in x.chunks_exact((depth * lanes).max(1)).zip(y.chunks_exact_mut(step)) {
            if dot.lhs_transposed {
                let (first, rows) = (range.start, range.len());
                let dims = InputGradDims { outputs, inputs, first, rows, lanes };
                input_grad(dims, w, x, y, Start::Zero);
            } else {
                let dims = DenseDims { rows: range.len(), inputs, lanes };
                dense_forward(dims, w, x, y, Start::Zero);
            }
        }
    });
    instruction(at, (0..pieces).map(access).collect(), kernel)
}

fn gradient_of_weight(at: &Lowering, cut: Cut, [dy, x, dw]: [ValueId; 3]) -> Vec<Instruction> {
    let access = |piece: usize| {
        let part = cut.part(piece);
        let dw = Span::new(at.block(dw, 0).offset + part.words.start, part.words.len());
        Access::new([part.dy(at.span(dy)), part.x(at.span(x))], [dw])
    };
    let kernel = Box::new(move |piece: usize, views: Views<'_>| {
        let ([dy, x], [dw]) = views.get();
        weight_grad(cut.part(piece).dims, dy, x, dw, Start::Zero);
    });
    instruction(at, (0..cut.pieces()).map(access).collect(), kernel)
}
