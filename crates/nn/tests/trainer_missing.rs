//! Missing inputs count as the mean of their column over the rows that are learned from.

mod trainings;

use trainings::folder;
use whimbrel_nn::layers::{Linear, Sequential, Tanh};
use whimbrel_nn::losses::Mse;
use whimbrel_nn::optimisers::{Adam, Optimiser};
use whimbrel_nn::trainer::{
    Checkpoints, Chunks, Examples, Length, Model, RowForm, Rows, Source, Start, Targets,
    TrainError, Trainer,
};

const ROWS: usize = 16;
const MEANS: &str = "inputs.mean";

/// Row `i` has the input `2^i`, so that a sum tells its rows, and one that is missing in every third row.
fn examples(fill: Option<&[f32]>) -> Examples {
    let gap = fill.map_or(f32::NAN, |means| means[1]);
    let second = |i: usize| if i.is_multiple_of(3) { gap } else { (i as f32).sin() };
    let inputs = (0..ROWS).flat_map(|i| [(1 << i) as f32, second(i)]).collect();
    let values = (0..ROWS).map(|i| (i as f32).cos()).collect();
    Examples::with_missing(2, inputs, Targets::Values { width: 1, values }).unwrap()
}

struct Stream;

impl Source for Stream {
    fn form(&self) -> RowForm {
        examples(None).form()
    }

    fn open(&self) -> Result<Chunks, TrainError> {
        Ok(Box::new(std::iter::once(Ok(examples(None)))))
    }
}

fn trainer(test: &str) -> Trainer {
    let network = Sequential::new().then(Linear::new(4)).then(Tanh).then(Linear::new(1));
    Trainer {
        length: Length::Epochs(3),
        batch_size: 5,
        validation: 0.25,
        fill_missing: true,
        checkpoints: Some(Checkpoints { folder: folder(test), every: 2, keep: 1 }),
        threads: 1,
        ..Trainer::new(network, Mse, Optimiser::new(Adam::default()))
    }
}

/// Trains to the end; gives the state.
fn train<'a>(trainer: &'a Trainer, rows: Rows<'a>) -> Vec<(String, Vec<f32>)> {
    let mut run = trainer.start(rows, Start::Fresh).unwrap();
    while run.advance().unwrap().is_some() {}
    let session = run.session();
    let names = session.state_names();
    names.map(|name| (name.into(), session.read_state(name).unwrap())).collect()
}

fn means(state: &[(String, Vec<f32>)]) -> &[f32] {
    &state.iter().find(|(name, _)| name == MEANS).unwrap().1
}

#[test]
fn rows_of_the_validation_do_not_count() {
    let (held, streamed) = (trainer("missing_held"), trainer("missing_streamed"));
    let learned = train(&held, Rows::Held(&examples(None)));
    let first = f64::from(means(&learned)[0]) * 12.0;
    assert_eq!((first.round() as u32).count_ones(), 12, "rows in the mean: {first}");
    let state = train(&streamed, Rows::Streamed(&Stream));
    let counts = (8..ROWS as u32).filter(|&rows| {
        let sum = f64::from(means(&state)[0]) * f64::from(rows);
        (sum - sum.round()).abs() < 1e-3 && (sum.round() as u32).count_ones() == rows
    });
    assert_eq!(counts.count(), 1, "{:?}", means(&state));
}

#[test]
fn a_gap_is_learned_and_predicted_as_its_mean() {
    let trainer = trainer("missing_gaps");
    let learned = train(&trainer, Rows::Held(&examples(None)));
    let means = means(&learned).to_vec();
    let filled = examples(Some(&means));
    let plain = Trainer {
        fill_missing: false,
        checkpoints: Some(Checkpoints { folder: folder("missing_filled"), every: 2, keep: 1 }),
        ..trainer.clone()
    };
    let expected = train(&plain, Rows::Held(&filled));
    let weights = learned.iter().filter(|(name, _)| name != MEANS);
    assert!(weights.eq(&expected), "the same bits");
    let path = |trainer: &Trainer| {
        trainer.checkpoints.as_ref().unwrap().folder.join("weights.safetensors")
    };
    let mut model = Model::load(&trainer, 2, &path(&trainer)).unwrap();
    let mut other = Model::load(&plain, 2, &path(&plain)).unwrap();
    assert_eq!(model.predict(&[2.0, f32::NAN]).unwrap(), other.predict(&[2.0, means[1]]).unwrap());
    assert_eq!(
        trainer.evaluate(&examples(None), &path(&trainer)).unwrap(),
        plain.evaluate(&filled, &path(&plain)).unwrap()
    );
}

#[test]
fn a_gap_is_refused_unless_it_is_to_be_filled() {
    let trainer = Trainer { fill_missing: false, ..trainer("missing_refused") };
    let message = trainer.start(&examples(None), Start::Fresh).map(|_| ()).unwrap_err().to_string();
    let says = "input 2 of row 1 is missing; fill it in, remove the row, or set fill_missing";
    assert_eq!(message, says);
    let empty = vec![1.0, f32::NAN, 2.0, f32::NAN];
    let values = Targets::Values { width: 1, values: vec![0.0; 2] };
    assert!(Examples::new(2, empty.clone(), values.clone()).is_err());
    let examples = Examples::with_missing(2, empty, values).unwrap();
    let trainer = Trainer { fill_missing: true, validation: 0.0, ..trainer };
    let message = trainer.start(&examples, Start::Fresh).map(|_| ()).unwrap_err().to_string();
    assert!(message.starts_with("input 2 has no value in any row"), "{message}");
}
