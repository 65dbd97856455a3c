//! What a member of the team asks for while it waits for the others: words that its next piece reads and
//! that nothing in the run has written so far, weights above all.

use std::ops::Range;
use whimbrel_tensor::arena::{Access, Span};

/// The most words asked for: they have to be in the second cache still when they are read.
const MOST: usize = 1 << 16;

/// Words of a cache line.
const LINE: usize = 16;

/// For each stage and each member, the words.
pub struct Ahead(Vec<Vec<Vec<Span>>>);

impl Ahead {
    /// For stages of pieces of steps that so many members share.
    pub fn of(stages: &[Vec<Vec<Access>>], members: usize) -> Ahead {
        let mut written = Written::default();
        let ahead = stages.iter().map(|stage| {
            written.add(stage.iter().flatten().flat_map(|access| &access.writes));
            stage.iter().take(members).map(|piece| written.ready(piece)).collect()
        });
        Ahead(ahead.collect())
    }

    /// A word of each line that a member asks for before a stage.
    pub fn lines(&self, stage: usize, member: usize) -> impl Iterator<Item = usize> {
        let spans = self.0.get(stage).and_then(|members| members.get(member));
        spans.into_iter().flatten().flat_map(|s| (s.offset..s.offset + s.len).step_by(LINE))
    }
}

/// Words that a run has written up to some stage: runs of them that do not touch, in order.
#[derive(Default)]
struct Written(Vec<Range<usize>>);

impl Written {
    fn add<'a>(&mut self, spans: impl Iterator<Item = &'a Span>) {
        let mut all = std::mem::take(&mut self.0);
        all.extend(spans.map(|span| span.offset..span.offset + span.len));
        all.sort_unstable_by_key(|run| run.start);
        for run in all {
            match self.0.last_mut() {
                Some(last) if run.start <= last.end => last.end = last.end.max(run.end),
                _ => self.0.push(run),
            }
        }
    }

    fn overlaps(&self, span: &Span) -> bool {
        let behind = self.0.partition_point(|run| run.end <= span.offset);
        self.0.get(behind).is_some_and(|run| run.start < span.offset + span.len)
    }

    /// What a piece reads of all else, each span once.
    fn ready(&self, piece: &[Access]) -> Vec<Span> {
        let mut left = MOST;
        let mut spans: Vec<Span> = Vec::new();
        for span in piece.iter().flat_map(|access| &access.reads) {
            let known = spans.iter().any(|other| other.offset == span.offset);
            if left > 0 && !known && !self.overlaps(span) {
                spans.push(Span::new(span.offset, span.len.min(left)));
                left -= span.len.min(left);
            }
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::super::touch::tests::access;
    use super::*;

    #[test]
    fn what_was_written_or_is_being_written_is_not_asked_for() {
        let first = vec![vec![access(&[(0, 32)], &[(100, 16)])], vec![access(&[], &[(116, 16)])]];
        let second = vec![
            vec![access(&[(200, 40), (100, 32)], &[(300, 1)]), access(&[(300, 1)], &[(301, 1)])],
            vec![access(&[(240, 40), (100, 32)], &[(302, 1)])],
        ];
        let ahead = Ahead::of(&[first, second], 2);
        let lines = |stage, member| ahead.lines(stage, member).collect::<Vec<_>>();
        assert_eq!(lines(0, 0), [0, 16]);
        assert_eq!(lines(1, 0), [200, 216, 232]);
        assert_eq!(lines(1, 1), [240, 256, 272]);
        assert_eq!(lines(2, 0), [0; 0], "there is no such stage");
    }

    #[test]
    fn no_more_is_asked_for_than_a_cache_holds() {
        let piece = vec![access(&[(0, MOST - 16), (MOST, 64)], &[])];
        let ahead = Ahead::of(&[vec![piece]], 1);
        assert_eq!(ahead.lines(0, 0).count(), MOST / LINE);
    }
}
