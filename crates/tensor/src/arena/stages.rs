//! Stages of pieces of steps, proved free of conflicts.
//!
//! The pieces of a stage may run at once, in any order, on any threads; the steps of a piece run
//! in order on one thread; stages follow each other. A [`Stages`] exists only if, within every
//! step, writes overlap nothing else, and between two pieces of a stage no write overlaps
//! anything. [`Open`](super::Open) relies on that and checks no spans again.

use super::conflict::{Conflict, Interval, Place, first_clash};
use super::span::{Access, Span};
use std::ops::Range;

/// Pieces that may run at once.
pub type Stage = Vec<Piece>;

/// Steps that one thread runs in order.
pub type Piece = Vec<Access>;

/// Proved stages, stored flat: stages index pieces, pieces index steps, steps index spans.
#[derive(Clone, Debug)]
pub struct Stages {
    arena_len: usize,
    /// First piece of every stage, then the number of pieces.
    stages: Vec<usize>,
    /// First step of every piece, then the number of steps.
    pieces: Vec<usize>,
    steps: Vec<Step>,
    spans: Vec<Span>,
}

/// The spans of a step: reads from `reads`, writes from `writes` up to `end`.
#[derive(Clone, Copy, Debug)]
struct Step {
    reads: usize,
    writes: usize,
    end: usize,
}

impl Stages {
    /// Proves the stages for an arena of `arena_len` words, or says what conflicts.
    pub fn prove(arena_len: usize, stages: Vec<Stage>) -> Result<Self, Conflict> {
        let mut proved = Stages {
            arena_len,
            stages: vec![0],
            pieces: vec![0],
            steps: Vec::new(),
            spans: Vec::new(),
        };
        let mut intervals = Vec::new();
        for (index, stage) in stages.iter().enumerate() {
            check_stage(arena_len, index, stage, &mut intervals)?;
            stage.iter().for_each(|piece| proved.push(piece));
            proved.stages.push(proved.pieces.len() - 1);
        }
        Ok(proved)
    }

    fn push(&mut self, piece: &Piece) {
        for access in piece {
            let reads = self.spans.len();
            self.spans.extend_from_slice(&access.reads);
            let writes = self.spans.len();
            self.spans.extend_from_slice(&access.writes);
            self.steps.push(Step { reads, writes, end: self.spans.len() });
        }
        self.pieces.push(self.steps.len());
    }

    /// Words the arena must have.
    pub fn arena_len(&self) -> usize {
        self.arena_len
    }

    /// The number of stages.
    pub fn len(&self) -> usize {
        self.stages.len() - 1
    }

    /// Whether there are no stages.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of pieces of a stage; 0 when there is no such stage.
    pub fn pieces(&self, stage: usize) -> usize {
        self.pieces_of(stage).map_or(0, |pieces| pieces.len())
    }

    /// The number of pieces of all stages.
    pub fn pieces_in_all(&self) -> usize {
        self.pieces.len() - 1
    }

    /// The pieces of a stage, numbered through all stages.
    pub(super) fn pieces_of(&self, stage: usize) -> Option<Range<usize>> {
        let end = *self.stages.get(stage.checked_add(1)?)?;
        Some(self.stages[stage]..end)
    }

    /// The steps of a piece, numbered through all stages.
    pub(super) fn steps_of(&self, piece: usize) -> Range<usize> {
        self.pieces[piece]..self.pieces[piece + 1]
    }

    /// The spans a step reads, and those it writes.
    pub(super) fn spans_of(&self, step: usize) -> (&[Span], &[Span]) {
        let Step { reads, writes, end } = self.steps[step];
        (&self.spans[reads..writes], &self.spans[writes..end])
    }
}

fn check_stage(
    arena_len: usize,
    stage: usize,
    pieces: &[Piece],
    intervals: &mut Vec<Interval>,
) -> Result<(), Conflict> {
    for (piece, steps) in pieces.iter().enumerate() {
        for (step, access) in steps.iter().enumerate() {
            intervals.clear();
            for place in places(piece, step, access) {
                if place.span.end().is_none_or(|end| end > arena_len) {
                    return Err(Conflict::OutOfBounds { stage, place, arena_len });
                }
                intervals.push(Interval { owner: intervals.len(), place });
            }
            if let Some((first, second)) = first_clash(intervals) {
                return Err(Conflict::WithinStep { stage, first, second });
            }
        }
    }
    if pieces.len() > 1 {
        intervals.clear();
        for (piece, steps) in pieces.iter().enumerate() {
            for (step, access) in steps.iter().enumerate() {
                let places = places(piece, step, access);
                intervals.extend(places.map(|place| Interval { owner: piece, place }));
            }
        }
        if let Some((first, second)) = first_clash(intervals) {
            return Err(Conflict::BetweenPieces { stage, first, second });
        }
    }
    Ok(())
}

fn places(piece: usize, step: usize, access: &Access) -> impl Iterator<Item = Place> {
    let place = move |write| move |&span: &Span| Place { piece, step, span, write };
    access.reads.iter().map(place(false)).chain(access.writes.iter().map(place(true)))
}
