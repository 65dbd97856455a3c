//! What `Stages::prove` accepts and refuses, by hand and against a brute-force checker.

use proptest::prelude::*;
use whimbrel_tensor::arena::{Access, Conflict, Piece, Place, Span, Stage, Stages};

fn writes(spans: &[(usize, usize)]) -> Piece {
    vec![Access::new([], spans.iter().map(|&(start, end)| span(start, end)).collect::<Vec<_>>())]
}

fn reads(spans: &[(usize, usize)]) -> Piece {
    vec![Access::new(spans.iter().map(|&(start, end)| span(start, end)).collect::<Vec<_>>(), [])]
}

fn span(start: usize, end: usize) -> Span {
    Span::new(start, end - start)
}

fn prove(stage: Stage) -> Result<Stages, Conflict> {
    Stages::prove(100, vec![stage])
}

#[test]
fn overlapping_writes_of_two_pieces_are_refused() {
    let conflict = prove(vec![writes(&[(0, 10)]), writes(&[(9, 20)])]).unwrap_err();
    let write = |piece, span| Place { piece, step: 0, span, write: true };
    let (first, second) = (write(0, span(0, 10)), write(1, span(9, 20)));
    assert_eq!(conflict, Conflict::BetweenPieces { stage: 0, first, second });
    assert_eq!(
        conflict.to_string(),
        "stage 0: piece 0 step 0 writes [0, 10) while piece 1 step 0 writes [9, 20)"
    );
}

#[test]
fn an_overlap_hidden_behind_a_neighbour_is_refused() {
    let (a, b, c) = ((0, 100), (10, 20), (50, 60));
    // A and B belong to one piece, in two steps; only A and C conflict.
    let own = [writes(&[a]), reads(&[b])].concat();
    assert!(prove(vec![own.clone(), writes(&[c])]).is_err());
    assert!(prove(vec![own, reads(&[c])]).is_err());
    assert!(prove(vec![writes(&[a]), reads(&[b]), reads(&[c])]).is_err());
    // All three are read by anyone.
    assert!(prove(vec![reads(&[a]), reads(&[b]), reads(&[c])]).is_ok());
}

#[test]
fn a_piece_that_reaches_further_hides_nobody_else() {
    // Piece 1's own read reaches past piece 0's, which its write then overlaps.
    let both = [reads(&[(0, 60)]), writes(&[(30, 35)])].concat();
    assert!(prove(vec![reads(&[(0, 40)]), both.clone()]).is_err());
    assert!(prove(vec![reads(&[(0, 30)]), both]).is_ok());
}

#[test]
fn a_write_under_a_read_of_another_piece_is_refused() {
    assert!(prove(vec![reads(&[(0, 50)]), writes(&[(49, 50)])]).is_err());
    assert!(prove(vec![reads(&[(0, 49)]), writes(&[(49, 50)])]).is_ok());
}

#[test]
fn steps_of_one_piece_may_reuse_words() {
    assert!(prove(vec![[writes(&[(0, 50)]), reads(&[(0, 50)])].concat()]).is_ok());
}

#[test]
fn within_a_step_writes_overlap_nothing() {
    let access = Access::new([span(0, 10)], [span(5, 6)]);
    let conflict = prove(vec![vec![access]]).unwrap_err();
    assert!(matches!(conflict, Conflict::WithinStep { .. }), "{conflict}");
    assert!(prove(vec![writes(&[(0, 10), (0, 10)])]).is_err());
    assert!(prove(vec![reads(&[(0, 10), (0, 10)])]).is_ok());
}

#[test]
fn stages_do_not_conflict_with_each_other() {
    let stages = vec![vec![writes(&[(0, 9)])], vec![], vec![writes(&[(0, 9)]), reads(&[(9, 20)])]];
    let proved = Stages::prove(100, stages).unwrap();
    assert_eq!((proved.len(), proved.pieces_in_all()), (3, 3));
    assert_eq!([0, 1, 2, 3].map(|stage| proved.pieces(stage)), [1, 0, 2, 0]);
}

#[test]
fn spans_past_the_arena_are_refused() {
    for bad in [span(99, 101), span(101, 101), Span::new(usize::MAX, 2)] {
        let conflict = prove(vec![vec![Access::new([bad], [])]]).unwrap_err();
        assert!(matches!(conflict, Conflict::OutOfBounds { .. }), "{conflict}");
    }
    assert!(prove(vec![reads(&[(100, 100), (0, 100)])]).is_ok());
}

/// Every pair of accesses compared.
fn conflicts(stage: &Stage) -> bool {
    let mut all = Vec::new();
    for (piece, steps) in stage.iter().enumerate() {
        for (step, access) in steps.iter().enumerate() {
            all.extend(access.reads.iter().map(|&span| (piece, step, span, false)));
            all.extend(access.writes.iter().map(|&span| (piece, step, span, true)));
        }
    }
    let clash = |i: usize, j: usize| {
        let ((piece, step, a, a_writes), (other_piece, other_step, b, b_writes)) = (all[i], all[j]);
        let at_once = piece != other_piece || step == other_step;
        let overlap =
            (a.offset..a.offset + a.len).any(|w| (b.offset..b.offset + b.len).contains(&w));
        at_once && overlap && (a_writes || b_writes)
    };
    (0..all.len()).any(|i| (0..i).any(|j| clash(i, j)))
}

fn spans(most: usize) -> impl Strategy<Value = Vec<Span>> {
    let span = (0usize..60, prop_oneof![9 => 0usize..6, 1 => 20usize..40])
        .prop_map(|(offset, len)| Span::new(offset, len));
    prop::collection::vec(span, 0..=most)
}

fn stage() -> impl Strategy<Value = Stage> {
    let access = (spans(2), spans(1)).prop_map(|(reads, writes)| Access { reads, writes });
    prop::collection::vec(prop::collection::vec(access, 0..3), 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn the_sweep_agrees_with_comparing_all_pairs(stage in stage()) {
        prop_assert_eq!(prove(stage.clone()).is_err(), conflicts(&stage));
    }
}
