//! A run that was stopped and resumed ends as one that was not, to the bit.

mod trainings;

use std::fs;
use std::path::Path;
use trainings::{classifier, folder, quarters, results, run};
use whimbrel_nn::trainer::{EarlyStopping, Length, Start};

const ALL: usize = usize::MAX;

#[test]
fn a_run_stopped_anywhere_and_resumed_ends_the_same() {
    let whole = folder("resume_whole");
    run(&classifier(&whole), Start::Fresh, ALL).unwrap();
    let expected = results(&whole);
    assert_eq!(expected.1.iter().filter(|&&byte| byte == b'\n').count(), 8);
    for stop in [1, 2, 3, 4, 5, 9, 14, 15, 16, 29, 39] {
        let stopped = folder(&format!("resume_{stop}"));
        let trainer = classifier(&stopped);
        run(&trainer, Start::Fresh, stop).unwrap();
        let begun = run(&trainer, Start::Resume, ALL).unwrap();
        assert_eq!(begun, stop / 3 * 3, "resumes at the last checkpoint");
        assert!(results(&stopped) == expected, "stopped after {stop} steps");
    }
}

#[test]
fn a_run_stopped_again_and_again_ends_the_same() {
    let whole = folder("often_whole");
    run(&classifier(&whole), Start::Fresh, ALL).unwrap();
    let often = folder("often");
    let trainer = classifier(&often);
    for stop in [4, 7, 8, 13, 22, 23, 31] {
        run(&trainer, Start::Resume, stop).unwrap();
    }
    run(&trainer, Start::Resume, ALL).unwrap();
    assert!(results(&often) == results(&whole));
}

#[test]
fn a_checkpoint_with_a_bit_turned_is_put_aside() {
    let whole = folder("bit_whole");
    run(&classifier(&whole), Start::Fresh, ALL).unwrap();
    let turned = folder("bit_turned");
    let trainer = classifier(&turned);
    run(&trainer, Start::Fresh, 7).unwrap();
    let newest = turned.join("checkpoint-000000000006.safetensors");
    let mut bytes = fs::read(&newest).unwrap();
    let last = bytes.len() - 40;
    bytes[last] ^= 1;
    fs::write(&newest, bytes).unwrap();
    assert_eq!(run(&trainer, Start::Resume, ALL).unwrap(), 3);
    assert!(results(&turned) == results(&whole));
}

#[test]
fn threads_do_not_change_the_result() {
    let [one, two] = [1, 2].map(|threads| {
        let folder = folder(&format!("threads_{threads}"));
        let mut trainer = classifier(&folder);
        trainer.threads = threads;
        run(&trainer, Start::Fresh, ALL).unwrap();
        results(&folder)
    });
    assert!(one == two);
}

#[test]
fn early_stopping_goes_back_to_the_best_weights() {
    let folder = folder("early");
    let mut trainer = classifier(&folder);
    trainer.length = Length::Epochs(200);
    trainer.early_stopping = Some(EarlyStopping { patience: 2, min_delta: 0.0 });
    let examples = quarters();
    let mut run = trainer.start(&examples, Start::Fresh).unwrap();
    let mut losses = Vec::new();
    while let Some(progress) = run.advance().unwrap() {
        losses.extend(progress.epoch.and_then(|epoch| epoch.validation).map(|v| v.loss));
    }
    let (epoch, loss) = run.best().unwrap();
    assert!(losses.len() < 200, "did not stop early");
    assert_eq!(losses.len(), epoch + 3, "patience 2 ends with the third epoch without a gain");
    assert_eq!(losses[epoch - 1], loss);
    let weights = |name| fs::read(folder.join(name)).unwrap();
    assert!(weights("weights.safetensors") == weights("best.safetensors"));
    let restored = run.session().read_state("1.weight").unwrap();
    drop(run);
    let resumed = trainer.start(&examples, Start::Resume).unwrap();
    assert!(resumed.is_finished());
    assert_eq!(resumed.session().read_state("1.weight").unwrap(), restored);
}

#[test]
fn steps_end_a_run_within_an_epoch() {
    let folder = folder("steps");
    let mut trainer = classifier(&folder);
    trainer.length = Length::Steps(7);
    run(&trainer, Start::Fresh, ALL).unwrap();
    let log = fs::read_to_string(folder.join("log.jsonl")).unwrap();
    let steps: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        steps.iter().map(|line| line["step"].as_u64()).collect::<Vec<_>>(),
        [Some(5), Some(7)]
    );
}

/// `version_1` is what `classifier` leaves when it is stopped after 16 steps, written by the first
/// program that knew checkpoints.
#[test]
fn a_checkpoint_of_version_1_stays_readable() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/version_1");
    let folder = folder("version_1");
    fs::create_dir_all(&folder).unwrap();
    for name in ["checkpoint-000000000015.safetensors", "best.safetensors", "log.jsonl"] {
        fs::copy(fixture.join(name), folder.join(name)).unwrap();
    }
    assert_eq!(run(&classifier(&folder), Start::Resume, ALL).unwrap(), 15);
    assert_eq!(results(&folder).1.iter().filter(|&&byte| byte == b'\n').count(), 8);
}
