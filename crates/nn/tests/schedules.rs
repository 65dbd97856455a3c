//! Every schedule gives the learning rates that PyTorch gives.

mod golden;

use golden::{Case, cases, close, covered, every, setting};
use whimbrel_nn::schedules::{Anneal, Mode, Schedule, Scheduler, ThresholdMode};

/// The rate of the optimiser.
const LR: f64 = 0.5;

fn schedule(case: &Case) -> Schedule {
    serde_json::from_value(case.settings.clone()).unwrap_or_else(|e| panic!("{}: {e}", case.name))
}

fn rates(case: &Case) -> Vec<f32> {
    let mut scheduler = Scheduler::new(schedule(case), LR);
    match case.find("values") {
        None => (0..case.get("rates").data.len()).map(|step| scheduler.lr(step) as f32).collect(),
        Some(values) => {
            let observed = values.data.iter().enumerate().map(|(step, &value)| {
                scheduler.observe(step + 1, f64::from(value));
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
fn no_schedule_is_without_a_case() {
    let schedules = every! { Schedule:
        Constant = "constant", Step = "step", Exponential = "exponential", Cosine = "cosine",
        Linear = "linear", OneCycle = "one_cycle_cos", Plateau = "plateau", WarmUp = "warm_up",
    };
    covered("schedules", schedules, schedule);
    let ways = every! { Anneal: Cos = "one_cycle_cos", Linear = "one_cycle_linear", };
    covered("schedules", ways, |case| setting(&schedule(case), "anneal_strategy"));
    let modes = every! { Mode: Min = "plateau", Max = "plateau_all", };
    covered("schedules", modes, |case| setting(&schedule(case), "mode"));
    let units = every! { ThresholdMode: Rel = "plateau", Abs = "plateau_all", };
    covered("schedules", units, |case| setting(&schedule(case), "threshold_mode"));
}

#[test]
fn a_cycle_whose_way_up_is_one_step_begins_at_the_top() {
    let text = r#"{"type": "one_cycle", "total_steps": 10, "pct_start": 0.1}"#;
    let scheduler = Scheduler::new(serde_json::from_str::<Schedule>(text).unwrap(), LR);
    let rates: Vec<f64> = (0..10).map(|step| scheduler.lr(step)).collect();
    assert_eq!(rates[0], LR);
    assert!(rates.windows(2).all(|pair| pair[1] < pair[0]), "{rates:?}");
}

#[test]
fn a_saved_scheduler_goes_on_where_it_was() {
    let schedule: Schedule =
        serde_json::from_str(r#"{"type": "plateau", "patience": 1, "factor": 0.5}"#).unwrap();
    let mut scheduler = Scheduler::new(schedule, LR);
    for (step, value) in [(1, 1.0), (2, 2.0)] {
        scheduler.observe(step, value);
    }
    let saved = serde_json::to_string(&scheduler).unwrap();
    let mut resumed: Scheduler = serde_json::from_str(&saved).unwrap();
    scheduler.observe(3, 3.0);
    resumed.observe(3, 3.0);
    assert_eq!(resumed, scheduler);
    assert_eq!(resumed.lr(3), 0.5 * LR);
}

#[test]
fn a_plateau_after_a_warm_up_observes_from_its_own_first_step_on() {
    let text = r#"{"type": "warm_up", "warmup_steps": 4, "decay":
        {"type": "plateau", "patience": 0, "factor": 0.5}}"#;
    let mut scheduler = Scheduler::new(serde_json::from_str::<Schedule>(text).unwrap(), LR);
    // Two observations while it warms up, which do not count however bad they are.
    for step in [2, 4] {
        scheduler.observe(step, 9.0);
    }
    assert_eq!([0, 2, 4].map(|step| scheduler.lr(step)), [0.0, 0.5 * LR, LR]);
    let mut rates = Vec::new();
    for (step, value) in [(6, 10.0), (8, 10.0), (10, 5.0), (12, 6.0)] {
        scheduler.observe(step, value);
        rates.push(scheduler.lr(step));
    }
    assert_eq!(rates, [LR, 0.5 * LR, 0.5 * LR, 0.25 * LR]);
}
