//! How an opened arena hands out pieces and slices.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use whimbrel_tensor::Arena;
use whimbrel_tensor::arena::{Access, ArenaTooSmall, Span, Stage, Stages, as_i32, as_i32_mut};

/// A stage in which piece i doubles word `from + i` into word `to + i`.
fn doubling(from: usize, to: usize, pieces: usize) -> Stage {
    let word = |offset| Span::new(offset, 1);
    (0..pieces).map(|i| vec![Access::new([word(from + i)], [word(to + i)])]).collect()
}

fn arena(len: usize) -> Arena {
    Arena::new(len).unwrap()
}

#[test]
fn a_piece_is_entered_once_a_run() {
    let stages = Stages::prove(8, vec![doubling(0, 4, 2)]).unwrap();
    let mut arena = arena(8);
    for _ in 0..3 {
        let open = arena.open(&stages).unwrap();
        let guard = open.enter(0, 1).unwrap();
        assert!(open.enter(0, 1).is_none(), "while it runs");
        drop(guard);
        assert!(open.enter(0, 1).is_none(), "after it ran");
        assert!(open.enter(0, 0).is_some());
        assert!(open.enter(0, 2).is_none(), "no such piece");
        assert!(open.enter(1, 0).is_none(), "no such stage");
        assert!(open.enter(usize::MAX, 0).is_none());
    }
}

#[test]
fn a_stage_waits_for_all_guards_of_the_one_before() {
    let stages = vec![doubling(0, 4, 2), vec![], doubling(4, 0, 2)];
    let stages = Stages::prove(8, stages).unwrap();
    let mut arena = arena(8);
    let open = arena.open(&stages).unwrap();
    assert!(open.enter(2, 0).is_none(), "nothing of stage 0 ran");
    let first = open.enter(0, 0).unwrap();
    let second = open.enter(0, 1).unwrap();
    drop(first);
    assert!(open.enter(2, 0).is_none(), "a guard of stage 0 lives");
    drop(second);
    let late = open.enter(2, 0).unwrap();
    assert!(open.enter(0, 0).is_none(), "an earlier stage is over");
    assert!(!open.is_finished());
    drop(late);
    drop(open.enter(2, 1).unwrap());
    assert!(open.is_finished());
}

#[test]
fn a_stage_waits_until_what_is_over_was_counted() {
    let stages = Stages::prove(8, vec![doubling(0, 4, 3), doubling(4, 0, 1)]).unwrap();
    let (mut arena, mut other) = (arena(8), arena(8));
    let open = arena.open(&stages).unwrap();
    let other = other.open(&stages).unwrap();
    let (mut over, mut more) = (open.tally(), open.tally());
    over.add(open.enter(0, 0).unwrap());
    over.add(open.enter(0, 1).unwrap());
    over.add(other.enter(0, 0).unwrap());
    more.add(open.enter(0, 2).unwrap());
    assert!(open.enter(1, 0).is_none(), "nothing was counted");
    over.count();
    over.count();
    assert!(
        open.enter(1, 0).is_none(),
        "a piece that another thread has was not, nor one of another arena"
    );
    drop(more);
    assert!(open.enter(1, 0).is_some());
}

#[test]
fn a_forgotten_guard_holds_its_stage_for_this_run_only() {
    let stages = Stages::prove(8, vec![doubling(0, 4, 1), doubling(4, 0, 1)]).unwrap();
    let mut arena = arena(8);
    let open = arena.open(&stages).unwrap();
    std::mem::forget(open.enter(0, 0));
    assert!(open.enter(0, 0).is_none());
    assert!(open.enter(1, 0).is_none());
    let open = arena.open(&stages).unwrap();
    assert!(open.enter(0, 0).is_some());
    assert!(open.enter(1, 0).is_some());
}

#[test]
fn a_panicking_piece_is_over() {
    let stages = Stages::prove(8, vec![doubling(0, 4, 1), doubling(4, 0, 1)]).unwrap();
    let mut arena = arena(8);
    let open = arena.open(&stages).unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let mut guard = open.enter(0, 0).unwrap();
        let ([_], [_]) = guard.step(7).get();
    }));
    assert!(panicked.is_err());
    assert!(open.enter(0, 0).is_none());
    assert!(open.enter(1, 0).is_some());
}

#[test]
fn views_are_the_spans_of_the_step() {
    let (x, ids, y) = (Span::new(0, 4), Span::new(4, 2), Span::new(6, 2));
    let piece = vec![Access::new([x, ids], [y]), Access::new([y], [x]), Access::default()];
    let stages = Stages::prove(8, vec![vec![piece]]).unwrap();
    let mut arena = arena(8);
    arena.slice_mut(x).copy_from_slice(&[10.0, 20.0, 30.0, 40.0]);
    as_i32_mut(arena.slice_mut(ids)).copy_from_slice(&[3, 1]);

    let open = arena.open(&stages).unwrap();
    let mut guard = open.enter(0, 0).unwrap();
    assert_eq!(guard.steps(), 3);
    let ([x_words, id_words], [y_words]) = guard.step(0).get();
    for (to, &id) in y_words.iter_mut().zip(as_i32(id_words)) {
        *to = x_words[id as usize];
    }
    let (from, mut to) = guard.step(1).split();
    assert_eq!((from.len(), to.len()), (1, 1));
    assert_eq!(from.get_i32(0).unwrap(), [40f32.to_bits() as i32, 20f32.to_bits() as i32]);
    to.next().unwrap()[..2].copy_from_slice(from.get(0).unwrap());
    assert!(from.get(1).is_none() && to.next().is_none());
    let ([], []) = guard.step(2).get();
    drop(guard);
    assert_eq!(arena.slice(x), [40.0, 20.0, 30.0, 40.0]);
}

#[test]
fn views_split_into_those_before_and_those_after() {
    let words = |first: usize| [0, 1].map(|i| Span::new(first + i, 1));
    let stages = Stages::prove(4, vec![vec![vec![Access::new(words(0), words(2))]]]).unwrap();
    let mut arena = arena(4);
    arena.slice_mut(Span::new(0, 2)).copy_from_slice(&[10.0, 20.0]);
    let open = arena.open(&stages).unwrap();
    let mut guard = open.enter(0, 0).unwrap();
    let (before, after) = guard.step(0).split_at(1, 2);
    let ([x], [y, z]) = before.get();
    let ([w], []) = after.get();
    (y[0], z[0]) = (x[0] + 1.0, w[0] + 2.0);
    drop(guard);
    assert_eq!(arena.words()[2..4], [11.0, 22.0]);
}

#[test]
#[should_panic(expected = "1 reads and 3 writes asked of a step with 2 and 0")]
fn splitting_past_the_last_slice_panics() {
    let word = Span::new(0, 1);
    let stages = Stages::prove(1, vec![vec![vec![Access::new([word, word], [])]]]).unwrap();
    let mut arena = arena(1);
    let open = arena.open(&stages).unwrap();
    let _ = open.enter(0, 0).unwrap().step(0).split_at(1, 3);
}

#[test]
#[should_panic(expected = "1 reads and 1 writes asked of a step with 2 and 0")]
fn asking_for_another_number_of_slices_panics() {
    let word = Span::new(0, 1);
    let stages = Stages::prove(1, vec![vec![vec![Access::new([word, word], [])]]]).unwrap();
    let mut arena = arena(1);
    let open = arena.open(&stages).unwrap();
    let ([_], [_]) = open.enter(0, 0).unwrap().step(0).get();
}

#[test]
fn an_arena_shorter_than_the_proof_is_refused() {
    let stages = Stages::prove(9, vec![]).unwrap();
    assert_eq!(arena(8).open(&stages).err(), Some(ArenaTooSmall { needed: 9, len: 8 }));
    assert!(arena(9).open(&stages).unwrap().is_finished());
}

#[test]
fn large_arenas_lie_on_huge_pages() {
    let arena = arena(1 << 20);
    assert_eq!(arena.words().as_ptr().addr() % (2 << 20), 0);
    assert_eq!(arena.words()[12345], 0.0);
}

#[test]
fn racing_threads_run_every_piece_once_in_stage_order() {
    const PIECES: usize = 7;
    const STAGES: usize = 12;
    // Words ping-pong between two halves, doubled in each stage: any piece that ran twice, not at
    // all or before its stage would leave another power of two.
    let stages = (0..STAGES).map(|stage| match stage % 2 {
        0 => doubling(0, PIECES, PIECES),
        _ => doubling(PIECES, 0, PIECES),
    });
    let stages = Stages::prove(2 * PIECES, stages.collect()).unwrap();
    let mut arena = arena(2 * PIECES);
    for _ in 0..50 {
        arena.slice_mut(Span::new(0, PIECES)).fill(1.0);
        let entered = AtomicUsize::new(0);
        let open = arena.open(&stages).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !open.is_finished() {
                        for stage in 0..STAGES {
                            for piece in 0..PIECES {
                                let Some(mut guard) = open.enter(stage, piece) else { continue };
                                entered.fetch_add(1, Ordering::Relaxed);
                                let ([from], [to]) = guard.step(0).get();
                                to[0] = 2.0 * from[0];
                            }
                        }
                    }
                });
            }
        });
        assert_eq!(entered.into_inner(), STAGES * PIECES);
        assert_eq!(arena.slice(Span::new(0, PIECES)), [4096.0; PIECES]);
    }
}
