//! The network that a training gives is the one that it leaves in its folder.

mod trainings;

use std::fs;
use trainings::{classifier, folder, quarters};
use whimbrel_nn::layers::{Linear, Sequential};
use whimbrel_nn::losses::Mse;
use whimbrel_nn::optimisers::{Adam, Ema};
use whimbrel_nn::trainer::{
    Checkpoints, Examples, Length, Model, Start, Targets, Trainer, input_names,
};

const POINTS: [f32; 6] = [0.5, -0.25, 1.0, 0.75, -1.0, 0.0];

/// Averages, running statistics and the best of several epochs.
#[test]
fn a_training_gives_the_weights_it_leaves() {
    for ema in [None, Some(Ema { decay: 0.9 })] {
        let folder = folder("model_left");
        let mut trainer = classifier(&folder);
        trainer.optimiser.ema = ema;
        trainer.input_names = vec!["x".into(), "y".into()];
        let mut model = trainer.train(&quarters()).unwrap();
        let left = folder.join("weights.safetensors");
        let mut loaded = Model::load(&trainer, 2, &left).unwrap();
        assert_eq!(model.predict(&POINTS).unwrap(), loaded.predict(&POINTS).unwrap());
        let saved = folder.join("saved.safetensors");
        model.save(&saved).unwrap();
        let mut again = Model::load(&trainer, 2, &saved).unwrap();
        assert_eq!(model.predict(&POINTS).unwrap(), again.predict(&POINTS).unwrap());
        assert_eq!(input_names(&saved).unwrap(), Some(trainer.input_names.clone()));
    }
}

#[test]
fn what_missing_inputs_count_as_goes_along() {
    let targets = Targets::Values { width: 1, values: vec![1.0, 2.0, 3.0] };
    let inputs = vec![1.0, 4.0, f32::NAN, 2.0, 3.0, f32::NAN];
    let examples = Examples::with_missing(2, inputs, targets).unwrap();
    let network = Sequential::new().then(Linear::new(1));
    let trainer = Trainer {
        fill_missing: true,
        length: Length::Epochs(3),
        ..Trainer::new(network, Mse, Adam::default())
    };
    let predicted = trainer.train(&examples).unwrap().predict(&[f32::NAN, 5.0, 2.0, 5.0]).unwrap();
    assert_eq!(predicted[0], predicted[1], "the mean of the first column is 2");
}

#[test]
fn a_run_under_way_gives_its_weights_too() {
    let folder = folder("model_under_way");
    let trainer = Trainer {
        checkpoints: Some(Checkpoints { folder: folder.clone(), every: 1000, keep: 1 }),
        early_stopping: None,
        ..classifier(&folder)
    };
    let examples = quarters();
    let mut run = trainer.start(&examples, Start::Fresh).unwrap();
    let first = run.model().unwrap().predict(&POINTS).unwrap();
    run.advance().unwrap();
    assert_ne!(run.model().unwrap().predict(&POINTS).unwrap(), first);
    assert!(!folder.join("weights.safetensors").exists());
    fs::remove_dir_all(folder).unwrap();
}
