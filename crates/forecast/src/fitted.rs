//! Fitted: a model with learned parameters.

use crate::batch::Batch;
use crate::conformal::widest_first;
use crate::distribution::Distribution;
use crate::features::Features;
use crate::source::Source;
use crate::transforms::Prepared;
use crate::windows::{Place, Windows};
use crate::{Conformal, ForecastError, Frame, Model, Panel};
use std::borrow::Cow;
use whimbrel_engine::{Session, Slot};

/// A model with learned parameters.
pub struct Fitted {
    model: Model,
    session: Session,
    /// Which graph of the session predicts.
    graph: usize,
    /// The names of the state that predictions need.
    weights: Vec<String>,
    batch: Batch,
    forecast: Slot,
    windows: usize,
    loss: f32,
    conformal: Option<Conformal>,
    features: Option<Features>,
}

impl Fitted {
    pub(crate) fn new(
        model: Model,
        session: Session,
        graph: usize,
        weights: Vec<String>,
        windows: usize,
        loss: f32,
    ) -> Result<Fitted, ForecastError> {
        let forecast = session.output(graph, "forecast")?;
        let batch = Batch::new(&model, &session, graph)?;
        let (conformal, features) = (None, None);
        Ok(Fitted {
            model,
            session,
            graph,
            weights,
            batch,
            forecast,
            windows,
            loss,
            conformal,
            features,
        })
    }

    /// The model as it was configured.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Windows it learned from.
    pub fn windows(&self) -> usize {
        self.windows
    }

    /// The loss of the last training step, on scaled values.
    pub fn loss(&self) -> f32 {
        self.loss
    }

    /// Numbers it has learned.
    pub fn parameters(&self) -> usize {
        let sizes = self.weights.iter().filter_map(|name| self.session.state(name).ok());
        sizes.map(|slot| self.session.ty(slot).numel()).sum()
    }

    /// The errors it made in a cross-validation, if it was given any.
    pub fn conformal(&self) -> Option<&Conformal> {
        self.conformal.as_ref()
    }

    /// The same model, which knows of the errors it made in a cross-validation, and can so give its
    /// forecasts intervals.
    pub fn with_conformal(self, conformal: Option<Conformal>) -> Fitted {
        Fitted { conformal, ..self }
    }

    /// The features it learned from beside the columns of its data, if it was told.
    pub fn features(&self) -> Option<&Features> {
        self.features.as_ref()
    }

    /// The same model, which knows of the features that panels are given before it forecasts them.
    pub fn with_features(self, features: Option<Features>) -> Fitted {
        Fitted { features, ..self }
    }

    /// Which intervals it forecasts from now on, in per cent, if its loss is the likelihood of a distribution; none
    /// changes nothing. Other losses have those they were learned for. Returns what it was before.
    ///
    /// # Errors
    /// If a level is not between 0 and 100.
    pub fn set_level(&mut self, level: &[f32]) -> Result<Vec<f32>, ForecastError> {
        let levels = widest_first(level)?;
        match Distribution::of(&self.model.loss).is_some() && !levels.is_empty() {
            true => Ok(std::mem::replace(&mut self.model.level, levels)),
            false => Ok(self.model.level.clone()),
        }
    }

    /// The names of everything it has learned.
    pub(crate) fn weights(&self) -> impl Iterator<Item = &str> {
        self.weights.iter().map(String::as_str)
    }

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// Forecasts the horizon after the end of each series, not only those learned from.
    pub fn predict(&mut self, panel: &Panel) -> Result<Frame, ForecastError> {
        let (horizon, input_size) = (self.model.horizon, self.model.input_size);
        let chosen = self.model.choose(panel)?;
        panel.check_ahead(&chosen, horizon)?;
        let prepared = Prepared::new(&self.model, panel, 0)?;
        let windows = Windows::to_predict(&prepared.panel, input_size, horizon);
        let source =
            Source::new(&prepared.panel, chosen, prepared.scaler, self.model.scaler_type, 0);
        let names = self.model.columns();
        let mut columns = vec![Vec::with_capacity(windows.len() * horizon); names.len()];
        self.forecast(&prepared, &source, &windows, |_, _, parts| {
            columns.iter_mut().zip(parts).for_each(|(column, part)| column.extend(part));
        })?;
        let frame = panel.future(horizon)?;
        let columns = names.iter().zip(columns);
        Ok(columns.fold(frame, |frame, (name, column)| frame.with_column(name, column)))
    }

    /// Forecasts windows, one after another. `take` is given the series, how many of its values come
    /// before the forecast, and a column for each of [`Model::parts`], in the unit of the series.
    pub(crate) fn forecast(
        &mut self,
        prepared: &Prepared,
        source: &Source,
        windows: &Windows,
        mut take: impl FnMut(usize, usize, &[Vec<f32>]),
    ) -> Result<(), ForecastError> {
        let (model, block, input_size) = (&self.model, self.batch.size(), windows.input_size);
        let (outputs, parts) = (model.outputs(), model.parts());
        let settle = Distribution::of(&model.loss);
        let mut columns = vec![Vec::with_capacity(model.horizon); parts.len()];
        let mut numbers = Vec::with_capacity(outputs);
        for first in (0..windows.len()).step_by(block) {
            let places = windows.places(first..windows.len().min(first + block));
            self.batch.fill(&mut self.session, source, &places)?;
            self.session.run_graph(self.graph)?;
            let forecast = self.session.read_slot(self.forecast);
            for ((item, place), map) in places.iter().enumerate().zip(self.batch.maps()) {
                columns.iter_mut().for_each(Vec::clear);
                for step in forecast.chunks_exact(outputs * block) {
                    numbers.clear();
                    numbers.extend(step[item..].iter().step_by(block).copied());
                    match settle {
                        Some(distribution) => {
                            let settled = distribution.settle(&numbers, map);
                            for (column, part) in columns.iter_mut().zip(&parts) {
                                let quantile = part.quantile().map(|q| settled.quantile(q));
                                column.push(quantile.unwrap_or(settled.mean()) as f32);
                            }
                        }
                        None => {
                            // Quantiles that were learned apart may cross.
                            numbers.sort_unstable_by(f32::total_cmp);
                            for (column, &number) in columns.iter_mut().zip(&numbers) {
                                column.push(map.invert(number));
                            }
                        }
                    }
                }
                let Place { series, start } = *place;
                let known = prepared.known(series, start.saturating_add_unsigned(input_size));
                columns.iter_mut().for_each(|part| prepared.bring_back(series, known, part));
                take(series, known, &columns);
            }
        }
        Ok(())
    }
}

impl Fitted {
    /// Forecasts `horizon` steps after the end of each series. Beyond the horizon that was learned,
    /// forecasts are taken for true and forecast from, again and again; intervals there are too narrow,
    /// since they do not know that what they start from is a guess.
    pub fn predict_ahead(&mut self, panel: &Panel, horizon: usize) -> Result<Frame, ForecastError> {
        let (own, series) = (self.model.horizon, panel.series().len());
        if horizon > own && !self.model.hist_exog_list.is_empty() {
            let reason = "is beyond the learned one, where its historic columns are not known";
            let (name, value) = ("horizon", horizon.to_string());
            return Err(ForecastError::Setting { name, value, reason });
        }
        let mut panel = Cow::Borrowed(panel);
        let mut frame = panel.future(horizon)?;
        let mut columns: Vec<(String, Vec<f32>)> = Vec::new();
        for done in (0..horizon).step_by(own) {
            let ahead = self.predict(&panel)?;
            let steps = own.min(horizon - done);
            for (number, name) in ahead.columns().enumerate() {
                if columns.len() <= number {
                    columns.push((name.into(), vec![f32::NAN; series * horizon]));
                }
                let values = ahead.column(name).unwrap_or_default().chunks(own);
                for (all, values) in columns[number].1.chunks_mut(horizon).zip(values) {
                    all[done..done + steps].copy_from_slice(&values[..steps]);
                }
            }
            if done + own < horizon {
                // Quantiles without a median go on from the one in the middle.
                let middle = ahead.columns().nth(columns.len() / 2).and_then(|c| ahead.column(c));
                let point = ahead.point(self.model.name()).or(middle).unwrap_or_default();
                panel = Cow::Owned(panel.continued(point));
            }
        }
        for (name, column) in columns {
            frame = frame.with_column(&name, column);
        }
        Ok(frame)
    }
}
