//! Transforms of all series of a panel, side by side, and of forecasts of them.

use super::{Map, Transform, Unfit};
use crate::moments::Moments;
use crate::{Affine, ForecastError, Model, Panel, Scaler, Series};
use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};
use whimbrel_threads::Pool;

/// Rows that a thread transforms at once.
const PIECE: usize = 1 << 15;

impl Transform {
    /// A panel of transformed series and the map of each, fitted to all but the last `held_out`
    /// values. Series begin later by as many values as the transform leaves out.
    pub fn apply(self, panel: &Panel, held_out: usize) -> Result<(Panel, Vec<Map>), ForecastError> {
        let maps = self.maps(panel, held_out, Pool::global())?;
        let series = maps.iter().zip(panel.series());
        let columns = series.map(|(map, series)| map.apply(series.values())).collect();
        Ok((panel.with_values(columns)?, maps))
    }

    /// Transforms all values of a panel, series by series, into a column with as many rows, by a given
    /// team. Rows that have no transformed value are NaN.
    pub fn apply_into(
        self,
        panel: &Panel,
        held_out: usize,
        pool: &Pool,
        column: &mut [f32],
    ) -> Result<Vec<Map>, ForecastError> {
        if column.len() != panel.rows() {
            return Err(ForecastError::Setting {
                name: "column",
                value: format!("of {} rows", column.len()),
                reason: "must have a row for each value of the panel",
            });
        }
        let maps = self.maps(panel, held_out, pool)?;
        let (mut pieces, mut rest) = (Vec::new(), column);
        for (map, series) in maps.iter().zip(panel.series()) {
            let (rows, after) = rest.split_at_mut(series.values().len());
            let starts = (0..rows.len()).step_by(PIECE);
            let parts = starts.zip(rows.chunks_mut(PIECE));
            pieces.extend(parts.map(|(first, dst)| Mutex::new((map, series, first, dst))));
            rest = after;
        }
        pool.pieces(pieces.len(), |number| {
            let mut piece = pieces[number].lock().unwrap_or_else(PoisonError::into_inner);
            let (map, series, first, dst) = &mut *piece;
            map.apply_from(series.values(), *first, dst);
        });
        Ok(maps)
    }

    /// The map of each series.
    fn maps(self, panel: &Panel, held_out: usize, pool: &Pool) -> Result<Vec<Map>, ForecastError> {
        let fit = |series: &Series| {
            let values = series.values();
            let seen = values.len().saturating_sub(held_out);
            if self == Transform::Standard && seen > 0 {
                // Of one long series the team takes a part each; among several the series are shared.
                let moments = Moments::shared(&values[..seen], pool);
                if !moments.mean.is_nan() {
                    return Ok(Map::Affine(Affine::standard(moments)));
                }
            }
            self.fit(values, seen).map_err(|unfit| self.error(panel, series, unfit))
        };
        let series = panel.series();
        let maps: Vec<_> = series.iter().map(|_| Mutex::new(None)).collect();
        pool.pieces(maps.len(), |number| {
            let map = fit(&series[number]);
            *maps[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(map);
        });
        let maps = maps.into_iter().map(|map| map.into_inner());
        maps.filter_map(|map| map.unwrap_or_else(PoisonError::into_inner)).collect()
    }

    fn error(self, panel: &Panel, series: &Series, unfit: Unfit) -> ForecastError {
        let id = series.id().to_owned();
        match unfit {
            Unfit::Value { at, value, must } => ForecastError::Domain {
                series: id,
                time: panel.frequency().after(series.start(), at as i64).map(|t| panel.written(t)),
                transform: self,
                value,
                must,
            },
            Unfit::Short { needs } => {
                let rows = series.values().len();
                ForecastError::TooFewRows { series: id, rows, transform: self, needs }
            }
        }
    }
}

/// Brings exogenous columns to mean 0 and deviation 1: transforms are made for values, not for them.
fn scale_beside(panel: &mut Panel, held_out: usize) {
    for series in &mut panel.series {
        let seen = series.values.len().saturating_sub(held_out);
        let Some(beside) = &mut series.beside else { continue };
        for column in beside.historic.iter_mut().chain(&mut beside.future) {
            let known = column.iter().take(seen).filter(|x| !x.is_nan());
            let map = Scaler::Standard.fit(&mut known.copied().collect::<Vec<f32>>());
            column.iter_mut().for_each(|x| *x = map.scale(*x));
        }
    }
}

/// Values that are all below this are counted in a smaller unit.
const SMALL: f32 = 1.0 / 64.0;

/// The unit values are counted in, a power of two: 1 unless they are small. What scalers add to their divisors, and
/// optimisers to theirs, would otherwise be as large as what is divided.
fn unit(panel: &Panel) -> f32 {
    let values = panel.series().iter().flat_map(|series| series.values());
    let largest = values.fold(0.0_f32, |largest, x| largest.max(x.abs()));
    let is_small = largest.is_normal() && largest < SMALL;
    if is_small { largest.log2().floor().exp2() } else { 1.0 }
}

/// A panel as a model sees it: transformed, or to be scaled while windows are gathered where that is
/// all there is to do.
pub(crate) struct Prepared<'a> {
    pub panel: Cow<'a, Panel>,
    /// How series are still to be scaled.
    pub scaler: Scaler,
    before: &'a Panel,
    maps: Vec<Map>,
}

impl<'a> Prepared<'a> {
    /// The panel as `model` sees it, whose transform is fitted to all but the last `held_out` values.
    pub(crate) fn new(
        model: &Model,
        panel: &'a Panel,
        held_out: usize,
    ) -> Result<Prepared<'a>, ForecastError> {
        let transform = model.local_scaler_type;
        if let Some(scaler) = transform.scaler() {
            let is_scaled = [scaler, model.scaler_type] != [Scaler::Identity; 2];
            let unit = if is_scaled { unit(panel) } else { 1.0 };
            if unit == 1.0 {
                let (panel, before) = (Cow::Borrowed(panel), panel);
                return Ok(Prepared { panel, scaler, before, maps: Vec::new() });
            }
            let map = Map::Affine(Affine { shift: 0.0, scale: unit });
            let columns = panel.series().iter().map(|series| map.apply(series.values())).collect();
            let maps = vec![map; panel.series().len()];
            let (panel, before) = (Cow::Owned(panel.with_values(columns)?), panel);
            return Ok(Prepared { panel, scaler, before, maps });
        }
        let (mut transformed, maps) = transform.apply(panel, held_out)?;
        scale_beside(&mut transformed, held_out);
        let (panel, before) = (Cow::Owned(transformed), panel);
        Ok(Prepared { panel, scaler: Scaler::Identity, before, maps })
    }

    /// How many values of a series come before its transformed value `at`.
    pub(crate) fn known(&self, series: usize, at: isize) -> usize {
        let values = |panel: &Panel| panel.series()[series].values().len();
        let left_out = values(self.before).saturating_sub(values(&self.panel));
        usize::try_from(at.saturating_add_unsigned(left_out)).unwrap_or(0)
    }

    /// Brings forecasts back that follow the first `known` values of a series.
    pub(crate) fn bring_back(&self, series: usize, known: usize, after: &mut [f32]) {
        if let Some(map) = self.maps.get(series) {
            let values = self.before.series()[series].values();
            map.invert(&values[..known.min(values.len())], after);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::models::NBeats;
    use crate::{Columns, Model, Panel, Scaler};

    #[test]
    fn small_values_are_forecast_as_in_a_larger_unit() {
        // Values between 1 and 2 keep their unit.
        let forecasts = |unit: f32| {
            let value = |t: usize| unit * (1.5 + [0.25, 0.0, -0.25, 0.125][t % 4]);
            let rows = (0..60).map(|t| format!("a,{t},{}\n", value(t))).collect::<String>();
            let csv = format!("unique_id,ds,y\n{rows}");
            let panel = Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap();
            let model = Model {
                max_steps: 20,
                windows_batch_size: 8,
                scaler_type: Scaler::Robust,
                val_size: 4,
                ..Model::new(NBeats::default(), 4)
            };
            let mut fitted = model.fit(&panel).unwrap();
            let forecast = fitted.predict(&panel).unwrap();
            let parts = fitted.decompose(&panel).unwrap().unwrap();
            let names = parts.columns().map(|name| parts.column(name).unwrap().to_vec());
            let columns: Vec<Vec<f32>> =
                names.chain([forecast.column("NBEATS").unwrap().to_vec()]).collect();
            columns
        };
        let unit = (-40_f32).exp2();
        let (small, large) = (forecasts(unit), forecasts(1.0));
        for (small, large) in small.iter().flatten().zip(large.iter().flatten()) {
            assert_eq!(small / unit, *large);
        }
    }
}
