//! Rows that count more or less than others.

mod trainings;

use trainings::folder;
use whimbrel_nn::layers::{Linear, Sequential, Tanh};
use whimbrel_nn::losses::{CrossEntropy, Loss, Mse};
use whimbrel_nn::optimisers::{Optimiser, Sgd};
use whimbrel_nn::trainer::{
    Checkpoints, Chunks, Examples, Length, RowForm, Rows, Source, Start, Targets, TrainError,
    Trainer,
};

/// Rows `numbers`, with classes or with values to predict.
fn examples(numbers: &[usize], classes: bool) -> Examples {
    let inputs = numbers.iter().flat_map(|&i| [(i as f32).sin(), (i as f32 * 0.7).cos()]).collect();
    let targets = match classes {
        true => Targets::Classes(numbers.iter().map(|&i| (i % 3) as i32).collect()),
        false => {
            Targets::Values { width: 1, values: numbers.iter().map(|&i| (i % 5) as f32).collect() }
        }
    };
    Examples::new(2, inputs, targets).unwrap()
}

/// A training on all rows at once.
fn trainer(classes: bool) -> Trainer {
    let network = Sequential::new().then(Linear::new(5)).then(Tanh);
    let network = network.then(Linear::new(if classes { 3 } else { 1 }));
    let loss: Loss = if classes { CrossEntropy::default().into() } else { Mse.into() };
    let optimiser = Optimiser::new(Sgd { lr: 0.1, ..Sgd::default() });
    Trainer {
        length: Length::Steps(10),
        batch_size: 64,
        threads: 1,
        ..Trainer::new(network, loss, optimiser)
    }
}

/// Trains to the end; gives all weights.
fn train<'a>(trainer: &'a Trainer, rows: impl Into<Rows<'a>>) -> Vec<f32> {
    let mut run = trainer.start(rows, Start::Fresh).unwrap();
    while run.advance().unwrap().is_some() {}
    let session = run.session();
    session.state_names().flat_map(|name| session.read_state(name).unwrap()).collect()
}

fn are_close(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5)
}

#[test]
fn a_row_of_weight_two_is_learned_like_two_rows() {
    for classes in [false, true] {
        let (once, twice) = (examples(&[1, 2, 3, 4], classes), examples(&[1, 2, 2, 3, 4], classes));
        let weighted = once.clone().weighted(vec![0.5, 1.0, 0.5, 0.5]).unwrap();
        let trainer = trainer(classes);
        let learned = train(&trainer, &weighted);
        assert!(are_close(&learned, &train(&trainer, &twice)), "classes: {classes}");
        assert!(!are_close(&learned, &train(&trainer, &once)), "classes: {classes}");
    }
}

#[test]
fn a_row_of_weight_zero_is_not_learned_from() {
    for classes in [false, true] {
        let weights = vec![1.0, 0.0, 1.0, 0.0];
        let weighted = examples(&[1, 2, 3, 4], classes).weighted(weights).unwrap();
        let trainer = trainer(classes);
        let learned = train(&trainer, &weighted);
        assert!(are_close(&learned, &train(&trainer, &examples(&[1, 3], classes))));
    }
}

/// Forty rows of growing weight.
fn forty() -> Examples {
    let weights = (0..40).map(|i| i as f32 / 8.0).collect();
    examples(&(0..40).collect::<Vec<_>>(), false).weighted(weights).unwrap()
}

struct Stream;

impl Source for Stream {
    fn form(&self) -> RowForm {
        forty().form()
    }

    fn open(&self) -> Result<Chunks, TrainError> {
        Ok(Box::new(std::iter::once(Ok(forty()))))
    }
}

#[test]
fn a_resumed_training_ends_with_the_same_bits() {
    let rows = forty();
    let sources = [Rows::Held(&rows), Rows::Streamed(&Stream)];
    for (name, rows) in ["weights_held", "weights_streamed"].into_iter().zip(sources) {
        let batches = Trainer {
            batch_size: 7,
            validation: 0.2,
            shuffle_rows: Some(16),
            length: Length::Epochs(4),
            ..trainer(false)
        };
        let through = train(&batches, rows);
        let checkpoints = Some(Checkpoints { folder: folder(name), every: 3, keep: 1 });
        let stopped = Trainer { checkpoints, ..batches };
        let mut run = stopped.start(rows, Start::Fresh).unwrap();
        (0..8).for_each(|_| assert!(run.advance().unwrap().is_some()));
        drop(run);
        let mut run = stopped.start(rows, Start::Resume).unwrap();
        assert_eq!(run.step(), 6, "{name}");
        while run.advance().unwrap().is_some() {}
        let session = run.session();
        let resumed: Vec<f32> =
            session.state_names().flat_map(|name| session.read_state(name).unwrap()).collect();
        assert!(resumed == through, "{name}");
    }
}

#[test]
fn weights_that_do_not_fit_are_refused() {
    let refused =
        |weights: Vec<f32>| examples(&[1, 2, 3], false).weighted(weights).unwrap_err().to_string();
    assert_eq!(refused(vec![1.0]), "there are 1 weights for 3 rows; give one for each row");
    let negative = refused(vec![1.0, -0.5, 1.0]);
    assert_eq!(negative, "the weight of row 2 is -0.5; give numbers that are not negative");
    assert!(refused(vec![1.0, 1.0, f32::INFINITY]).contains("row 3 is inf"));
}
