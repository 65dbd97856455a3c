//! Training steps and forecasts allocate nothing once they have run. One test alone in its process: the count is global.

use whimbrel_bench::allocations;
use whimbrel_bench::models::MODELS;
use whimbrel_bench::suites::steps::inference::Inference;
use whimbrel_bench::suites::steps::training::Training;

const BATCH: usize = 32;

/// Calls in a round.
const CALLS: usize = 3;

/// The fewest allocations of a round. The first calls make what is made once, and the test harness or a
/// thread that parks for the first time may allocate beside; what a call allocates shows in every round.
fn allocations_of(mut call: impl FnMut()) -> Option<usize> {
    let round = |_| allocations::during(|| (0..CALLS).for_each(|_| call()));
    (0..4).map(round).min()
}

#[test]
fn steady_steps_and_forecasts_allocate_nothing() {
    for model in MODELS {
        for threads in [1, 2] {
            let mut training = Training::new(model, BATCH, threads, true).unwrap();
            let count = allocations_of(|| training.step().unwrap());
            assert_eq!(count, Some(0), "{}, a step on {threads} threads", model.name);
            let mut inference = Inference::new(model, BATCH, threads).unwrap();
            let count = allocations_of(|| inference.predict().unwrap());
            assert_eq!(count, Some(0), "{}, a forecast on {threads} threads", model.name);
        }
    }
}
