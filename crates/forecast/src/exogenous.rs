//! Exogenous columns: which models take them, and which of a panel's a model looks at.

use crate::models::Network;
use crate::{ForecastError, Model, Panel, WrittenTime};

/// Places of the columns a model looks at among those of a panel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) historic: Vec<usize>,
    pub(crate) future: Vec<usize>,
    pub(crate) fixed: Vec<usize>,
}

impl Chosen {
    /// Columns over time, the values themselves among them.
    pub(crate) fn width(&self) -> usize {
        1 + self.historic.len() + self.future.len()
    }
}

impl Network {
    /// Whether it looks at exogenous columns, as in NeuralForecast: all of them or none.
    pub fn takes_exogenous(&self) -> bool {
        !matches!(self, Network::DLinear(_) | Network::NLinear(_) | Network::NBeats(_))
    }
}

impl Model {
    /// The model looking at all exogenous columns that a panel has, if it looks at any.
    pub fn with_exogenous_of(self, panel: &Panel) -> Model {
        match self.network.takes_exogenous() {
            true => Model {
                futr_exog_list: panel.futr_exog_list().to_vec(),
                hist_exog_list: self.without_weights(panel.hist_exog_list()),
                stat_exog_list: panel.stat_exog_list().to_vec(),
                ..self
            },
            false => self,
        }
    }

    /// The names but that of the column that weighs windows.
    fn without_weights(&self, names: &[String]) -> Vec<String> {
        let weighs = |name: &&String| self.sample_weight.as_ref() == Some(*name);
        names.iter().filter(|name| !weighs(name)).cloned().collect()
    }

    /// Where the columns it looks at are in a panel.
    pub(crate) fn choose(&self, panel: &Panel) -> Result<Chosen, ForecastError> {
        let lists = [
            ("hist_exog_list", &self.hist_exog_list, panel.hist_exog_list()),
            ("futr_exog_list", &self.futr_exog_list, panel.futr_exog_list()),
            ("stat_exog_list", &self.stat_exog_list, panel.stat_exog_list()),
        ];
        let mut chosen = [Vec::new(), Vec::new(), Vec::new()];
        for ((list, names, known), places) in lists.into_iter().zip(&mut chosen) {
            if let Some(name) = names.first().filter(|_| !self.network.takes_exogenous()) {
                let (model, column) = (self.network.name(), name.clone());
                return Err(ForecastError::TakesNoExogenous { model, list, column });
            }
            for name in names {
                let place = known.iter().position(|known| known == name);
                places.push(place.ok_or_else(|| ForecastError::NoExogenous {
                    list,
                    column: name.clone(),
                    known: known.to_vec(),
                })?);
            }
        }
        let [historic, future, fixed] = chosen;
        Ok(Chosen { historic, future, fixed })
    }
}

/// Times of a series, of which a message names a few.
const NAMED: usize = 3;

impl Panel {
    /// Checks that the columns known ahead reach `horizon` steps beyond the end of every series.
    pub(crate) fn check_ahead(&self, chosen: &Chosen, horizon: usize) -> Result<(), ForecastError> {
        for &column in &chosen.future {
            let (mut missing, mut count) = (Vec::new(), 0);
            for series in self.series() {
                let (length, ahead) = (series.values().len(), series.future(column));
                for at in length..length + horizon {
                    if ahead.get(at).is_none_or(|x| x.is_nan()) {
                        count += 1;
                        if missing.len() < NAMED {
                            let time = self.frequency().after(series.start(), at as i64);
                            missing.push((series.id().to_string(), time.map(|t| self.written(t))));
                        }
                    }
                }
            }
            if count > 0 {
                let column = self.futr_exog_list()[column].clone();
                let file = self.future_file.clone();
                return Err(ForecastError::NotKnownAhead { column, file, missing, count });
            }
        }
        Ok(())
    }
}

/// What a message says about rows that are missing: the first of them by series, and how many more.
pub(crate) fn named(missing: &[(String, Option<WrittenTime>)], count: usize) -> String {
    let mut text = String::new();
    let mut before: Option<&str> = None;
    for (series, time) in missing {
        let time =
            time.as_ref().map_or_else(|| "beyond the calendar".into(), WrittenTime::to_string);
        text += &match before {
            Some(before) if before == series => format!(", {time}"),
            Some(_) => format!("; series \"{series}\" at {time}"),
            None => format!("series \"{series}\" at {time}"),
        };
        before = Some(series);
    }
    match count - missing.len().min(count) {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}
