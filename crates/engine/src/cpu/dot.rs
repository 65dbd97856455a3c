//! Matrix products: packed weights from the left and gradients of packed weights; the rest is in
//! `product`.

use super::elementwise::{self, Steps};
use super::gradient::Cut;
use super::instruction;
use super::instruction::Instruction;
use super::layout::Layouts;
use super::lowering::{Lowering, part};
use super::product;
use crate::EngineError;
use std::ops::Range;
use whimbrel_graph::ops::{Dense, Dot};
use whimbrel_graph::{Node, Op, Operation, ValueId};
use whimbrel_kernels::gemm::{
    DenseDims, InputGradDims, PANEL, Start, dense_forward, dense_forward_rows, input_grad,
    weight_grad,
};
use whimbrel_tensor::arena::{Access, Span, Views};

/// Lowers a product by the form of its operands.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Op::Dot(dot) = *at.op() else { return Err(at.unsupported("not a product")) };
    let (lhs, rhs, out) = (at.input(0), at.input(1), at.output(0));
    if at.layouts.in_panels(lhs) && !dot.rhs_transposed {
        return Ok(weight_from_the_left(at, dot, None));
    }
    if at.layouts.in_panels(out) {
        let cut = Cut::new(at, lhs, rhs)?;
        return Ok(gradient_of_weight(at, cut, [lhs, rhs, out]));
    }
    let made = product::lower(at, dot, [lhs, rhs], &|block| at.block(out, block), at.scratch());
    Ok(vec![made.ok_or_else(|| at.unsupported("operands do not fit"))?])
}

/// Lowers a product with steps after it: over rows that are finished, or, where the weight is not in
/// panels, over the whole result.
pub fn lower_dense(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Op::Dense(Dense { dot, fused }) = at.op() else {
        return Err(at.unsupported("not a product"));
    };
    let out = at.output(0);
    let inputs: Vec<_> = std::iter::once(&out).chain(&at.node().inputs[2..]).copied().collect();
    if at.layouts.in_panels(at.input(0)) {
        return Ok(weight_from_the_left(at, *dot, Some(Steps::new(at, fused, &inputs)?)));
    }
    let factors = [at.input(0), at.input(1)];
    let made = product::lower(at, *dot, factors, &|block| at.block(out, block), at.scratch());
    let mut made = made.ok_or_else(|| at.unsupported("operands do not fit"))?;
    let (factors, results) = (at.graph.types(&factors), at.graph.types(&[out]));
    made.cost = dot.cost(&factors, &results);
    let mut after = elementwise::lower_over(at, fused, &inputs)?;
    for instruction in &mut after {
        instruction.cost = fused.cost(&at.graph.types(&inputs), &results);
    }
    Ok(std::iter::once(made).chain(after).collect())
}

/// Whether a product reads or makes panels; the others need scratch memory.
pub fn uses_panels(layouts: &Layouts, dot: Dot, node: &Node) -> bool {
    (layouts.in_panels(node.inputs[0]) && !dot.rhs_transposed) || layouts.in_panels(node.outputs[0])
}

/// `W x` or `Wᵀ x` for every matrix of the right operand, `W` in panels, and the steps that follow.
fn weight_from_the_left(at: &Lowering, dot: Dot, steps: Option<Steps>) -> Vec<Instruction> {
    let (w, x, y) = (at.input(0), at.input(1), at.output(0));
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
    // Of a piece: its rows, and its words in a block of the result.
    let row_range = move |piece: usize| match matrices {
        1 => part(rows, unit, row_parts, piece % row_parts),
        _ => 0..rows,
    };
    let matrix_range = move |piece: usize| match (blocks, matrices) {
        (1, 2..) => part(matrices, 1, pieces, piece),
        _ => 0..matrices,
    };
    let words = move |piece: usize| match matrices {
        1 => row_range(piece).start * lanes..row_range(piece).end * lanes,
        _ => {
            let range = matrix_range(piece);
            range.start * rows * lanes..range.end * rows * lanes
        }
    };
    let access = |piece: usize| {
        let block = if blocks > 1 { piece / row_parts } else { 0 };
        let (w, x, y) = (at.block(w, 0), at.block(x, block), at.block(y, block));
        let cut =
            |span: Span, range: Range<usize>| Span::new(span.offset + range.start, range.len());
        let weights = match (matrices, dot.lhs_transposed) {
            (1, false) => {
                let panels = row_range(piece).start / PANEL..row_range(piece).end.div_ceil(PANEL);
                cut(w, panels.start * inputs * PANEL..panels.end * inputs * PANEL)
            }
            _ => w,
        };
        let matrix_words = |i: usize| i * depth * lanes;
        let of_x = matrix_range(piece);
        let x = cut(x, matrix_words(of_x.start)..matrix_words(of_x.end));
        let mut reads = vec![weights, x];
        if let Some(steps) = &steps {
            reads.extend(steps.reads(at, block, words(piece)));
        }
        Access::new(reads, [cut(y, words(piece))])
    };
    let pieces_read = (0..pieces).map(access).collect();
    let kernel = Box::new(move |piece: usize, views: Views<'_>| {
        let (factors, rest) = views.split_at(2, 0);
        let ([w, x], []) = factors.get();
        let (reads, mut results) = rest.split();
        let Some(y) = results.next() else { return };
        let range = row_range(piece);
        let step = (range.len() * lanes).max(1);
        for (matrix, y) in y.chunks_exact_mut(step).enumerate() {
            let x = &x[matrix * depth * lanes..][..depth * lanes];
            // The steps over rows of this matrix.
            let finished = |rows: Range<usize>, y: &mut [f32]| {
                let within = matrix * step + rows.start * lanes..matrix * step + rows.end * lanes;
                let start = words(piece).start + within.start;
                if let Some(steps) = &steps {
                    steps.run(&reads, within, start, &mut [y]);
                }
            };
            let (first, rows) = (range.start, range.len());
            let dims = DenseDims { rows, inputs, lanes };
            if dot.lhs_transposed {
                let dims = InputGradDims { outputs, inputs, first, rows, lanes };
                input_grad(dims, w, x, y, Start::Zero);
                finished(0..rows, y);
            } else if steps.is_some() {
                dense_forward_rows(dims, w, x, y, Start::Zero, finished);
            } else {
                dense_forward(dims, w, x, y, Start::Zero);
            }
        }
    });
    instruction(at, pieces_read, kernel)
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
