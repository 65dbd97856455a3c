//! Candidates: what is worth trying on a panel, and how it is cross-validated.

use super::Automatic;
use crate::models::{DLinear, Mlp, NHits, NLinear, Network};
use crate::{Baseline, CrossValidation, Forecaster, Model, Panel, Rule, Scaler};

/// Horizons and seasons that networks look back over, where series are long enough.
const HORIZONS: usize = 8;
const SEASONS: usize = 14;
/// Rows from which on networks have the width that NeuralForecast gives them; below, a quarter.
const MANY_ROWS: usize = 20_000;
/// Windows of a cross-validation.
const WINDOWS: usize = 3;
/// Values that must be left to learn from, whatever the season.
const LEAST: usize = 8;

impl Automatic {
    /// Rules first, the simplest first of all; then networks, quick ones first.
    pub(super) fn candidates(&self, panel: &Panel, season: usize) -> Vec<Forecaster> {
        let mut rules = vec![Baseline::Naive, Baseline::Drift, Baseline::Ses, Baseline::Theta];
        if season > 1 {
            rules.insert(0, Baseline::SeasonalNaive);
            rules.push(Baseline::WindowAverage);
        }
        let rules = rules.into_iter().map(|baseline| {
            Forecaster::from(Rule { season_length: Some(season), ..baseline.into() })
        });
        rules.chain(self.networks(panel, season).into_iter().map(Forecaster::from)).collect()
    }

    /// Networks that suit a panel.
    fn networks(&self, panel: &Panel, season: usize) -> Vec<Model> {
        let room = (self.typical(panel) / 2).max(self.horizon);
        let long = (HORIZONS * self.horizon).max(SEASONS * season).min(room);
        let short = (HORIZONS / 2 * self.horizon).min(room);
        let width = if panel.rows() < MANY_ROWS { 128 } else { 512 };
        let mlp_units = vec![[width; 2]; 3];
        let model = |network: Network, input_size: usize, max_steps: usize| Model {
            input_size,
            max_steps,
            learning_rate: 1e-3,
            num_lr_decays: 3,
            windows_batch_size: (panel.rows() / 4).clamp(32, 256),
            val_check_steps: 25,
            scaler_type: Scaler::Robust,
            random_seed: self.random_seed,
            threads: self.threads,
            ..Model::new(network, self.horizon).with_exogenous_of(panel)
        };
        vec![
            Model { scaler_type: Scaler::Standard, ..model(NLinear {}.into(), long, 2000) },
            Model { scaler_type: Scaler::Standard, ..model(DLinear::default().into(), long, 2000) },
            model(NHits { mlp_units, ..NHits::default() }.into(), short, 500),
            model(Mlp { hidden_size: 2 * width, ..Mlp::default() }.into(), long, 500),
        ]
    }

    /// A cross-validation that leaves most series that are long enough for one enough to learn from; none
    /// where all are too short.
    pub(super) fn cross_validation(&self, panel: &Panel, season: usize) -> Option<CrossValidation> {
        let least = LEAST.max(self.horizon).max(2 * season);
        let typical = self.typical(panel);
        let room = typical.checked_sub(self.horizon + LEAST)?;
        let comfortable = typical.saturating_sub(self.horizon + least);
        let n_windows = WINDOWS.min(room + 1);
        let step_size = (comfortable / (n_windows - 1).max(1)).clamp(1, self.horizon);
        Some(CrossValidation { n_windows, step_size, ..CrossValidation::new(self.horizon) })
    }

    /// The median length of the series that are long enough to be cross-validated; 0 without any.
    fn typical(&self, panel: &Panel) -> usize {
        let lengths = panel.series().iter().map(|one| one.values().len());
        let mut usable: Vec<usize> =
            lengths.filter(|&length| length >= self.horizon + LEAST).collect();
        usable.sort_unstable();
        usable.get(usable.len() / 2).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Columns, ENSEMBLE, Event};
    use std::ops::ControlFlow;

    /// Series of 30 months that rise and fall, and newcomers of one.
    fn panel(series: usize, newcomers: usize) -> Panel {
        let month = |t: usize| format!("{}-{:02}-01", 2020 + t / 12, 1 + t % 12);
        let rows = (0..series).flat_map(|id| {
            (0..30).map(move |t| format!("s{id},{},{}\n", month(t), id + 7 * t % 11))
        });
        let new = (0..newcomers).map(|id| format!("new{id},{},{id}\n", month(29)));
        let csv = format!("unique_id,ds,y\n{}", rows.chain(new).collect::<String>());
        Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap()
    }

    #[test]
    fn newcomers_do_not_keep_models_from_being_tried() {
        let automatic = Automatic::new(3);
        let plan = automatic.cross_validation(&panel(40, 45), 12);
        assert_eq!(plan, automatic.cross_validation(&panel(40, 0), 12));
        assert_eq!(plan.map(|plan| plan.n_windows), Some(3));
        assert_eq!(Automatic::new(23).cross_validation(&panel(2, 2), 12), None);
    }

    #[test]
    fn a_panel_with_newcomers_has_a_choice_and_intervals() {
        let forecasters = Some(vec![Baseline::Naive.into(), Baseline::Ses.into()]);
        let automatic = Automatic { forecasters, ..Automatic::new(3) };
        let tell = |_: Event| ControlFlow::Continue(());
        let outcome = automatic.run(&panel(40, 45), tell).unwrap();
        assert!(outcome.evaluation.is_some());
        let low = outcome.forecast.column(&format!("{ENSEMBLE}-lo-80")).unwrap();
        let known = low.iter().filter(|value| value.is_finite()).count();
        assert!(known >= 3 * 40, "{known}");
    }
}
