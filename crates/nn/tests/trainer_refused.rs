//! Checkpoints that cannot be used, and folders that must not be.

mod trainings;

use std::fs;
use std::path::{Path, PathBuf};
use trainings::{classifier, folder, quarters, results, run};
use whimbrel_nn::trainer::{Examples, Start, Targets, TrainError};

const ALL: usize = usize::MAX;

/// The checkpoints of a folder, oldest first.
fn checkpoints(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = entries
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("checkpoint-"))
        .collect();
    paths.sort();
    paths
}

/// A folder with checkpoints of steps 12 and 15.
fn stopped(test: &str) -> PathBuf {
    let folder = folder(test);
    run(&classifier(&folder), Start::Fresh, 16).unwrap();
    assert_eq!(checkpoints(&folder).len(), 2, "only the newest two are kept");
    folder
}

#[test]
fn a_damaged_checkpoint_is_passed_over_for_the_one_before() {
    let whole = folder("damaged_whole");
    run(&classifier(&whole), Start::Fresh, ALL).unwrap();
    let header_of_another = b"\x02\0\0\0\0\0\0\0{}".to_vec();
    for (name, damage) in
        [("truncated", None), ("foreign", Some(header_of_another)), ("empty", Some(vec![]))]
    {
        let folder = stopped(&format!("damaged_{name}"));
        let newest = checkpoints(&folder).pop().unwrap();
        let bytes = fs::read(&newest).unwrap();
        fs::write(&newest, damage.unwrap_or(bytes[..bytes.len() - 9].to_vec())).unwrap();
        let (trainer, examples) = (classifier(&folder), quarters());
        let mut run = trainer.start(&examples, Start::Resume).unwrap();
        assert_eq!(run.step(), 12, "{name}");
        assert!(run.skipped()[0].contains("checkpoint-000000000015"), "{:?}", run.skipped());
        while run.advance().unwrap().is_some() {}
        assert!(results(&folder) == results(&whole), "{name}");
    }
}

#[test]
fn best_weights_that_are_gone_are_missed_at_once_by_a_run_that_is_not_finished() {
    let folder = stopped("best_lost");
    let (trainer, best) = (classifier(&folder), folder.join("best.safetensors"));
    let whole = fs::read(&best).unwrap();
    let refused = |says: &str| {
        let message = run(&trainer, Start::Resume, ALL).unwrap_err().to_string();
        let remedy = "; restore it, or delete the folder and start again";
        assert!(message.contains(says) && message.ends_with(remedy), "{message}");
    };
    fs::remove_file(&best).unwrap();
    refused("best.safetensors: the best weights so far cannot be read: ");
    fs::write(&best, &whole[..whole.len() / 2]).unwrap();
    refused("best.safetensors: not a usable safetensors file");
    fs::write(&best, whole).unwrap();
    run(&trainer, Start::Resume, ALL).unwrap();
    let expected = results(&folder);
    fs::remove_file(&best).unwrap();
    fs::remove_file(folder.join("weights.safetensors")).unwrap();
    run(&trainer, Start::Resume, ALL).unwrap();
    assert!(results(&folder) == expected, "the weights are written again");
}

#[test]
fn without_a_whole_checkpoint_the_run_is_refused() {
    let folder = stopped("none_whole");
    for path in checkpoints(&folder) {
        fs::write(path, b"nothing").unwrap();
    }
    let error = run(&classifier(&folder), Start::Resume, ALL).unwrap_err();
    let message = error.to_string();
    assert!(error.is_input(), "{message}");
    assert!(message.contains("no checkpoint of the folder is whole"), "{message}");
    assert!(message.contains("delete the folder and start again"), "{message}");
}

#[test]
fn an_unknown_version_is_named_with_the_remedy() {
    let folder = stopped("version");
    let newest = checkpoints(&folder).pop().unwrap();
    let bytes = fs::read(&newest).unwrap();
    let known = br#"{\"version\":1"#;
    let at = bytes.windows(known.len()).position(|window| window == known).unwrap();
    let mut changed = bytes.clone();
    changed[at + known.len() - 1] = b'9';
    fs::write(&newest, &changed).unwrap();
    let message = run(&classifier(&folder), Start::Resume, ALL).unwrap_err().to_string();
    assert!(message.contains("checkpoint-000000000015.safetensors: has version 9"), "{message}");
    assert!(message.contains("resume with the program that wrote it"), "{message}");
    assert_eq!(fs::read(&newest).unwrap(), changed, "nothing is overwritten");
}

#[test]
fn another_training_does_not_resume_this_one() {
    let folder = stopped("another");
    let mut trainer = classifier(&folder);
    trainer.seed = 8;
    let message = run(&trainer, Start::Resume, ALL).unwrap_err().to_string();
    assert!(message.contains("was made with other settings"), "{message}");

    let rows = Targets::Classes([0, 1, 2, 3].repeat(30));
    let examples = Examples::new(2, vec![0.5; 240], rows).unwrap();
    let refused = classifier(&folder).start(&examples, Start::Resume).map(|run| run.step());
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("was made with other data"), "{message}");
}

#[test]
fn a_fresh_run_does_not_overwrite_an_earlier_one() {
    let folder = stopped("occupied");
    let before = fs::read(folder.join("log.jsonl")).unwrap();
    let error = run(&classifier(&folder), Start::Fresh, ALL).unwrap_err();
    assert!(matches!(error, TrainError::Occupied { .. }), "{error}");
    assert_eq!(fs::read(folder.join("log.jsonl")).unwrap(), before);
}

#[test]
fn two_runs_do_not_share_a_folder() {
    let folder = folder("shared");
    let (trainer, examples) = (classifier(&folder), quarters());
    let first = trainer.start(&examples, Start::Fresh).unwrap();
    let error = run(&trainer, Start::Resume, ALL).unwrap_err();
    assert!(matches!(error, TrainError::InUse { .. }), "{error}");
    drop(first);
    run(&trainer, Start::Resume, ALL).unwrap();
}

#[test]
fn a_log_that_lost_lines_is_refused() {
    let folder = stopped("short_log");
    fs::write(folder.join("log.jsonl"), "").unwrap();
    let message = run(&classifier(&folder), Start::Resume, ALL).unwrap_err().to_string();
    assert!(message.contains("log.jsonl: has 0 bytes, the checkpoint knows of"), "{message}");
}

#[test]
fn classes_without_an_output_are_refused() {
    let folder = folder("classes");
    let examples = Examples::new(2, vec![0.5; 8], Targets::Classes(vec![0, 1, 2, 4])).unwrap();
    let mut trainer = classifier(&folder);
    (trainer.validation, trainer.early_stopping) = (0.0, None);
    let refused = trainer.start(&examples, Start::Fresh).map(|run| run.step());
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("row 4 is of class 4, but the network has 4 outputs"), "{message}");
}
