//! Single networks on the series of the M competitions, by NeuralForecast's settings: a look-back of two
//! horizons, windows scaled robustly, a thousand steps, the last horizon to validate with, patience 3.

use super::{SUITE, failed, peer, rows, seeds};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::row::Row;
use std::path::Path;
use whimbrel_forecast::models::{NBeats, NHits, Network};
use whimbrel_forecast::{Columns, Evaluation, Frame, Model, NeuralForecast, Panel, Scaler, Score};

/// Series that the windows of a step are drawn from, as NeuralForecast draws them.
const SERIES: usize = 32;
const METRICS: [&str; 2] = ["smape", "mase"];

/// A group of series of a competition.
pub(super) struct Competition {
    /// Its place among the cases: `m4/hourly`.
    pub(super) name: &'static str,
    stem: &'static str,
    pub(super) horizon: usize,
    pub(super) season: usize,
}

impl Competition {
    pub(super) fn all() -> [Competition; 5] {
        let one = |name, stem, horizon, season| Competition { name, stem, horizon, season };
        [
            one("m4/hourly", "m4/hourly", 48, 24),
            one("m4/weekly", "m4/weekly", 13, 1),
            one("m1/yearly", "m1/m1_yearly", 6, 1),
            one("m1/quarterly", "m1/m1_quarterly", 8, 4),
            one("m1/monthly", "m1/m1_monthly", 18, 12),
        ]
    }

    /// The series to learn from, and what came after them.
    pub(super) fn read(&self, data: &Path) -> Result<(Panel, Panel)> {
        let read = |part: &str| {
            let path = data.join(format!("{}_{part}.csv.gz", self.stem));
            Panel::read(path, &Columns::default(), None).map_err(failed)
        };
        Ok((read("train")?, read("test")?))
    }

    /// Scores of forecasts by the competition's rules.
    pub(super) fn evaluate(
        &self,
        forecast: Frame,
        (train, test): &(Panel, Panel),
    ) -> Result<Evaluation> {
        let frame = forecast.with_actuals(test).map_err(failed)?;
        frame.evaluate(Some(train), Some(self.season)).map_err(failed)
    }

    /// Every network on this group.
    pub(super) fn networks(&self, context: &mut Context, data: &Path) -> Result<Vec<Row>> {
        let networks: [(&str, Network); 2] =
            [("nbeats", NBeats::default().into()), ("nhits", NHits::default().into())];
        let mut all = Vec::new();
        for (name, network) in networks {
            let case = format!("{}/{name}", self.name);
            if !context.wants(&case) || context.quick() {
                continue;
            }
            eprintln!("{SUITE} {case}");
            let panels = self.read(data)?;
            let mut ours = Vec::new();
            for &random_seed in seeds(context) {
                let model = Model {
                    scaler_type: Scaler::Robust,
                    batch_size: Some(SERIES),
                    val_size: self.horizon,
                    early_stop_patience_steps: Some(3),
                    random_seed,
                    ..Model::new(network.clone(), self.horizon)
                };
                let forecasters = NeuralForecast::new([model], panels.0.frequency());
                let forecast = forecasters.fit(&panels.0).and_then(|mut fitted| fitted.predict());
                let scores = self.evaluate(forecast.map_err(failed)?, &panels)?;
                let figures = vec![
                    smape(&scores, network.name())?,
                    score(&scores, Score::Mase, network.name())?,
                ];
                eprintln!("  seed {random_seed}: {figures:.4?}");
                ours.push(figures);
            }
            let beside = peer(context, &case, METRICS.len())?;
            all.extend(rows(&case, &METRICS, &ours, beside));
        }
        Ok(all)
    }
}

/// The sMAPE of the competitions, in per cent from 0 to 200.
pub(super) fn smape(scores: &Evaluation, model: &str) -> Result<f64> {
    Ok(200.0 * score(scores, Score::Smape, model)?)
}

pub(super) fn score(scores: &Evaluation, score: Score, model: &str) -> Result<f64> {
    let missing = || Error::Suite { suite: SUITE, what: format!("{model} has no {score}") };
    scores.overall(score, model).ok_or_else(missing)
}
