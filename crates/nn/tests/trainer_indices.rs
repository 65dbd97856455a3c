//! Networks that begin with an embedding learn from rows of indices.

mod trainings;

use trainings::folder;
use whimbrel_nn::layers::{Embedding, Flatten, Linear, Sequential};
use whimbrel_nn::losses::CrossEntropy;
use whimbrel_nn::metrics::MetricName;
use whimbrel_nn::optimisers::{Adam, Optimiser};
use whimbrel_nn::summarise;
use whimbrel_nn::trainer::{Checkpoints, Examples, Length, Model, Start, Targets, Trainer};

/// Rows of three of six things; the class says whether thing 4 is among them.
fn rows() -> (Vec<f32>, Vec<i32>) {
    let row = |i: usize| [i % 6, i / 6 % 6, i / 36];
    let inputs = (0..216).flat_map(row).map(|thing| thing as f32).collect();
    (inputs, (0..216).map(|i| i32::from(row(i).contains(&4))).collect())
}

fn trainer(test: &str) -> Trainer {
    let network = Sequential::new().then(Embedding::new(6, 3)).then(Flatten).then(Linear::new(2));
    let folder = folder(test);
    Trainer {
        length: Length::Epochs(40),
        checkpoints: Some(Checkpoints { folder, every: 1000, keep: 1 }),
        threads: 1,
        ..Trainer::new(
            network,
            CrossEntropy::default(),
            Optimiser::new(Adam { lr: 0.05, ..Adam::default() }),
        )
    }
}

#[test]
fn what_is_learned_of_indices_is_predicted_and_scored() {
    let trainer = trainer("indices");
    let (inputs, classes) = rows();
    let examples = Examples::new(3, inputs.clone(), Targets::Classes(classes.clone())).unwrap();
    let mut run = trainer.start(&examples, Start::Fresh).unwrap();
    while run.advance().unwrap().is_some() {}
    let weights = trainer.checkpoints.as_ref().unwrap().folder.join("weights.safetensors");
    let (scores, count) = trainer.evaluate(&examples, &weights).unwrap();
    assert_eq!((scores.get(MetricName::Accuracy), count), (Some(1.0), 216));
    let scores = Model::load(&trainer, 3, &weights).unwrap().predict(&inputs).unwrap();
    let predicted: Vec<i32> = scores.chunks(2).map(|row| i32::from(row[1] > row[0])).collect();
    assert_eq!(predicted, classes);
    assert!(trainer.needs(&examples).unwrap().arena > 0);
    assert_eq!(trainer.profile_training(&examples, 2).unwrap().runs, 2);
    assert_eq!(trainer.profile_prediction(&examples, 2).unwrap().runs, 2);
    let (rates, _) = trainer.measure_batch_sizes(examples.form(), 216, u64::MAX).unwrap();
    assert_eq!(rates.len(), 1);
    assert_eq!(summarise(&trainer.network, 3).unwrap()[0].shape, [3, 3]);
}

#[test]
fn what_is_no_index_is_refused_with_its_place() {
    let trainer = trainer("indices_refused");
    for wrong in [6.0, -1.0, 0.5] {
        let (mut inputs, classes) = rows();
        inputs[3 * 7 + 1] = wrong;
        let examples = Examples::new(3, inputs, Targets::Classes(classes)).unwrap();
        let message = trainer.start(&examples, Start::Fresh).map(|_| ()).unwrap_err().to_string();
        let says = format!("input 2 of row 8 is {wrong}, which is no index of an embedding of 6");
        assert!(message.starts_with(&says), "{message}");
    }
    let filled = Trainer { fill_missing: true, ..trainer };
    let message = filled.check().unwrap_err().to_string();
    assert!(message.starts_with("missing is mean: indices of an embedding have none"), "{message}");
}
