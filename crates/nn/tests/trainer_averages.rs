//! Averaged weights: they are what is validated and kept, and a resumed run averages on.

mod trainings;

use std::fs;
use std::path::Path;
use trainings::{classifier, folder, quarters, results, run};
use whimbrel_nn::optimisers::Ema;
use whimbrel_nn::trainer::{Start, Trainer};

const ALL: usize = usize::MAX;

fn averaging(folder: &Path, decay: f64) -> Trainer {
    let mut trainer = classifier(folder);
    trainer.optimiser.ema = Some(Ema { decay });
    trainer
}

#[test]
fn a_resumed_run_averages_on() {
    for stopping in [true, false] {
        let trainer = |folder: &Path| {
            let mut trainer = averaging(folder, 0.9);
            trainer.early_stopping = trainer.early_stopping.filter(|_| stopping);
            trainer
        };
        let whole = folder(&format!("averages_{stopping}"));
        run(&trainer(&whole), Start::Fresh, ALL).unwrap();
        for stop in [1, 4, 16, 29, 39] {
            let stopped = folder(&format!("averages_{stopping}_{stop}"));
            run(&trainer(&stopped), Start::Fresh, stop).unwrap();
            run(&trainer(&stopped), Start::Resume, ALL).unwrap();
            assert!(results(&stopped) == results(&whole), "stopped after {stop} steps");
        }
    }
}

#[test]
fn the_averages_are_what_is_validated_and_kept() {
    let folder = folder("averages_kept");
    let mut trainer = averaging(&folder, 0.9);
    trainer.early_stopping = None;
    let examples = quarters();
    let mut run = trainer.start(&examples, Start::Fresh).unwrap();
    let mut last = None;
    while let Some(progress) = run.advance().unwrap() {
        last = progress.epoch.and_then(|epoch| epoch.validation).or(last);
        let [plain, average] =
            ["1.weight", "1.weight.ema"].map(|name| run.session().read_state(name).unwrap());
        assert_eq!(plain == average, run.is_finished() || run.step() == 1);
        let [plain, average] = ["0.running_mean", "0.running_mean.ema"]
            .map(|name| run.session().read_state(name).unwrap());
        assert_eq!(plain == average, run.is_finished() || run.step() == 1);
    }
    // All rows are evaluated here, the validation has a part of them: both with the same weights.
    let weights = folder.join("weights.safetensors");
    let (all, _) = trainer.evaluate(&examples, &weights).unwrap();
    trainer.optimiser.ema = None;
    assert_eq!(trainer.evaluate(&examples, &weights).unwrap().0, all);
    assert!((all.loss - last.as_ref().unwrap().loss).abs() < 0.3, "{all:?} {last:?}");
}

#[test]
fn without_a_memory_the_average_is_the_weight() {
    let (plain, averaged) = (folder("averages_plain"), folder("averages_0"));
    run(&classifier(&plain), Start::Fresh, ALL).unwrap();
    run(&averaging(&averaged, 0.0), Start::Fresh, ALL).unwrap();
    assert!(results(&plain) == results(&averaged));
}

#[test]
fn early_stopping_keeps_the_averages_of_the_best_epoch() {
    let folder = folder("averages_early");
    run(&averaging(&folder, 0.5), Start::Fresh, ALL).unwrap();
    let read = |name| fs::read(folder.join(name)).unwrap();
    assert!(read("weights.safetensors") == read("best.safetensors"));
}
