//! Matrix products by the form of their operands: packed weights from the left are in `dense`, gradients
//! of packed weights are here, the rest is in `product`.

use super::dense;
use super::elementwise::{self, Steps};
use super::gradient::Cut;
use super::instruction;
use super::instruction::Instruction;
use super::layout::Layouts;
use super::lowering::Lowering;
use super::product;
use crate::EngineError;
use whimbrel_graph::ops::{Dense, Dot};
use whimbrel_graph::{Node, Op, Operation, ValueId};
use whimbrel_kernels::gemm::{Start, weight_grad};
use whimbrel_tensor::arena::{Access, Span, Views};

/// Lowers a product by the form of its operands.
pub fn lower(at: &Lowering) -> Result<Vec<Instruction>, EngineError> {
    let Op::Dot(dot) = *at.op() else { return Err(at.unsupported("not a product")) };
    let (lhs, rhs, out) = (at.input(0), at.input(1), at.output(0));
    if reads_panels(at.layouts, dot, at.node()) {
        return Ok(dense::lower(at, dot, None));
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
    if reads_panels(at.layouts, *dot, at.node()) {
        return Ok(dense::lower(at, *dot, Some(Steps::new(at, fused, &inputs)?)));
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

/// Whether the left factor of a product is read in panels.
pub fn reads_panels(layouts: &Layouts, dot: Dot, node: &Node) -> bool {
    layouts.in_panels(node.inputs[0]) && !dot.rhs_transposed
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
