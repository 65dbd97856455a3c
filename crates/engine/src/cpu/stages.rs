//! Groups instructions into stages: what runs between two meetings of the threads.
//!
//! An instruction joins the stage before it when both are cut into the same number of pieces and
//! no piece touches what another piece of the stage writes. The arena's proof decides that, so the
//! grouping cannot be wrong, only too cautious.

use super::instruction::Instruction;
use crate::EngineError;
use crate::backend::{Line, Report};
use whimbrel_tensor::arena::{Access, Stages};

/// Instructions grouped and proved, ready to run.
pub struct Compiled {
    /// The proof, which is what the arena is opened with.
    pub stages: Stages,
    /// For each stage, the instructions its pieces run, in order.
    pub steps: Vec<std::ops::Range<usize>>,
    /// All instructions in order; their accesses have moved into the proof.
    pub instructions: Vec<Instruction>,
    /// What the plan occupies and does.
    pub report: Report,
    /// Whether any stage has work for more than one thread.
    pub parallel: bool,
}

/// Groups `instructions`, each of at least one piece, and proves the result.
pub fn group(
    mut instructions: Vec<Instruction>,
    arena_words: usize,
    mut report: Report,
) -> Result<Compiled, EngineError> {
    let mut stages: Vec<Vec<Vec<Access>>> = Vec::new();
    let mut steps: Vec<std::ops::Range<usize>> = Vec::new();
    for (i, instruction) in instructions.iter_mut().enumerate() {
        let (name, cost) = (instruction.name.clone(), instruction.cost);
        report.lines.push(Line { name, pieces: instruction.pieces.len(), cost });
        report.cost.flops += instruction.cost.flops;
        report.cost.bytes += instruction.cost.bytes;
        let pieces = std::mem::take(&mut instruction.pieces);
        let joins = stages.last().is_some_and(|stage| {
            stage.len() == pieces.len() && (pieces.len() == 1 || independent(stage, &pieces))
        });
        match (joins, stages.last_mut(), steps.last_mut()) {
            (true, Some(stage), Some(range)) => {
                for (piece, access) in stage.iter_mut().zip(pieces) {
                    piece.push(access);
                }
                range.end = i + 1;
            }
            _ => {
                stages.push(pieces.into_iter().map(|access| vec![access]).collect());
                steps.push(i..i + 1);
            }
        }
    }
    report.instructions = instructions.len();
    report.stages = stages.len();
    let parallel = stages.iter().any(|stage| stage.len() > 1);
    let stages = Stages::prove(arena_words, stages)
        .map_err(|conflict| EngineError::Conflict(conflict.to_string()))?;
    Ok(Compiled { stages, steps, instructions, report, parallel })
}

/// Whether no new piece touches what another piece of the stage writes, nor the other way round.
fn independent(stage: &[Vec<Access>], pieces: &[Access]) -> bool {
    // (start, end, piece, writes), sorted by start; a running maximum of ends per piece finds
    // every overlap between different pieces of which one writes.
    let mut spans: Vec<(usize, usize, usize, bool)> = Vec::new();
    let accesses = stage.iter().map(|steps| &steps[..]).zip(pieces);
    for (piece, (old, new)) in accesses.enumerate() {
        for access in old.iter().chain(std::iter::once(new)) {
            let reads = access.reads.iter().map(|span| (span, false));
            for (span, writes) in reads.chain(access.writes.iter().map(|span| (span, true))) {
                if span.len > 0 {
                    spans.push((span.offset, span.offset + span.len, piece, writes));
                }
            }
        }
    }
    spans.sort_unstable();
    let mut open: Vec<(usize, usize, bool)> = Vec::new();
    for (start, end, piece, writes) in spans {
        open.retain(|(until, ..)| *until > start);
        if open.iter().any(|&(_, other, wrote)| other != piece && (writes || wrote)) {
            return false;
        }
        open.push((end, piece, writes));
    }
    true
}
