//! What every model learns and forecasts has the same bits on any number of threads, and a forecast
//! whatever other windows are beside it.

use whimbrel_bench::models::{HORIZON, MODELS, Model};
use whimbrel_bench::suites::steps::inference::Inference;
use whimbrel_bench::suites::steps::training::Training;

const THREADS: [usize; 4] = [1, 2, 3, 8];

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Losses of the first steps, dropout on, and the state after them.
fn trained(model: &Model, batch: usize, threads: usize) -> (Vec<u32>, Vec<u32>) {
    let mut training = Training::new(model, batch, threads, true).unwrap();
    let losses = training.losses(2).unwrap();
    (bits(&losses), bits(&training.state().unwrap()))
}

fn forecasts(model: &Model, batch: usize, threads: usize) -> Vec<u32> {
    bits(&Inference::new(model, batch, threads).unwrap().forecasts().unwrap())
}

#[test]
fn training_does_not_depend_on_the_number_of_threads() {
    for model in MODELS {
        for batch in [32, 100] {
            let [alone, crowds @ ..] = THREADS.map(|threads| trained(model, batch, threads));
            for (crowd, threads) in crowds.iter().zip(&THREADS[1..]) {
                assert_eq!(
                    crowd.0, alone.0,
                    "losses of {} at {batch}, {threads} threads",
                    model.name
                );
                assert!(
                    crowd.1 == alone.1,
                    "state of {} at {batch}, {threads} threads",
                    model.name
                );
            }
        }
    }
}

#[test]
fn forecasts_do_not_depend_on_the_number_of_threads() {
    for model in MODELS {
        for batch in [1, 33] {
            let alone = forecasts(model, batch, 1);
            for threads in &THREADS[1..] {
                let crowd = forecasts(model, batch, *threads);
                assert_eq!(crowd, alone, "{} at {batch}, {threads} threads", model.name);
            }
        }
    }
}

#[test]
fn a_forecast_does_not_depend_on_the_windows_beside_it() {
    for model in MODELS {
        let all = forecasts(model, 96, 1);
        for batch in [1, 5, 32] {
            let some = forecasts(model, batch, 1);
            for (item, (some, all)) in some.chunks(HORIZON).zip(all.chunks(HORIZON)).enumerate() {
                assert_eq!(some, all, "{}, item {item} of {batch}", model.name);
            }
        }
    }
}
