//! Small trainings that use everything a checkpoint must remember.

#![allow(dead_code, reason = "each test file uses a part")]

use std::path::{Path, PathBuf};
use whimbrel_nn::layers::{BatchNorm1d, Dropout, Linear, Relu, Sequential};
use whimbrel_nn::losses::CrossEntropy;
use whimbrel_nn::optimisers::{Adam, Optimiser};
use whimbrel_nn::schedules::Plateau;
use whimbrel_nn::trainer::{
    Checkpoints, EarlyStopping, Examples, Length, Start, Targets, TrainError, Trainer,
};

/// Points on a grid, in four classes by their quarter.
pub fn quarters() -> Examples {
    let (mut inputs, mut classes) = (Vec::new(), Vec::new());
    for i in 0..110 {
        let (x, y) = ((i % 11) as f32 / 5.0 - 1.0, (i / 11) as f32 / 4.5 - 1.0);
        inputs.extend([x, y]);
        classes.push(i32::from(x > 0.0) + 2 * i32::from(y > 0.0));
    }
    Examples::new(2, inputs, Targets::Classes(classes)).unwrap()
}

/// Dropout, running statistics, a schedule that observes, batches that do not divide the rows, and a
/// validation: 5 steps an epoch, 40 in all.
pub fn classifier(folder: &Path) -> Trainer {
    let network = Sequential::new()
        .then(BatchNorm1d::default())
        .then(Linear::new(16))
        .then(Relu)
        .then(Dropout { p: 0.2 })
        .then(Linear::new(4));
    let optimiser = Optimiser::new(Adam { lr: 0.05, ..Adam::default() });
    Trainer {
        schedule: Plateau { patience: 1, factor: 0.5, ..Plateau::default() }.into(),
        length: Length::Epochs(8),
        batch_size: 20,
        seed: 7,
        validation: 0.2,
        early_stopping: Some(EarlyStopping { patience: 4, min_delta: 0.0 }),
        checkpoints: Some(Checkpoints { folder: folder.into(), every: 3, keep: 2 }),
        threads: 1,
        ..Trainer::new(network, CrossEntropy::default(), optimiser)
    }
}

/// A folder for one test, empty.
pub fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// Runs until the end, or until `steps` steps are done; gives the steps it began with.
pub fn run(trainer: &Trainer, start: Start, steps: usize) -> Result<usize, TrainError> {
    let examples = quarters();
    let mut run = trainer.start(&examples, start)?;
    let begun = run.step();
    while run.step() < steps && run.advance()?.is_some() {}
    Ok(begun)
}

/// The bytes of the weights and of the log in the end.
pub fn results(folder: &Path) -> (Vec<u8>, Vec<u8>) {
    let read = |name| std::fs::read(folder.join(name)).unwrap();
    (read("weights.safetensors"), read("log.jsonl"))
}
