//! The validator agrees with comparing every pair, on sound placements and on corrupted ones.

use proptest::prelude::*;
use whimbrel_plan::{Lifetime, Overlap, Placed, Placement, place, validate};

fn lifetime(bytes: usize, first: u32, last: u32) -> Lifetime {
    Lifetime { bytes, first, last }
}

fn at(offsets: &[usize], total: usize) -> Placement {
    Placement { offsets: offsets.to_vec(), total, lower_bound: 0 }
}

/// The definition: every buffer inside the arena, every pair apart in time or in address.
fn sound(buffers: &[Lifetime], placement: &Placement) -> bool {
    let range = |b: usize| placement.offsets[b]..placement.offsets[b] + buffers[b].bytes;
    let ends = |b: usize| buffers[b].last.max(buffers[b].first);
    let apart = |a: usize, b: usize| {
        let in_time = ends(a) < buffers[b].first || ends(b) < buffers[a].first;
        let in_address = range(a).end <= range(b).start || range(b).end <= range(a).start;
        in_time || in_address || range(a).is_empty() || range(b).is_empty()
    };
    let inside = |b: usize| range(b).is_empty() || range(b).end <= placement.total;
    (0..buffers.len()).all(|b| inside(b) && (0..b).all(|a| apart(a, b)))
}

#[test]
fn a_buffer_of_another_time_does_not_hide_a_conflict() {
    let buffers = [lifetime(100, 0, 1), lifetime(10, 5, 6), lifetime(10, 0, 1)];
    let placed = |buffer, bytes, steps| Placed { buffer, bytes, steps };
    let conflict = Overlap::Buffers(placed(0, 0..100, 0..=1), placed(2, 50..60, 0..=1));
    assert_eq!(validate(&buffers, &at(&[0, 10, 50], 100)), Err(conflict));
}

#[test]
fn the_message_names_both_buffers_their_bytes_and_their_steps() {
    let buffers = [lifetime(100, 0, 4), lifetime(10, 3, 7)];
    let message = validate(&buffers, &at(&[0, 64], 128)).unwrap_err().to_string();
    let expected =
        "buffer 0 (bytes 0..100, steps 0..=4) overlaps buffer 1 (bytes 64..74, steps 3..=7)";
    assert_eq!(message, expected);
}

#[test]
fn sharing_only_the_last_step_is_a_conflict() {
    let touching = [lifetime(64, 0, 2), lifetime(64, 2, 4)];
    assert!(validate(&touching, &at(&[0, 0], 64)).is_err());
    let apart = [lifetime(64, 0, 1), lifetime(64, 2, 4)];
    assert_eq!(validate(&apart, &at(&[0, 0], 64)), Ok(()));
}

#[test]
fn a_buffer_past_the_end_of_the_arena_is_refused() {
    let buffers = [lifetime(100, 0, 0)];
    assert!(matches!(
        validate(&buffers, &at(&[64], 128)),
        Err(Overlap::ArenaEnd { total: 128, .. })
    ));
    let wrapping = at(&[usize::MAX - 10], usize::MAX);
    assert!(matches!(validate(&buffers, &wrapping), Err(Overlap::ArenaEnd { .. })));
}

#[test]
fn a_missing_offset_is_refused() {
    let found = validate(&[lifetime(1, 0, 0)], &at(&[], 64));
    assert_eq!(found, Err(Overlap::Count { buffers: 1, offsets: 0 }));
}

fn buffers() -> impl Strategy<Value = Vec<Lifetime>> {
    let buffer = (0..600usize, 0..30u32, 0..30u32).prop_map(|(b, f, l)| lifetime(b, f, l));
    prop::collection::vec(buffer, 1..60)
}

proptest! {
    #[test]
    fn agrees_with_comparing_every_pair_when_one_buffer_is_moved(
        buffers in buffers(),
        moved: prop::sample::Index,
        offset in 0..4000usize,
    ) {
        let mut placement = place(&buffers);
        prop_assert!(sound(&buffers, &placement));
        prop_assert_eq!(validate(&buffers, &placement), Ok(()));
        placement.offsets[moved.index(buffers.len())] = offset;
        prop_assert_eq!(validate(&buffers, &placement).is_ok(), sound(&buffers, &placement));
    }

    #[test]
    fn agrees_with_comparing_every_pair_on_random_offsets(
        placed in prop::collection::vec((0..40usize, 0..30u32, 0..30u32, 0..2000usize), 1..12),
        total in 1500..2100usize,
    ) {
        let buffers: Vec<_> = placed.iter().map(|&(b, f, l, _)| lifetime(b, f, l)).collect();
        let placement = at(&placed.iter().map(|p| p.3).collect::<Vec<_>>(), total);
        prop_assert_eq!(validate(&buffers, &placement).is_ok(), sound(&buffers, &placement));
    }
}
