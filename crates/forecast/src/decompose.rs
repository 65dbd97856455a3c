//! A forecast taken apart: trend, season and whatever else a model builds it of.

use crate::batch::Batch;
use crate::graphs;
use crate::models::Architecture;
use crate::source::Source;
use crate::transforms::{Prepared, Transform};
use crate::windows::Windows;
use crate::{Fitted, ForecastError, Frame, Model, Panel, Scaler};
use std::fmt;
use whimbrel_engine::{Options, Session};

/// Why a forecast is not taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// The network makes it in one.
    Network,
    /// The loss makes several forecasts at once.
    Loss,
    /// Parts do not add up through this scaler of windows.
    Scaler(Scaler),
    /// Parts do not add up through this transform of series.
    Transform(Transform),
}

impl fmt::Display for Whole {
    /// What stands in the way, in a few words.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Whole::Network => f.write_str("its network makes it in one"),
            Whole::Loss => f.write_str("its loss makes several forecasts at once"),
            Whole::Scaler(scaler) => {
                let name = format!("{scaler:?}").to_lowercase();
                write!(f, "parts do not add up where windows are scaled by {name}")
            }
            Whole::Transform(transform) => {
                write!(f, "parts do not add up where series are scaled by {transform}")
            }
        }
    }
}

impl Model {
    /// Why [`Fitted::decompose`] gives no parts of its forecasts; none if it does.
    pub fn why_whole(&self) -> Option<Whole> {
        if self.network.part_names().is_empty() {
            return Some(Whole::Network);
        }
        if self.outputs() > 1 {
            return Some(Whole::Loss);
        }
        if matches!(self.scaler_type, Scaler::Revin | Scaler::Invariant) {
            return Some(Whole::Scaler(self.scaler_type));
        }
        let transform = self.local_scaler_type;
        (!is_affine(transform)).then_some(Whole::Transform(transform))
    }
}

impl Fitted {
    /// The parts that the forecast of each series is the sum of, a column each; none of a model that
    /// makes it in one, or whose parts do not add up in the unit of the series: see
    /// [`Model::why_whole`].
    pub fn decompose(&self, panel: &Panel) -> Result<Option<Frame>, ForecastError> {
        let model = self.model();
        let names = model.network.part_names();
        if model.why_whole().is_some() {
            return Ok(None);
        }
        let block = panel.series().len().clamp(1, graphs::SERIES_BLOCK);
        let mut session = Session::with_options(
            &[graphs::taking_apart(model, block)?],
            &Options { threads: model.threads, ..Options::default() },
        )?;
        for name in self.weights() {
            session.write_state(name, &self.session().read_state(name)?)?;
        }
        let mut batch = Batch::new(model, &session, 0)?;
        let outputs = (0..names.len()).map(|part| session.output(0, &format!("part{part}")));
        let outputs = outputs.collect::<Result<Vec<_>, _>>()?;
        let prepared = Prepared::new(model, panel, 0)?;
        let windows = Windows::to_predict(&prepared.panel, model.input_size, model.horizon);
        let chosen = model.choose(panel)?;
        let source = Source::new(&prepared.panel, chosen, prepared.scaler, model.scaler_type, 0);
        let mut columns: Vec<(&str, Vec<f32>)> = Vec::new();
        for name in &names {
            if !columns.iter().any(|(known, _)| known == name) {
                columns.push((name, vec![0.0; windows.len() * model.horizon]));
            }
        }
        for first in (0..windows.len()).step_by(block) {
            let places = windows.places(first..windows.len().min(first + block));
            batch.fill(&mut session, &source, &places)?;
            session.run_graph(0)?;
            for (number, (name, output)) in names.iter().zip(&outputs).enumerate() {
                let values = session.read_slot(*output);
                let column = columns.iter_mut().find(|(known, _)| known == name);
                let Some((_, column)) = column else { continue };
                for ((item, place), map) in places.iter().enumerate().zip(batch.maps()) {
                    // The first part carries the level, the others go up and down from it.
                    let shift = if number == 0 { map.shift } else { 0.0 };
                    let dst = column[place.series * model.horizon..].iter_mut();
                    for (dst, value) in dst.zip(values[item..].iter().step_by(block)) {
                        *dst += shift + map.scale * value;
                    }
                }
            }
        }
        for (_, column) in &mut columns {
            for (series, part) in column.chunks_exact_mut(model.horizon).enumerate() {
                prepared.bring_back(series, 0, part);
            }
        }
        let frame = panel.future(model.horizon)?;
        Ok(Some(
            columns
                .into_iter()
                .fold(frame, |frame, (name, column)| frame.with_column(name, column)),
        ))
    }
}

/// Whether a transform keeps sums.
fn is_affine(transform: Transform) -> bool {
    use Transform::{Identity, Minmax, Minmax1, Robust, RobustIqr, Standard};
    matches!(transform, Identity | Standard | Robust | RobustIqr | Minmax | Minmax1)
}

#[cfg(test)]
mod tests {
    use super::Whole;
    use crate::models::{NBeats, NHits, NLinear, Network};
    use crate::{Columns, Model, Panel, Scaler, Transform};
    use whimbrel_nn::losses::MultiQuantile;

    #[test]
    fn parts_add_up_to_the_forecast() {
        let mut csv = String::from("unique_id,ds,y\n");
        for (id, scale) in [("a", 1.0), ("b", 50.0)] {
            for t in 0..60 {
                csv += &format!("{id},{t},{}\n", scale * (t as f64 + [3.0, 9.0, 1.0, 5.0][t % 4]));
            }
        }
        let panel = Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap();
        let fit = |network: Network| {
            let model = Model {
                max_steps: 20,
                windows_batch_size: 8,
                scaler_type: Scaler::Robust,
                local_scaler_type: Transform::Standard,
                ..Model::new(network, 6)
            };
            model.fit(&panel).unwrap()
        };
        for network in [Network::from(NBeats::default()), NHits::default().into()] {
            let mut fitted = fit(network);
            let forecast = fitted.predict(&panel).unwrap();
            let whole = forecast.column(fitted.model().name()).unwrap();
            let parts = fitted.decompose(&panel).unwrap().unwrap();
            for (row, want) in whole.iter().enumerate() {
                let sum: f32 = parts.columns().map(|name| parts.column(name).unwrap()[row]).sum();
                assert!((sum - want).abs() <= 1e-4 * want.abs(), "{row}: {sum} {want}");
            }
        }
        assert!(fit(NLinear {}.into()).decompose(&panel).unwrap().is_none());
    }

    #[test]
    fn what_keeps_a_forecast_whole_is_named() {
        let model = || Model::new(NBeats::default(), 6);
        assert_eq!(model().why_whole(), None);
        for (model, why) in [
            (Model::new(NLinear {}, 6), Whole::Network),
            (Model { loss: MultiQuantile::default().into(), ..model() }, Whole::Loss),
            (Model { scaler_type: Scaler::Revin, ..model() }, Whole::Scaler(Scaler::Revin)),
            (
                Model { local_scaler_type: Transform::Log1p, ..model() },
                Whole::Transform(Transform::Log1p),
            ),
        ] {
            assert_eq!(model.why_whole(), Some(why));
        }
        let why = Whole::Scaler(Scaler::Revin).to_string();
        assert_eq!(why, "parts do not add up where windows are scaled by revin");
    }
}
