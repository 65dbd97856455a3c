//! Trainings that leave the numbers: they fail by name, and what was good before stays.

mod trainings;

use std::fs;
use std::path::Path;
use trainings::folder;
use whimbrel_nn::layers::{Linear, Relu, Sequential};
use whimbrel_nn::losses::{Mse, Poisson};
use whimbrel_nn::optimisers::{Optimiser, Sgd};
use whimbrel_nn::schedules::Step;
use whimbrel_nn::trainer::{Checkpoints, Examples, Length, Start, Targets, TrainError, Trainer};

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
