//! The automatic choice on the series of the M competitions, beside the better of two rules.

use super::competitions::{Competition, score, smape};
use super::{SUITE, failed, rows, seeds};
use crate::context::Context;
use crate::error::Result;
use crate::row::Row;
use std::ops::ControlFlow;
use std::path::Path;
use whimbrel_forecast::{Automatic, Baseline, ENSEMBLE, NeuralForecast, Rule, Score};

/// `uncovered`: how many points in a hundred the 90 % intervals are off.
const METRICS: [&str; 4] = ["owa", "mase", "smape", "uncovered"];
const RULES: [Baseline; 2] = [Baseline::SeasonalNaive, Baseline::Theta];

pub(super) fn run(
    context: &mut Context,
    competition: &Competition,
    data: &Path,
) -> Result<Vec<Row>> {
    let case = format!("auto/{}", competition.name);
    let slow = competition.name != "m1/yearly" && competition.name != "m1/quarterly";
    if !context.wants(&case) || context.quick() && slow {
        return Ok(Vec::new());
    }
    eprintln!("{SUITE} {case}");
    let panels = competition.read(data)?;
    let season_length = Some(competition.season);
    let mut ours = Vec::new();
    for &random_seed in seeds(context) {
        let automatic = Automatic { random_seed, ..Automatic::new(competition.horizon) };
        let outcome = automatic.run(&panels.0, |_| ControlFlow::Continue(())).map_err(failed)?;
        let scores = competition.evaluate(outcome.forecast.only(&[ENSEMBLE]), &panels)?;
        let covered = score(&scores, Score::Coverage(90.0), ENSEMBLE)?;
        let figures = vec![
            score(&scores, Score::Owa, ENSEMBLE)?,
            score(&scores, Score::Mase, ENSEMBLE)?,
            smape(&scores, ENSEMBLE)?,
            (100.0 * covered - 90.0).abs(),
        ];
        eprintln!("  seed {random_seed}: {figures:.4?}, covered {:.1} %", 100.0 * covered);
        ours.push(figures);
    }
    let rules = RULES.map(|baseline| Rule { season_length, ..baseline.into() });
    let forecast = NeuralForecast::new(rules, panels.0.frequency())
        .fit(&panels.0)
        .and_then(|mut fitted| fitted.predict_panel(&panels.0, competition.horizon, &[]));
    let scores = competition.evaluate(forecast.map_err(failed)?, &panels)?;
    let mut best: Option<(Vec<f64>, String)> = None;
    for rule in RULES.map(Baseline::name) {
        let figures = vec![
            score(&scores, Score::Owa, rule)?,
            score(&scores, Score::Mase, rule)?,
            smape(&scores, rule)?,
        ];
        if best.as_ref().is_none_or(|(best, _)| figures[1] < best[1]) {
            best = Some((figures, rule.into()));
        }
    }
    Ok(rows(&case, &METRICS, &ours, best))
}
