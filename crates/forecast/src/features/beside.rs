//! Features put beside the values of a panel, for models that look at exogenous columns.

use super::turns::Turns;
use super::{Feature, Features};
use crate::{ForecastError, Panel, Time};
use std::ops::Range;
use whimbrel_threads::Pool;

impl Features {
    /// The panel with a column more for each feature: what follows from the time as a column known ahead,
    /// up to `horizon` steps beyond the end of each series, all else as one known up to now.
    ///
    /// ```
    /// use whimbrel_forecast::features::{Calendar, Features};
    /// use whimbrel_forecast::models::Mlp;
    /// use whimbrel_forecast::{Columns, Model, Panel};
    /// # fn main() -> Result<(), whimbrel_forecast::ForecastError> {
    /// # let mut csv = String::from("unique_id,ds,y\n");
    /// # for day in 1..=28 {
    /// #     csv += &format!("tide,2024-02-{day:02},{}\n", day % 4);
    /// # }
    /// let panel = Panel::from_csv("tide.csv", csv.as_bytes(), &Columns::default(), None)?;
    /// let features = Features::new().lags([7]).calendar([Calendar::DayOfWeek]);
    /// let panel = features.add_to(&panel, 4)?;
    /// assert_eq!(panel.hist_exog_list(), ["lag7"]);
    /// assert_eq!(panel.futr_exog_list(), ["dayofweek"]);
    /// let model = Model { max_steps: 20, ..Model::new(Mlp { hidden_size: 16, ..Mlp::default() }, 4) };
    /// let forecast = model.with_exogenous_of(&panel).fit(&panel)?.predict(&panel)?;
    /// # assert_eq!(forecast.column("MLP").map(<[f32]>::len), Some(4));
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_to(&self, panel: &Panel, horizon: usize) -> Result<Panel, ForecastError> {
        self.check(panel)?;
        for series in panel.series() {
            panel.time(series, series.values().len() + horizon)?;
        }
        let (ahead, past): (Vec<Feature>, Vec<Feature>) =
            self.list().iter().partition(|feature| feature.is_known_ahead());
        let mut panel = panel.clone();
        let known: Vec<String> = [panel.hist_exog_list(), panel.futr_exog_list()].concat();
        let mut names = self.names();
        names.sort_unstable();
        let twice = names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| &pair[0]);
        if let Some(name) = names.iter().find(|name| known.contains(name)).or(twice) {
            return Err(ForecastError::Setting {
                name: "feature",
                value: name.clone(),
                reason: "is a column of the panel already",
            });
        }
        let past_columns = columns(&past, &panel, 0, self.origin())?;
        let ahead_columns = columns(&ahead, &panel, horizon, self.origin())?;
        panel.hist_exog_list.extend(past.iter().map(Feature::to_string));
        panel.futr_exog_list.extend(ahead.iter().map(Feature::to_string));
        let columns = past_columns.into_iter().zip(ahead_columns);
        for (series, (past, ahead)) in panel.series.iter_mut().zip(columns) {
            let beside = series.beside.get_or_insert_default();
            beside.historic.extend(past);
            beside.future.extend(ahead);
        }
        Ok(panel)
    }
}

/// For each series a column for each feature, from its start to so many steps beyond its end.
fn columns(
    features: &[Feature],
    panel: &Panel,
    beyond: usize,
    origin: Option<Time>,
) -> Result<Vec<Vec<Vec<f32>>>, ForecastError> {
    let rows = panel.series().iter().map(|series| 0..series.values().len() + beyond);
    let rows: Vec<Range<usize>> = rows.collect();
    let total = rows.iter().map(Range::len).sum();
    let mut columns = vec![vec![0.0; total]; features.len()];
    let mut slices: Vec<&mut [f32]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
    Turns::new(features, panel, rows.clone(), origin).fill(Pool::global(), &mut slices)?;
    let mut start = 0;
    Ok(rows
        .into_iter()
        .map(|rows| {
            let part = start..start + rows.len();
            start = part.end;
            columns.iter().map(|column| column[part.clone()].to_vec()).collect()
        })
        .collect())
}
