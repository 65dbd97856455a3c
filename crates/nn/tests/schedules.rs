//! Every schedule gives the learning rates that PyTorch gives.

mod golden;

use golden::{Case, cases, close};
use whimbrel_nn::schedules::{Schedule, Scheduler};

/// The rate of the optimiser.
const LR: f64 = 0.5;

fn rates(case: &Case) -> Vec<f32> {
    let schedule: Schedule = serde_json::from_value(case.settings.clone())
        .unwrap_or_else(|e| panic!("{}: {e}", case.name));
    let mut scheduler = Scheduler::new(schedule, LR);
    match case.find("values") {
        None => (0..case.get("rates").data.len()).map(|step| scheduler.lr(step) as f32).collect(),
        Some(values) => {
            let observed = values.data.iter().map(|&value| {
                scheduler.observe(f64::from(value));
                scheduler.lr(0) as f32
            });
            observed.collect()
        }
    }
}

#[test]
fn every_schedule_equals_pytorchs() {
    for case in cases("schedules") {
        close(&case.name, &rates(&case), case.get("rates"));
    }
}

#[test]
fn a_saved_scheduler_goes_on_where_it_was() {
    let schedule: Schedule =
        serde_json::from_str(r#"{"type": "plateau", "patience": 1, "factor": 0.5}"#).unwrap();
    let mut scheduler = Scheduler::new(schedule, LR);
    for value in [1.0, 2.0] {
        scheduler.observe(value);
    }
    let saved = serde_json::to_string(&scheduler).unwrap();
    let mut resumed: Scheduler = serde_json::from_str(&saved).unwrap();
    scheduler.observe(3.0);
    resumed.observe(3.0);
    assert_eq!(resumed, scheduler);
    assert_eq!(resumed.lr(3), 0.5 * LR);
}
