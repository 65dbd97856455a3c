//! The losses of a run as a picture.

mod trainings;

use std::fs;
use std::path::PathBuf;
use trainings::{classifier, folder, run};
use whimbrel_nn::trainer::{Start, loss_curves};

fn log(test: &str, text: &str) -> PathBuf {
    let folder = folder(test);
    fs::create_dir_all(&folder).unwrap();
    let log = folder.join("log.jsonl");
    fs::write(&log, text).unwrap();
    log
}

#[test]
fn a_run_leaves_its_curves_and_a_resumed_one_the_same() {
    let whole = folder("curves_whole");
    run(&classifier(&whole), Start::Fresh, usize::MAX).unwrap();
    let svg = fs::read_to_string(whole.join("loss.svg")).unwrap();
    assert_eq!(svg, loss_curves(&whole.join("log.jsonl")).unwrap().svg());
    assert!(svg.contains(">training</text>") && svg.contains(">best: epoch "), "{svg}");
    let stopped = folder("curves_stopped");
    run(&classifier(&stopped), Start::Fresh, 20).unwrap();
    assert!(!stopped.join("loss.svg").exists());
    run(&classifier(&stopped), Start::Resume, usize::MAX).unwrap();
    assert_eq!(fs::read_to_string(stopped.join("loss.svg")).unwrap(), svg);
}

#[test]
fn the_best_epoch_has_the_smallest_validation_loss() {
    let line = |epoch, loss: &str| {
        format!(
            "{{\"epoch\":{epoch},\"step\":1,\"lr\":0.1,\"loss\":0.5,\"validation\":{{\"loss\":{loss}}}}}\n"
        )
    };
    let text = line(1, "0.75") + &line(2, "0.25") + &line(3, "null") + &line(4, "0.5");
    let svg = loss_curves(&log("curves_best", &text)).unwrap().svg();
    assert!(svg.contains(">best: epoch 2, 0.2500</text>"), "{svg}");
}

#[test]
fn a_line_that_is_still_being_written_is_left_out() {
    let whole = "{\"epoch\":1,\"step\":1,\"lr\":0.1,\"loss\":0.5}\n";
    let expected = loss_curves(&log("curves_line", whole)).unwrap();
    let torn = format!("{whole}{{\"epoch\":2,\"st");
    assert_eq!(loss_curves(&log("curves_torn", &torn)).unwrap(), expected);
}

#[test]
fn a_log_without_epochs_or_of_something_else_is_refused() {
    let refused = |text| loss_curves(&log("curves_refused", text)).unwrap_err().to_string();
    assert!(refused("").contains("has no epoch yet"));
    assert!(refused("{\"epoch\":1").contains("has no epoch yet"));
    let message = refused("{\"epoch\":1,\"loss\":0.5}\nhello\n");
    assert!(message.contains("line 2 is not of a log"), "{message}");
}
