//! Products in general: operands in plain rows, any transposition, any number of matrices.

use super::instruction::Instruction;
use super::lowering::{Lowering, part};
use whimbrel_graph::ops::Dot;
use whimbrel_graph::{Graph, ValueId};
use whimbrel_kernels::gemm::{GemmDims, Matrix, Start, gemm};
use whimbrel_plan::Lanes;
use whimbrel_tensor::Shape;
use whimbrel_tensor::arena::{Access, Span, Views};

/// Sizes of one block of a product and the words from one matrix to the next.
#[derive(Clone, Copy)]
struct Sizes {
    matrices: usize,
    gemm: GemmDims,
    lhs: usize,
    rhs: usize,
    out: usize,
}

impl Sizes {
    fn of(dot: Dot, lhs: Shape, rhs: Shape) -> Option<Sizes> {
        let sizes = dot.sizes(lhs, rhs).ok()?;
        let (m, k, n) = (sizes.m, sizes.k, sizes.n);
        let layout = |transposed: bool, rows: usize, columns: usize| match transposed {
            true => Matrix::transposed(rows),
            false => Matrix::plain(columns),
        };
        let a = layout(dot.lhs_transposed, m, k);
        let b = layout(dot.rhs_transposed, k, n);
        let step = |shape: Shape, words: usize| if shape.rank() > 2 { words } else { 0 };
        Some(Sizes {
            matrices: sizes.matrices,
            gemm: GemmDims { m, n, k, a, b, c_row: n },
            lhs: step(lhs, m * k),
            rhs: step(rhs, k * n),
            out: if dot.sum { 0 } else { m * n },
        })
    }
}

/// Words of scratch memory a product needs, for as many pieces as there are threads or blocks.
pub fn scratch(
    graph: &Graph,
    lanes: &Lanes,
    threads: usize,
    dot: Dot,
    lhs: ValueId,
    rhs: ValueId,
) -> usize {
    let shapes = [lhs, rhs].map(|v| lanes.block_shape(graph, v));
    let one = Sizes::of(dot, shapes[0], shapes[1]).map_or(0, |s| s.gemm.scratch_len());
    one * threads.max(lanes.blocks_of(rhs))
}

/// The product of two operands into `out(block)`, with scratch memory of its own.
pub fn lower(
    at: &Lowering,
    dot: Dot,
    [lhs, rhs]: [ValueId; 2],
    out: &dyn Fn(usize) -> Span,
    scratch: Span,
) -> Option<Instruction> {
    let sizes = Sizes::of(dot, at.block_shape(lhs), at.block_shape(rhs))?;
    let GemmDims { m, n, .. } = sizes.gemm;
    let lanes = &at.plan.lanes;
    // The batch is the columns of the result, or summed over by both operands.
    let summed = lanes.is_split(rhs) && dot.rhs_transposed;
    let blocks = if summed { 1 } else { lanes.blocks_of(rhs) };
    let inner = if summed { lanes.blocks_of(rhs) } else { 1 };
    let by_matrices = sizes.matrices > 1 && !dot.sum;
    let pieces = match (blocks, by_matrices) {
        (1, true) => at.pieces(sizes.matrices),
        (1, false) => at.pieces(m.div_ceil(16)),
        _ => blocks,
    };
    let matrices = move |piece: usize| match (blocks, by_matrices) {
        (1, true) => part(sizes.matrices, 1, pieces, piece),
        _ => 0..sizes.matrices,
    };
    let rows = move |piece: usize| match (blocks, by_matrices) {
        (1, false) => part(m, 16, pieces, piece),
        _ => 0..m,
    };
    let own = sizes.gemm.scratch_len();
    let access = |piece: usize| {
        let block = if blocks > 1 { piece } else { 0 };
        let (dst, range) = (out(block), rows(piece));
        let dst = match by_matrices {
            true => {
                Span::new(dst.offset + matrices(piece).start * m * n, matrices(piece).len() * m * n)
            }
            false => Span::new(dst.offset + range.start * n, range.len() * n),
        };
        let operand = |v: ValueId| if summed { at.span(v) } else { at.block(v, block) };
        let scratch = Span::new(scratch.offset + piece * own, own);
        Access::new([operand(lhs), operand(rhs)], [dst, scratch])
    };
    let (lhs_block, rhs_block) = (at.stride(lhs), at.stride(rhs));
    let kernel = Box::new(move |piece: usize, views: Views<'_>| {
        let ([lhs, rhs], [out, scratch]) = views.get();
        let (matrices, rows) = (matrices(piece), rows(piece));
        let skip = if sizes.gemm.a.transposed { 1 } else { sizes.gemm.k };
        let dims = GemmDims { m: rows.len(), ..sizes.gemm };
        for (i, matrix) in matrices.enumerate() {
            for block in 0..inner {
                let a = &lhs[block * lhs_block + matrix * sizes.lhs + rows.start * skip..];
                let b = &rhs[block * rhs_block + matrix * sizes.rhs..];
                let c = &mut out[i * sizes.out..];
                let first = block == 0 && (sizes.out > 0 || i == 0);
                let start = if first { Start::Zero } else { Start::Dst };
                gemm(dims, a, b, c, start, scratch);
            }
        }
    });
    let pieces = (0..pieces).map(access).collect();
    Some(Instruction { name: at.op().to_string(), cost: at.cost(), pieces, kernel })
}
