//! What a member of the team asks for while it waits for the others: words that its next piece reads and
//! that are there already, weights above all.

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
        let before = std::iter::once(&[] as &[Vec<Access>]).chain(stages.iter().map(Vec::as_slice));
        let ahead = before.zip(stages).map(|(before, stage)| {
            stage.iter().take(members).map(|piece| ready(before, piece)).collect()
        });
        Ahead(ahead.collect())
    }

    /// A word of each line that a member asks for before a stage.
    pub fn lines(&self, stage: usize, member: usize) -> impl Iterator<Item = usize> {
        let spans = self.0.get(stage).and_then(|members| members.get(member));
        spans.into_iter().flatten().flat_map(|s| (s.offset..s.offset + s.len).step_by(LINE))
    }
}

/// What a piece reads that neither it nor the stage before it writes.
fn ready(before: &[Vec<Access>], piece: &[Access]) -> Vec<Span> {
    let writes = || before.iter().flatten().chain(piece).flat_map(|access| &access.writes);
    let mut left = MOST;
    let mut spans = Vec::new();
    for span in piece.iter().flat_map(|access| &access.reads) {
        if left > 0 && !writes().any(|write| overlap(span, write)) {
            let some = Span::new(span.offset, span.len.min(left));
            left -= some.len;
            spans.push(some);
        }
    }
    spans
}

fn overlap(a: &Span, b: &Span) -> bool {
    a.offset < b.offset + b.len && b.offset < a.offset + a.len
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(reads: &[(usize, usize)], writes: &[(usize, usize)]) -> Access {
        let spans = |all: &[(usize, usize)]| -> Vec<Span> {
            all.iter().map(|&(offset, len)| Span::new(offset, len)).collect()
        };
        Access::new(spans(reads), spans(writes))
    }

    #[test]
    fn what_is_still_being_written_is_not_asked_for() {
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
