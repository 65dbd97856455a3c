//! The forecasters that the options of learning ask for.

use crate::cli::{Assignment, Choice, LossName, Patience, Settings, option_of};
use crate::failure::Failure;
use whimbrel::models::{NLinear, Network};
use whimbrel::nn::losses::{
    Gaussian, Huber, Loss, Mae, Mape, Mase, Mse, MultiQuantile, NegativeBinomial, Poisson,
    Quantile, Rmse, Smape, StudentT,
};
use whimbrel::{ForecastError, Forecaster, Model, Panel, Rule, level_to_quantiles};

impl Settings {
    /// The models and rules, to forecast `horizon` steps of a panel and, where the loss can, intervals of
    /// `level`. A name that comes twice is taken once.
    pub fn forecasters(
        &self,
        panel: &Panel,
        horizon: usize,
        level: &[f32],
    ) -> Result<Vec<Forecaster>, Failure> {
        let mut forecasters: Vec<Forecaster> = Vec::new();
        let usual = [Choice::Network(NLinear {}.into())];
        let chosen = if self.model.is_empty() { &usual[..] } else { &self.model };
        for choice in chosen {
            let one = match choice {
                Choice::Network(network) => self.model(network, panel, horizon, level)?.into(),
                Choice::Rule(baseline) => {
                    Rule { season_length: self.season_length, ..(*baseline).into() }.into()
                }
            };
            if !forecasters.contains(&one) {
                forecasters.push(one);
            }
        }
        self.assign(&mut forecasters)?;
        check_exogenous(&forecasters, panel, self.sample_weight.as_deref())?;
        Ok(forecasters)
    }

    /// Gives every setting to all models that have one of the name.
    fn assign(&self, forecasters: &mut [Forecaster]) -> Result<(), Failure> {
        for Assignment { name, value } in &self.set {
            let (mut taken, mut refusal) = (false, None);
            for one in &mut *forecasters {
                let changed = match one {
                    Forecaster::Model(model) => model.with_setting(name, value).map(Into::into),
                    Forecaster::Rule(rule) => rule.with_setting(name, value).map(Into::into),
                };
                match changed {
                    Ok(changed) => (*one, taken) = (changed, true),
                    Err(ForecastError::NoSetting { known, .. }) if known.is_empty() => {}
                    Err(other @ ForecastError::NoSetting { .. }) => refusal = Some(other),
                    Err(error) => return Err(named_option(error)),
                }
            }
            if taken {
                continue;
            }
            return Err(match (option_of(name), refusal) {
                (Some(option), _) => Failure::input(format!(
                    "--set: {name} has an option of its own; use --{option}"
                )),
                (None, Some(error)) => named_option(error),
                (None, None) => Failure::input("--set: rules have no settings of that kind"),
            });
        }
        Ok(())
    }

    fn model(
        &self,
        network: &Network,
        panel: &Panel,
        horizon: usize,
        level: &[f32],
    ) -> Result<Model, Failure> {
        let sample_weight = self.sample_weight.clone();
        let defaults = Model { sample_weight, ..Model::new(network.clone(), horizon) };
        let defaults = defaults.with_exogenous_of(panel);
        let linear = matches!(network, Network::NLinear(_) | Network::DLinear(_));
        let patience = self.early_stop_patience_steps.and_then(|Patience(steps)| steps);
        Ok(Model {
            input_size: self.input_size.unwrap_or(defaults.input_size),
            loss: self.loss(panel, level)?,
            level: if level.is_empty() { defaults.level } else { level.to_vec() },
            max_steps: self.max_steps.unwrap_or(if linear { 2000 } else { 1000 }),
            learning_rate: self.learning_rate,
            num_lr_decays: self.num_lr_decays,
            windows_batch_size: self.windows_batch_size,
            val_size: self.val_size.unwrap_or(if patience.is_some() { horizon } else { 0 }),
            val_check_steps: self.val_check_steps,
            early_stop_patience_steps: patience,
            scaler_type: self.scaler_type.unwrap_or(defaults.scaler_type),
            local_scaler_type: self.local_scaler_type,
            random_seed: self.seed,
            threads: self.threads.unwrap_or(0),
            ..defaults
        })
    }

    fn loss(&self, panel: &Panel, level: &[f32]) -> Result<Loss, Failure> {
        let seasonality = || self.season_length.unwrap_or_else(|| panel.season_length());
        let takes_quantiles = matches!(self.loss, LossName::Quantile | LossName::Mqloss);
        if !self.quantiles.is_empty() && !takes_quantiles {
            return Err(Failure::input("--quantiles needs --loss quantile or --loss mqloss"));
        }
        Ok(match self.loss {
            LossName::Mae => Mae.into(),
            LossName::Mse => Mse.into(),
            LossName::Rmse => Rmse.into(),
            LossName::Mape => Mape.into(),
            LossName::Smape => Smape.into(),
            LossName::Mase => Mase { seasonality: seasonality() }.into(),
            LossName::Huber => Huber::default().into(),
            LossName::Quantile => match self.quantiles[..] {
                [] => Quantile::default().into(),
                [q] => Quantile { q }.into(),
                _ => return Err(Failure::input("--loss quantile has one quantile; use mqloss")),
            },
            LossName::Mqloss => {
                let level = if level.is_empty() { &[80.0, 90.0] } else { level };
                let quantiles = match self.quantiles.is_empty() {
                    true => level_to_quantiles(level),
                    false => self.quantiles.clone(),
                };
                MultiQuantile { quantiles }.into()
            }
            LossName::Normal => Gaussian::default().into(),
            LossName::StudentT => StudentT::default().into(),
            LossName::Poisson => Poisson::default().into(),
            LossName::NegativeBinomial => NegativeBinomial::default().into(),
        })
    }

    /// Refuses levels beside quantiles: both say what is forecast.
    pub fn check_levels(&self, level: &[f32]) -> Result<(), Failure> {
        match (&self.quantiles[..], level, self.loss) {
            ([_, ..], [_, ..], LossName::Mqloss) => Err(Failure::input(
                "--quantiles and --level both say what is forecast; give one of them (a level of 80 is the \
                 quantiles 0.1 and 0.9)",
            )),
            ([_, ..], [_, ..], LossName::Quantile) => Err(Failure::input(
                "--level: intervals lie around a median, not around a quantile; use --loss mqloss",
            )),
            _ => Ok(()),
        }
    }
}

/// A failure of the option that sets anything.
fn named_option(error: ForecastError) -> Failure {
    Failure::input(format!("--set: {error}"))
}

/// Refuses exogenous columns that no model looks at, but the one that windows count by.
fn check_exogenous(
    forecasters: &[Forecaster],
    panel: &Panel,
    sample_weight: Option<&str>,
) -> Result<(), Failure> {
    let lists = [
        ("--futr-exog or --features", panel.futr_exog_list()),
        ("--hist-exog or --features", panel.hist_exog_list()),
        ("--static", panel.stat_exog_list()),
    ];
    let looked_at = |name: &&String| Some(name.as_str()) != sample_weight;
    let given =
        lists.into_iter().find_map(|(list, names)| Some((list, names.iter().find(looked_at)?)));
    let looks = |one: &Forecaster| match one {
        Forecaster::Model(model) => model.network.takes_exogenous(),
        Forecaster::Rule(_) => false,
    };
    match (given, forecasters.first()) {
        (Some((list, column)), Some(first)) if !forecasters.iter().any(looks) => {
            let (model, column) = (first.name().to_owned(), column.clone());
            Err(ForecastError::TakesNoExogenous { model, list, column }.into())
        }
        _ => Ok(()),
    }
}
