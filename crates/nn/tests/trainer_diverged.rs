//! Trainings that leave the numbers: they fail by name, and what was good before stays.

mod trainings;

use std::fs;
use std::path::Path;
use trainings::folder;
use whimbrel_nn::layers::{Linear, Relu, Sequential};
use whimbrel_nn::losses::{Mse, Poisson};
use whimbrel_nn::optimisers::{Optimiser, Sgd};
use whimbrel_nn::schedules::{Constant, Step};
use whimbrel_nn::trainer::{
    Checkpoints, EarlyStopping, Examples, Length, Start, Targets, TrainError, Trainer,
};

fn examples() -> Examples {
    let inputs: Vec<f32> = (0..40).map(|i| 1.0 + i as f32 / 40.0).collect();
    let values = inputs.iter().map(|x| 3.0 * x).collect();
    Examples::new(1, inputs, Targets::Values { width: 1, values }).unwrap()
}

/// Steps of plain gradient descent over all rows, with a checkpoint after each and none kept but the last.
fn trainer(folder: &Path, lr: f64, steps: usize) -> Trainer {
    let network = Sequential::new().then(Linear::new(4)).then(Relu).then(Linear::new(1));
    Trainer {
        length: Length::Steps(steps),
        batch_size: 64,
        checkpoints: Some(Checkpoints { folder: folder.into(), every: 1, keep: 1 }),
        threads: 1,
        ..Trainer::new(network, Mse, Optimiser::new(Sgd { lr, ..Sgd::default() }))
    }
}

fn train(trainer: &Trainer, start: Start) -> Result<(), TrainError> {
    let examples = examples();
    let mut run = trainer.start(&examples, start)?;
    while run.advance()?.is_some() {}
    Ok(())
}

/// What lies in a folder, but for the log.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names = entries.map(|name| name.into_string().unwrap());
    names.filter(|name| name != "log.jsonl").collect()
}

#[test]
fn weights_that_are_not_finite_are_not_written() {
    let folder = folder("diverged_last");
    let error = train(&trainer(&folder, 3e38, 1), Start::Fresh).unwrap_err();
    assert!(!error.is_input());
    let message = error.to_string();
    assert!(message.contains(" is not finite after step 1; lower the learning rate"), "{message}");
    assert!(message.starts_with("0.") || message.starts_with("2."), "{message}");
    assert!(names(&folder).is_empty(), "{:?}", names(&folder));
    let nowhere = Trainer { checkpoints: None, ..trainer(&folder, 3e38, 1) };
    assert!(train(&nowhere, Start::Fresh).is_err(), "nor taken for learned");
}

#[test]
fn the_last_good_checkpoint_stays() {
    let folder = folder("diverged_later");
    // Good for three steps, then a rate beyond all measure.
    let schedule = Step { step_size: 3, gamma: 3e41 };
    let trainer = Trainer { schedule: schedule.into(), ..trainer(&folder, 1e-3, 10) };
    let message = train(&trainer, Start::Fresh).unwrap_err().to_string();
    assert!(message.contains(" is not finite after step 4; "), "{message}");
    assert_eq!(names(&folder), ["checkpoint-000000000003.safetensors"]);
    let again = train(&trainer, Start::Resume).unwrap_err().to_string();
    assert_eq!(again, message, "it goes on from there");
}

#[test]
fn a_validation_without_a_finite_loss_fails() {
    // The weights stay finite, the exponential of a prediction does not.
    let folder = folder("diverged_validation");
    let network = Sequential::new().then(Linear::new(1));
    let trainer = Trainer {
        network,
        loss: Poisson::default().into(),
        validation: 0.25,
        ..trainer(&folder, 1e3, 1)
    };
    let message = train(&trainer, Start::Fresh).unwrap_err().to_string();
    assert!(message.starts_with("the loss of the validation is inf after step 1; "), "{message}");
    assert!(names(&folder).is_empty(), "{:?}", names(&folder));
}

/// Good for three epochs of a step each, then a rate beyond all measure.
fn spoiled(folder: &Path, every: usize) -> Trainer {
    Trainer {
        schedule: Step { step_size: 3, gamma: 3e41 }.into(),
        validation: 0.25,
        early_stopping: Some(EarlyStopping { patience: 5, min_delta: 0.0 }),
        checkpoints: Some(Checkpoints { folder: folder.into(), every, keep: 1 }),
        ..trainer(folder, 1e-3, 4)
    }
}

/// The weights after the three good epochs.
fn good(test: &str) -> Vec<u8> {
    let folder = folder(test);
    train(&Trainer { length: Length::Steps(3), ..spoiled(&folder, 1000) }, Start::Fresh).unwrap();
    fs::read(folder.join("weights.safetensors")).unwrap()
}

#[test]
fn the_best_weights_outlive_a_last_step_that_spoils_them() {
    let expected = good("best_kept_good");
    for every in [1000, 2, 1] {
        let folder = folder(&format!("best_kept_{every}"));
        let trainer = spoiled(&folder, every);
        let error = train(&trainer, Start::Fresh).unwrap_err();
        assert!(error.is_diverged() && !error.is_input());
        let (message, best) = (error.to_string(), folder.join("best.safetensors"));
        assert!(message.contains(" is not finite after step 4; lower the learning"), "{message}");
        let says = format!("; the best weights so far, of epoch 3, are in {}", best.display());
        assert!(message.ends_with(&says), "{message}");
        assert!(fs::read(&best).unwrap() == expected, "a checkpoint after {every} steps");
        assert!(!folder.join("weights.safetensors").exists(), "the run has not come to its end");
    }
}

#[test]
fn a_run_that_failed_after_its_best_epoch_can_be_resumed() {
    let folder = folder("best_kept_resumed");
    let trainer = spoiled(&folder, 2);
    let first = train(&trainer, Start::Fresh).unwrap_err().to_string();
    let best = fs::read(folder.join("best.safetensors")).unwrap();
    assert_eq!(train(&trainer, Start::Resume).unwrap_err().to_string(), first);
    assert!(fs::read(folder.join("best.safetensors")).unwrap() == best);
}

#[test]
fn without_a_folder_the_run_has_the_best_weights() {
    let folder = folder("best_kept_nowhere");
    let trainer = Trainer { checkpoints: None, ..spoiled(&folder, 1) };
    let examples = examples();
    let weight = |run: &whimbrel_nn::trainer::Run| run.session().read_state("0.weight").unwrap();
    let mut run = trainer.start(&examples, Start::Fresh).unwrap();
    for _ in 0..3 {
        run.advance().unwrap();
    }
    let expected = weight(&run);
    let message = run.advance().unwrap_err().to_string();
    assert!(
        message.ends_with("; the best weights so far, of epoch 3, are in the run"),
        "{message}"
    );
    assert_eq!(weight(&run), expected);
}

#[test]
fn a_run_without_a_good_epoch_has_no_best_weights() {
    let folder = folder("best_none");
    let trainer = Trainer { schedule: Constant::default().into(), ..spoiled(&folder, 1000) };
    let optimiser = Optimiser::new(Sgd { lr: 3e38, ..Sgd::default() });
    let error = train(&Trainer { optimiser, ..trainer }, Start::Fresh).unwrap_err();
    assert!(matches!(error, TrainError::NotFinite { step: 1, .. }), "{error}");
    assert!(names(&folder).is_empty(), "{:?}", names(&folder));
}
