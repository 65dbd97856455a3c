//! Gradients of several batches, averaged before one step.

mod trainings;

use std::path::Path;
use trainings::{classifier, folder, quarters, results, run};
use whimbrel_nn::layers::{Linear, Sequential, Tanh};
use whimbrel_nn::losses::CrossEntropy;
use whimbrel_nn::optimisers::{Clip, Optimiser, Rule, Sgd};
use whimbrel_nn::trainer::{Length, Start, Trainer};

const ALL: usize = usize::MAX;

/// The losses of the epochs and the weights in the end of ten epochs, 88 rows in each.
fn learned(batch_size: usize, accumulate: usize, clip: Option<Clip>) -> (Vec<f64>, Vec<f32>) {
    let network = Sequential::new().then(Linear::new(16)).then(Tanh).then(Linear::new(4));
    let rule: Rule = Sgd { lr: 0.1, momentum: 0.9, ..Sgd::default() }.into();
    let optimiser = Optimiser { clip, ..Optimiser::new(rule) };
    let trainer = Trainer {
        length: Length::Epochs(10),
        batch_size,
        accumulate,
        validation: 0.2,
        seed: 3,
        ..Trainer::new(network, CrossEntropy::default(), optimiser)
    };
    let examples = quarters();
    let mut run = trainer.start(&examples, Start::Fresh).unwrap();
    assert_eq!(run.steps(), 10 * 88_usize.div_ceil(batch_size * accumulate));
    let mut losses = Vec::new();
    while let Some(progress) = run.advance().unwrap() {
        losses.extend(progress.epoch.map(|epoch| epoch.loss));
    }
    assert_eq!(run.step(), run.steps());
    (losses, run.session().read_state("0.weight").unwrap())
}

#[test]
fn accumulated_batches_are_one_large_batch() {
    for clip in [None, Some(Clip::Norm(0.05)), Some(Clip::Value(0.01))] {
        let (losses, weights) = learned(20, 1, clip);
        // 88 rows are four steps of 20 and one of 8: of two batches, then of one.
        for (batch_size, accumulate) in [(5, 4), (10, 2), (4, 5)] {
            let (others, other) = learned(batch_size, accumulate, clip);
            let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-4 * a.abs();
            assert!(losses.iter().zip(&others).all(near), "{losses:?} {others:?}");
            let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-4;
            assert!(weights.iter().zip(&other).all(near), "{accumulate} of {batch_size}, {clip:?}");
        }
        let (_, small) = learned(5, 1, clip);
        assert!(weights.iter().zip(&small).any(|(a, b)| (a - b).abs() > 1e-2), "it matters");
    }
}

/// Dropout and running statistics; steps of 4, 4, 4, 4 and 2 batches.
fn accumulating(folder: &Path) -> Trainer {
    Trainer { batch_size: 5, accumulate: 4, ..classifier(folder) }
}

#[test]
fn an_accumulating_run_stopped_anywhere_and_resumed_ends_the_same() {
    let whole = folder("accumulate_whole");
    run(&accumulating(&whole), Start::Fresh, ALL).unwrap();
    let expected = results(&whole);
    for stop in [1, 3, 5, 8, 16] {
        let stopped = folder(&format!("accumulate_{stop}"));
        let trainer = accumulating(&stopped);
        run(&trainer, Start::Fresh, stop).unwrap();
        run(&trainer, Start::Resume, ALL).unwrap();
        assert!(results(&stopped) == expected, "stopped after {stop} steps");
    }
}

#[test]
fn threads_do_not_change_an_accumulating_run() {
    let [one, two] = [1, 2].map(|threads| {
        let folder = folder(&format!("accumulate_threads_{threads}"));
        run(&Trainer { threads, ..accumulating(&folder) }, Start::Fresh, ALL).unwrap();
        results(&folder)
    });
    assert!(one == two);
}
