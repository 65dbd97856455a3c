//! Products by a packed weight from the left, and the steps that follow.

use super::elementwise::Steps;
use super::halves::Halves;
use super::instruction;
use super::instruction::Instruction;
use super::lowering::{Lowering, part, place_of};
use std::ops::Range;
use whimbrel_graph::ValueId;
use whimbrel_graph::ops::Dot;
use whimbrel_kernels::gemm::{
    DenseDims, InputGradDims, PANEL, Start, dense_forward, dense_forward_rows, input_grad,
    packed_len,
};
use whimbrel_tensor::Shape;
use whimbrel_tensor::arena::{Access, Span, Views};

/// `W x` or `Wᵀ x` for every matrix of the right operand, `W` in panels, and the steps that follow.
pub fn lower(at: &Lowering, dot: Dot, steps: Option<Steps>) -> Vec<Instruction> {
    let (w, x, y) = (at.input(0), at.input(1), at.output(0));
    if let Some(halves) = Halves::of(at.graph, &at.plan.lanes, dot, [w, x]) {
        return halves.lower(at, steps);
    }
    let cut = Cut::new(at, dot.lhs_transposed, at.shape(w), at.block_shape(x));
    let Cut { inputs, lanes, depth, .. } = cut;
    let access = |piece: usize| {
        let part = cut.part(piece);
        let within = |v: ValueId, block: usize, range: Range<usize>| {
            Span::new(at.block(v, block).offset + range.start, range.len())
        };
        let words = cut.words(&part);
        let mut reads =
            vec![within(w, 0, cut.weights(&part)), within(x, part.block, cut.of_x(&part))];
        if let Some(steps) = &steps {
            reads.extend(steps.reads(at, part.block, words.clone()));
        }
        Access::new(reads, [within(y, part.block, words)])
    };
    let pieces = (0..cut.pieces()).map(access).collect();
    let kernel = Box::new(move |piece: usize, views: Views<'_>| {
        let (factors, rest) = views.split_at(2, 0);
        let ([w, x], []) = factors.get();
        let (reads, mut results) = rest.split();
        let Some(y) = results.next() else { return };
        let part = cut.part(piece);
        let (first, rows) = (part.rows.start, part.rows.len());
        let step = (rows * lanes).max(1);
        for (matrix, y) in y.chunks_exact_mut(step).enumerate() {
            let x = &x[matrix * depth * lanes..][..depth * lanes];
            // The steps over rows of this matrix.
            let finished = |rows: Range<usize>, y: &mut [f32]| {
                let within = matrix * step + rows.start * lanes..matrix * step + rows.end * lanes;
                let start = cut.words(&part).start + within.start;
                if let Some(steps) = &steps {
                    steps.run(&reads, within, start, &mut [y]);
                }
            };
            let dims = DenseDims { rows, inputs, lanes };
            if cut.transposed {
                let dims = InputGradDims { outputs: depth, inputs, first, rows, lanes };
                input_grad(dims, w, x, y, Start::Zero);
                finished(0..rows, y);
            } else if steps.is_some() {
                dense_forward_rows(dims, w, x, y, Start::Zero, finished);
            } else {
                dense_forward(dims, w, x, y, Start::Zero);
            }
        }
    });
    instruction(at, pieces, kernel)
}

/// How the product is cut: into blocks, an only block into parts of its matrices, and single matrices
/// into parts of their rows where blocks are too few. A piece of rows reads all of x.
#[derive(Clone, Copy)]
struct Cut {
    blocks: usize,
    matrices: usize,
    matrix_parts: usize,
    /// Rows of the result of one matrix.
    rows: usize,
    row_parts: usize,
    /// Length of the reduction.
    depth: usize,
    lanes: usize,
    /// Inputs of the weight, and whether it is transposed.
    inputs: usize,
    transposed: bool,
    /// Threads that have parts of the rows side by side.
    threads: usize,
}

/// What a piece computes: some rows of some matrices.
struct Part {
    block: usize,
    matrices: Range<usize>,
    rows: Range<usize>,
}

impl Cut {
    fn new(at: &Lowering, transposed: bool, weight: Shape, x: Shape) -> Cut {
        let (outputs, inputs) = (weight[0], weight[1]);
        let (rows, depth) = if transposed { (inputs, outputs) } else { (outputs, inputs) };
        let (blocks, lanes) = (at.blocks(), x[x.rank() - 1]);
        let matrices = x[..x.rank() - 2].iter().product();
        let (matrix_parts, row_parts) = match (blocks, matrices) {
            (_, 1) => {
                let units = rows.div_ceil(unit(transposed));
                (1, (at.fine_pieces(blocks * units) / blocks).max(1))
            }
            (1, _) => (at.fine_pieces(matrices), 1),
            _ => (1, 1),
        };
        let threads = at.threads;
        Cut {
            blocks,
            matrices,
            matrix_parts,
            rows,
            row_parts,
            depth,
            lanes,
            inputs,
            transposed,
            threads,
        }
    }

    fn pieces(&self) -> usize {
        self.blocks * self.matrix_parts * self.row_parts
    }

    fn part(&self, piece: usize) -> Part {
        let within = piece % (self.matrix_parts * self.row_parts);
        let matrices = part(self.matrices, 1, self.matrix_parts, within / self.row_parts);
        let row_part = place_of(within % self.row_parts, self.row_parts, self.threads);
        let rows = part(self.rows, unit(self.transposed), self.row_parts, row_part);
        Part { block: piece / (self.matrix_parts * self.row_parts), matrices, rows }
    }

    /// The words of the weight that a part reads.
    fn weights(&self, part: &Part) -> Range<usize> {
        match self.transposed {
            true => 0..packed_len(self.depth, self.inputs),
            false => {
                let panel = self.inputs * PANEL;
                part.rows.start / PANEL * panel..part.rows.end.div_ceil(PANEL) * panel
            }
        }
    }

    /// The words of a block of x that a part reads.
    fn of_x(&self, part: &Part) -> Range<usize> {
        let matrix = self.depth * self.lanes;
        part.matrices.start * matrix..part.matrices.end * matrix
    }

    /// The words of a block of the result that a part makes: one run, for rows are cut only where there
    /// is one matrix.
    fn words(&self, part: &Part) -> Range<usize> {
        let start = (part.matrices.start * self.rows + part.rows.start) * self.lanes;
        start..start + part.matrices.len() * part.rows.len() * self.lanes
    }
}

/// Rows of a piece come in multiples of this.
pub fn unit(transposed: bool) -> usize {
    if transposed { 8 } else { PANEL }
}
