//! Trainings from a source that is read again in every epoch.

mod trainings;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use trainings::{classifier, folder, quarters, results};
use whimbrel_nn::metrics::MetricName;
use whimbrel_nn::trainer::{
    Chunks, Examples, RowForm, Rows, Source, Start, Targets, TrainError, Trainer,
};

/// The rows of [`quarters`], so many at a time.
struct Quarters {
    chunk: usize,
    /// Rows that are left out when it is opened for the last time.
    lost: usize,
    openings: AtomicUsize,
}

impl Quarters {
    fn new(chunk: usize) -> Quarters {
        Quarters { chunk, lost: 0, openings: AtomicUsize::new(0) }
    }
}

impl Source for Quarters {
    fn form(&self) -> RowForm {
        quarters().form()
    }

    fn open(&self) -> Result<Chunks, TrainError> {
        let lost = if self.openings.fetch_add(1, Ordering::Relaxed) == 3 { self.lost } else { 0 };
        let (examples, chunk) = (quarters(), self.chunk);
        let end = examples.rows() - lost;
        Ok(Box::new((0..end).step_by(chunk).map(move |first| {
            let Targets::Classes(classes) = examples.targets() else { unreachable!() };
            let rows = first..end.min(first + chunk);
            // As in `quarters`.
            let point = |i| [(i % 11) as f32 / 5.0 - 1.0, (i / 11) as f32 / 4.5 - 1.0];
            let inputs = rows.clone().flat_map(point).collect();
            Examples::new(2, inputs, Targets::Classes(classes[rows].to_vec()))
        })))
    }
}

/// The classifier through a buffer of fewer rows than there are.
fn streaming(folder: &Path) -> Trainer {
    Trainer { shuffle_rows: Some(30), ..classifier(folder) }
}

/// Runs until the end, or until `steps` steps are done.
fn run(trainer: &Trainer, source: &Quarters, steps: usize) -> Result<(), TrainError> {
    let mut run = trainer.start(Rows::Streamed(source), Start::Resume)?;
    while run.step() < steps && run.advance()?.is_some() {}
    Ok(())
}

const ALL: usize = usize::MAX;

#[test]
fn a_streamed_run_stopped_anywhere_and_resumed_ends_the_same() {
    let whole = folder("streamed_whole");
    run(&streaming(&whole), &Quarters::new(40), ALL).unwrap();
    let expected = results(&whole);
    assert_eq!(expected.1.iter().filter(|&&byte| byte == b'\n').count(), 8);
    for stop in [1, 2, 3, 4, 6, 9, 15, 16, 29, 39] {
        let stopped = folder(&format!("streamed_{stop}"));
        let trainer = streaming(&stopped);
        run(&trainer, &Quarters::new(40), stop).unwrap();
        run(&trainer, &Quarters::new(40), ALL).unwrap();
        assert!(results(&stopped) == expected, "stopped after {stop} steps");
    }
}

#[test]
fn chunks_and_threads_do_not_change_the_result() {
    let ended = |name: &str, chunk, threads| {
        let folder = folder(name);
        let mut trainer = streaming(&folder);
        trainer.threads = threads;
        run(&trainer, &Quarters::new(chunk), ALL).unwrap();
        results(&folder)
    };
    let expected = ended("chunks_40", 40, 1);
    assert!(ended("chunks_1", 1, 1) == expected);
    assert!(ended("chunks_7", 7, 3) == expected);
    assert!(ended("chunks_all", 1000, 2) == expected);
}

#[test]
fn streamed_rows_are_learned_and_evaluated() {
    let folder = folder("streamed_scores");
    let trainer = streaming(&folder);
    run(&trainer, &Quarters::new(40), ALL).unwrap();
    let weights = folder.join("weights.safetensors");
    let streamed = trainer.evaluate(Rows::Streamed(&Quarters::new(17)), &weights).unwrap();
    let held = trainer.evaluate(&quarters(), &weights).unwrap();
    assert_eq!(streamed, held);
    assert_eq!(streamed.1, 110);
    assert!(streamed.0.get(MetricName::Accuracy).unwrap() > 0.8, "{streamed:?}");
}

#[test]
fn another_buffer_is_another_training_and_so_are_rows_in_memory() {
    let folder = folder("streamed_identity");
    run(&streaming(&folder), &Quarters::new(40), 7).unwrap();
    let source = Quarters::new(40);
    let other = Trainer { shuffle_rows: Some(31), ..classifier(&folder) };
    let message = run(&other, &source, ALL).unwrap_err().to_string();
    assert!(message.contains("was made with other settings"), "{message}");
    let trainer = streaming(&folder);
    let refused = trainer.start(&quarters(), Start::Resume).map(|run| run.step());
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("was made with other data"), "{message}");
}

#[test]
fn rows_that_are_gone_are_missed() {
    let folder = folder("streamed_lost");
    // Opened for counting, for the first epoch, for its validation, and then for the second epoch.
    let source = Quarters { lost: 60, ..Quarters::new(40) };
    let message = run(&streaming(&folder), &source, ALL).unwrap_err().to_string();
    assert!(message.contains("the rows are not those that were read before"), "{message}");
}
