//! What every placement promises: sound, aligned, close to the lower bound, the same every time.

mod training_graphs;

use proptest::prelude::*;
use training_graphs::{Random, scattered, training_graph};
use whimbrel_plan::{ALIGN, Lifetime, place, validate};

fn lifetime(bytes: usize, first: u32, last: u32) -> Lifetime {
    Lifetime { bytes, first, last }
}

/// The definition of the lower bound, step by step.
fn most_bytes_alive(buffers: &[Lifetime]) -> usize {
    let alive = |step: u32, l: &&Lifetime| l.first <= step && step <= l.last.max(l.first);
    let rounded = |l: &Lifetime| l.bytes.next_multiple_of(ALIGN);
    let at = |step: u32| buffers.iter().filter(|l| alive(step, l)).map(rounded).sum();
    buffers.iter().map(|l| at(l.first)).max().unwrap_or(0)
}

#[test]
fn nothing_to_place_needs_no_arena() {
    let placement = place(&[]);
    assert_eq!((placement.total, placement.lower_bound), (0, 0));
    assert!(placement.offsets.is_empty());
}

#[test]
fn empty_buffers_take_no_room() {
    let buffers = [lifetime(0, 0, 9), lifetime(100, 0, 9), lifetime(0, 3, 3)];
    let placement = place(&buffers);
    assert_eq!(placement.total, 128);
    assert_eq!(validate(&buffers, &placement), Ok(()));
}

#[test]
fn a_value_nobody_reads_still_has_room_while_it_is_written() {
    let buffers = [lifetime(64, 5, 0), lifetime(64, 5, 5)];
    assert_eq!(place(&buffers).total, 128);
}

#[test]
fn nested_lifetimes_meet_the_lower_bound() {
    let mut random = Random(7);
    let nested = (0..500).map(|i| lifetime(random.between(1, 9999), i, 1000 - i));
    let placement = place(&nested.collect::<Vec<_>>());
    assert_eq!(placement.total, placement.lower_bound);
}

#[test]
fn a_chain_of_equal_buffers_alternates_between_two_places() {
    let chain: Vec<_> = (0..100).map(|i| lifetime(640, i, i + 1)).collect();
    assert_eq!(place(&chain).total, 1280);
}

#[test]
fn steps_at_the_end_of_time_are_steps_like_any_other() {
    let buffers = [lifetime(64, 0, u32::MAX), lifetime(64, u32::MAX, u32::MAX)];
    let placement = place(&buffers);
    assert_eq!(placement.total, 128);
    assert_eq!(validate(&buffers, &placement), Ok(()));
}

#[test]
fn sizes_beyond_the_address_space_saturate() {
    let placement = place(&[lifetime(usize::MAX, 0, 3); 100]);
    assert_eq!((placement.total, placement.lower_bound), (usize::MAX, usize::MAX));
}

#[test]
fn training_graphs_stay_close_to_the_lower_bound() {
    let mut random = Random(1);
    let mut sum = 0.0;
    for _ in 0..1000 {
        let ops = random.between(4, 200);
        let buffers = training_graph(&mut random, ops);
        let placement = place(&buffers);
        assert_eq!(validate(&buffers, &placement), Ok(()));
        sum += placement.total as f64 / placement.lower_bound as f64;
    }
    let mean = sum / 1000.0;
    assert!(mean <= 1.05, "mean total / lower bound is {mean:.4}");
}

#[test]
fn ten_thousand_buffers_of_a_training_graph_stay_close_to_the_lower_bound() {
    let mut buffers = training_graph(&mut Random(3), 3600);
    buffers.truncate(10_000);
    assert_eq!(buffers.len(), 10_000);
    let placement = place(&buffers);
    assert_eq!(validate(&buffers, &placement), Ok(()));
    assert!(placement.total as f64 <= 1.05 * placement.lower_bound as f64);
}

#[test]
fn placements_are_sound_where_the_work_runs_out() {
    for longest in [20, 1000, 10_000] {
        let buffers = scattered(&mut Random(3), 10_000, longest);
        assert_eq!(validate(&buffers, &place(&buffers)), Ok(()));
    }
}

proptest! {
    #[test]
    fn placements_are_sound_aligned_and_repeatable(
        buffers in prop::collection::vec(
            (0..2000usize, 0..40u32, 0..40u32).prop_map(|(bytes, first, last)| lifetime(bytes, first, last)),
            0..120,
        )
    ) {
        let placement = place(&buffers);
        prop_assert_eq!(validate(&buffers, &placement), Ok(()));
        prop_assert!(placement.offsets.iter().all(|offset| offset % ALIGN == 0));
        prop_assert_eq!(placement.lower_bound, most_bytes_alive(&buffers));
        prop_assert!(placement.total >= placement.lower_bound);
        prop_assert_eq!(place(&buffers), placement);
    }
}
