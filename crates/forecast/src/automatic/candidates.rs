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
        let rules = rules
            .into_iter()
            .map(|baseline| Forecaster::from(Rule { baseline, season_length: Some(season) }));
        rules.chain(self.networks(panel, season).into_iter().map(Forecaster::from)).collect()
    }

    /// Networks that suit a panel.
    fn networks(&self, panel: &Panel, season: usize) -> Vec<Model> {
        let room = (typical(panel) / 2).max(self.horizon);
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

    /// A cross-validation that leaves most series enough to learn from; none where they are too short.
    pub(super) fn cross_validation(&self, panel: &Panel, season: usize) -> Option<CrossValidation> {
        let least = LEAST.max(self.horizon).max(2 * season);
        let room = typical(panel).checked_sub(self.horizon + LEAST)?;
        let comfortable = typical(panel).saturating_sub(self.horizon + least);
        let n_windows = WINDOWS.min(room + 1);
        let step_size = (comfortable / (n_windows - 1).max(1)).clamp(1, self.horizon);
        Some(CrossValidation { n_windows, step_size, ..CrossValidation::new(self.horizon) })
    }
}

/// The median length of the series.
fn typical(panel: &Panel) -> usize {
    let mut lengths: Vec<usize> = panel.series().iter().map(|one| one.values().len()).collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().unwrap_or(0)
}
