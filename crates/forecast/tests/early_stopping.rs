//! Training that validates ends with the weights that were best, and with those that were validated.

use std::ops::ControlFlow;
use whimbrel_forecast::models::NLinear;
use whimbrel_forecast::{Columns, Fill, Model, Panel, Progress, Reader};
use whimbrel_nn::losses::Mse;
use whimbrel_nn::schedules::{Plateau, Schedule, Step, WarmUp};

const HELD_OUT: usize = 24;

/// A season with a little noise.
fn panel() -> Panel {
    let mut csv = String::from("unique_id,ds,y\n");
    for t in 0..200usize {
        let noise = (t * t * 7919 % 101) as f32 / 100.0;
        csv += &format!("a,{t},{}\n", (t as f32 / 4.0).sin() + noise);
    }
    Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap()
}

/// At a rate at which the weights jump around.
fn model() -> Model {
    Model {
        loss: Mse.into(),
        learning_rate: 0.05,
        max_steps: 200,
        windows_batch_size: 4,
        val_size: HELD_OUT,
        val_check_steps: 20,
        early_stop_patience_steps: Some(20),
        ..Model::new(NLinear {}, 4)
    }
}

/// What is told of a training, and the error of its end on what it validated with.
fn learned(model: &Model) -> (Vec<Progress>, f64) {
    let (panel, mut told) = (panel(), Vec::new());
    let fitted = model.fit_with(&panel, |progress| {
        told.push(progress);
        ControlFlow::Continue(())
    });
    (told, fitted.unwrap().rolling_errors(&panel, HELD_OUT).unwrap().mse)
}

fn validations(told: &[Progress]) -> Vec<f64> {
    told.iter().map(|progress| progress.validation.unwrap()).collect()
}

#[test]
fn what_is_kept_is_what_validated_best() {
    for average_weights in [false, true] {
        let (told, kept) = learned(&Model { average_weights, ..model() });
        let best = validations(&told).into_iter().fold(f64::INFINITY, f64::min);
        assert!((kept - best).abs() <= 1e-5 * best, "{average_weights}: {kept} {best}");
        assert!(best < *validations(&told).last().unwrap(), "{told:?}");
    }
}

#[test]
fn the_mean_of_the_weights_is_validated_and_the_steps_go_on_from_the_last() {
    let with = |average_weights, val_check_steps| {
        learned(&Model { average_weights, val_check_steps, ..model() }).0
    };
    let (last, mean) = (with(false, 20), with(true, 20));
    let losses = |told: &[Progress]| told.iter().map(|progress| progress.loss).collect::<Vec<_>>();
    assert_eq!(losses(&last), losses(&mean));
    let sum = |told: &[Progress]| validations(told).iter().sum::<f64>();
    assert!(sum(&mean) < 0.97 * sum(&last), "{mean:?} {last:?}");
    // The mean of the weights of a single step is those.
    let (last, mean) = (with(false, 1), with(true, 1));
    assert_eq!(validations(&last), validations(&mean));
}

#[test]
fn a_schedule_decides_the_rate() {
    let with = |lr_scheduler: Option<Schedule>| {
        validations(&learned(&Model { lr_scheduler, num_lr_decays: 2, ..model() }).0)
    };
    let halved = Step { step_size: 100, gamma: 0.5 };
    assert_eq!(with(None), with(Some(halved.into())));
    let later = WarmUp { start_factor: 1.0, ..WarmUp::new(40, halved) };
    let (now, later) = (with(None), with(Some(later.into())));
    assert_eq!(now[..5], later[..5]);
    assert_ne!(now[5..], later[5..]);
    let plateau = Plateau { patience: 0, factor: 0.1, ..Plateau::default() };
    assert_ne!(with(Some(plateau.into())), with(Some(Step { step_size: 1000, gamma: 0.5 }.into())));
}

#[test]
fn settings_that_cannot_be_are_named() {
    let refused = |model: Model| model.fit(&panel()).err().unwrap().to_string();
    let share = Model { training_data_availability_threshold: [0.0, 1.5], ..model() };
    assert!(refused(share).contains("availability threshold"));
    assert!(refused(Model { batch_size: Some(0), ..model() }).contains("batch size"));
    let plateau = Some(Plateau::default().into());
    let blind = Model { val_size: 0, early_stop_patience_steps: None, ..model() };
    assert!(refused(Model { lr_scheduler: plateau, ..blind }).contains("val size"));
}

#[test]
fn validating_with_nothing_known_is_an_error() {
    let csv: String =
        (0..60).map(|t| format!("a,{t},{}\n", if t < 50 { t % 7 } else { 0 })).collect();
    let csv = csv.replace(",0\n", ",\n");
    let reader = Reader { fill: Fill::Mask, ..Reader::default() };
    let panel = reader.read_bytes("t", format!("unique_id,ds,y\n{csv}").as_bytes()).unwrap();
    let model = Model { val_size: 8, ..model() };
    let error = model.fit(&panel).map(drop).unwrap_err().to_string();
    assert!(error.contains("known among its last 8, which are kept to validate with"), "{error}");
}
