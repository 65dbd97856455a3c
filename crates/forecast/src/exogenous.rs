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
                let (model, column) = (self.network.name().to_owned(), name.clone());
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

/// Ranges of missing rows that a message names.
const NAMED: usize = 8;

/// Rows of a series that are missing, one after another.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingRows {
    /// The series.
    pub series: String,
    /// The times of the first and the last; none beyond the calendar.
    pub times: [Option<WrittenTime>; 2],
    /// How many there are.
    pub count: usize,
}

impl Panel {
    /// Checks that the columns known ahead reach `horizon` steps beyond the end of every series.
    pub(crate) fn check_ahead(&self, chosen: &Chosen, horizon: usize) -> Result<(), ForecastError> {
        for &column in &chosen.future {
            let mut missing: Vec<MissingRows> = Vec::new();
            for series in self.series() {
                let (length, ahead) = (series.values().len(), series.future(column));
                let is_missing = |at: &usize| ahead.get(*at).is_none_or(|x| x.is_nan());
                let mut before = None;
                for at in (length..length + horizon).filter(is_missing) {
                    let time = self.frequency().after(series.start(), at as i64);
                    let time = time.map(|time| self.written(time));
                    match missing.last_mut().filter(|_| before == Some(at - 1)) {
                        Some(rows) => {
                            rows.times[1] = time;
                            rows.count += 1;
                        }
                        None => missing.push(MissingRows {
                            series: series.id().to_string(),
                            times: [time.clone(), time],
                            count: 1,
                        }),
                    }
                    before = Some(at);
                }
            }
            if !missing.is_empty() {
                let column = self.futr_exog_list()[column].clone();
                let file = self.future_file.clone();
                return Err(ForecastError::NotKnownAhead { column, file, missing });
            }
        }
        Ok(())
    }
}

/// What a message says about rows that are missing: the first of them by series, and how many more.
pub(crate) fn named(missing: &[MissingRows]) -> String {
    let text = |time: &Option<WrittenTime>| {
        time.as_ref().map_or("beyond the calendar".into(), WrittenTime::to_string)
    };
    let mut whole = String::new();
    let mut before: Option<&str> = None;
    for MissingRows { series, times: [first, last], count } in missing.iter().take(NAMED) {
        whole += &match before {
            Some(before) if before == series => ", ".into(),
            Some(_) => format!("; series \"{series}\" at "),
            None => format!("series \"{series}\" at "),
        };
        whole += &match count {
            1 => text(first),
            2 => format!("{}, {}", text(first), text(last)),
            _ => format!("{} to {}", text(first), text(last)),
        };
        before = Some(series);
    }
    match missing.iter().skip(NAMED).map(|rows| rows.count).sum() {
        0 => whole,
        more => format!("{whole} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Time;
    use crate::time::Clock;

    #[test]
    fn missing_rows_are_named_by_ranges_of_each_series() {
        let time = |count| Some(WrittenTime::new(Time::Integer(count), Clock::default()));
        let rows = |series: &str, first, last| MissingRows {
            series: series.into(),
            times: [time(first), time(last)],
            count: (last - first + 1) as usize,
        };
        let few = [rows("a", 3, 3), rows("a", 5, 6), rows("b", 1, 9)];
        assert_eq!(named(&few), "series \"a\" at 3, 5, 6; series \"b\" at 1 to 9");
        let many: Vec<_> = (0..10).map(|at| rows("a", 3 * at, 3 * at + 1)).collect();
        assert!(named(&many).ends_with("21, 22 and 4 more"), "{}", named(&many));
    }
}
