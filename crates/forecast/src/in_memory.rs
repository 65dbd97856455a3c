//! Panels made of what a program has in memory, without a file.

use crate::panel::{LARGEST, Series};
use crate::time::Clock;
use crate::{ForecastError, Frequency, Panel, Time};

/// Which exogenous columns a list belongs to.
enum Kind {
    Historic,
    Future,
    Fixed,
}

impl Panel {
    /// A panel of series, each by its name, the time of its first value and its values, one for each step, NaN
    /// where one is not known.
    ///
    /// ```
    /// use whimbrel_forecast::{Panel, Time};
    /// # fn main() -> Result<(), whimbrel_forecast::ForecastError> {
    /// let start = Time::parse("2024-01-01").unwrap();
    /// let panel = Panel::from_series("D".parse()?, [
    ///     ("pears", start, vec![5.0, 7.0, 8.0]),
    ///     ("lemons", start, vec![1.0, f32::NAN, 3.0]),
    /// ])?;
    /// assert_eq!(panel.series()[1].values(), [5.0, 7.0, 8.0]); // in the order of their names
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If a name comes twice, a series has no known value or an infinite one, or a time is not of the kind that the
    /// frequency counts.
    pub fn from_series(
        frequency: Frequency,
        series: impl IntoIterator<Item = (impl Into<String>, Time, Vec<f32>)>,
    ) -> Result<Panel, ForecastError> {
        let mut all: Vec<Series> = Vec::new();
        for (id, start, values) in series {
            let id = id.into();
            if !frequency.fits(start) {
                return Err(ForecastError::FrequencyKind { frequency, times: start.kind() });
            }
            if !are_usable(&values) || values.iter().all(|x| x.is_nan()) {
                let problem = "must have a value that is known, and none beyond 1e30";
                return Err(ForecastError::InMemory { series: id, problem });
            }
            all.push(Series { id, start, values, beside: None });
        }
        all.sort_by(|a, b| a.id.cmp(&b.id));
        if let Some(pair) = all.windows(2).find(|pair| pair[0].id == pair[1].id) {
            let problem = "comes twice; give each series a name of its own";
            return Err(ForecastError::InMemory { series: pair[0].id.clone(), problem });
        }
        let frequency = frequency.on_the_day_of(all.iter().map(|one| one.start));
        let shown = frequency.has_clock() || all.iter().any(|one| one.start.has_clock());
        let panel = Panel {
            clock: Clock { shown, zone: None },
            series: all,
            frequency,
            futr_exog_list: Vec::new(),
            hist_exog_list: Vec::new(),
            stat_exog_list: Vec::new(),
            named: true,
            future_file: None,
        };
        // Every value has a time.
        for series in &panel.series {
            if frequency.steps_between(series.start, series.start).is_none() {
                let problem = "begins at a time that the frequency never comes to";
                return Err(ForecastError::InMemory { series: series.id.clone(), problem });
            }
            panel.time(series, series.values.len() - 1)?;
        }
        Ok(panel)
    }

    /// The panel with a column known up to now: for each of [`Panel::series`] as many values as it has.
    pub fn with_historic(self, name: &str, columns: Vec<Vec<f32>>) -> Result<Panel, ForecastError> {
        self.with_column(Kind::Historic, name, columns)
    }

    /// The panel with a column known ahead: for each of [`Panel::series`] as many values as it has, and so many
    /// after them as are known.
    pub fn with_future(self, name: &str, columns: Vec<Vec<f32>>) -> Result<Panel, ForecastError> {
        self.with_column(Kind::Future, name, columns)
    }

    /// The panel with a number that never changes for each of [`Panel::series`].
    pub fn with_static(self, name: &str, numbers: Vec<f32>) -> Result<Panel, ForecastError> {
        let columns = numbers.into_iter().map(|number| vec![number]).collect();
        self.with_column(Kind::Fixed, name, columns)
    }

    fn with_column(
        mut self,
        kind: Kind,
        name: &str,
        columns: Vec<Vec<f32>>,
    ) -> Result<Panel, ForecastError> {
        if columns.len() != self.series.len() {
            let value = format!("{name} of {} series", columns.len());
            let reason = "must have an entry for each series of the panel";
            return Err(ForecastError::Setting { name: "column", value, reason });
        }
        let lists = [&self.hist_exog_list, &self.futr_exog_list, &self.stat_exog_list];
        if lists.into_iter().flatten().any(|known| known == name) {
            let reason = "is there already; give each column a name of its own";
            return Err(ForecastError::Setting { name: "column", value: name.into(), reason });
        }
        for (series, column) in self.series.iter_mut().zip(columns) {
            let rows = series.values.len();
            let fits = match kind {
                Kind::Historic => column.len() == rows,
                Kind::Future => column.len() >= rows,
                Kind::Fixed => !column[0].is_nan(),
            };
            if !fits || !are_usable(&column) {
                let problem = "a column beside it must be as long as it is, known ahead or longer, and of numbers \
                               within 1e30";
                return Err(ForecastError::InMemory { series: series.id.clone(), problem });
            }
            let beside = series.beside.get_or_insert_default();
            match kind {
                Kind::Historic => beside.historic.push(column),
                Kind::Future => beside.future.push(column),
                Kind::Fixed => beside.fixed.extend(column),
            }
        }
        match kind {
            Kind::Historic => self.hist_exog_list.push(name.into()),
            Kind::Future => self.futr_exog_list.push(name.into()),
            Kind::Fixed => self.stat_exog_list.push(name.into()),
        }
        Ok(self)
    }
}

/// Whether all that is known can be computed with.
fn are_usable(values: &[f32]) -> bool {
    values.iter().all(|x| x.is_nan() || x.abs() <= LARGEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reader;

    fn time(text: &str) -> Time {
        Time::parse(text).unwrap()
    }

    fn month_ends() -> Frequency {
        "ME".parse().unwrap()
    }

    #[test]
    fn a_panel_of_series_is_the_one_their_file_gives() {
        let csv = b"unique_id,ds,y,price,visits\nb,2024-01-31,1,10,4\nb,2024-02-29,2,11,5\na,2024-02-29,7,12,6\n";
        let reader = Reader {
            hist_exog_list: vec!["visits".into()],
            futr_exog_list: vec!["price".into()],
            ..Reader::default()
        };
        let mut read = reader.read_bytes("t", csv).unwrap();
        read.future_file = None;
        let made = Panel::from_series(
            month_ends(),
            [("b", time("2024-01-31"), vec![1.0, 2.0]), ("a", time("2024-02-29"), vec![7.0])],
        );
        let made = made.unwrap().with_historic("visits", vec![vec![6.0], vec![4.0, 5.0]]).unwrap();
        let made = made.with_future("price", vec![vec![12.0], vec![10.0, 11.0]]).unwrap();
        assert_eq!(made, read);
        let made = made.with_static("size", vec![3.0, 4.0]).unwrap();
        assert_eq!(made.series()[1].fixed(), [4.0]);
    }

    #[test]
    fn what_is_no_panel_is_refused_with_the_series() {
        let panel = |rows: &[(&str, &str, &[f32])]| {
            let rows = rows.iter().map(|(id, at, values)| (*id, time(at), values.to_vec()));
            Panel::from_series(month_ends(), rows)
        };
        let refused = |rows: &[(&str, &str, &[f32])]| panel(rows).unwrap_err().to_string();
        let day = "2024-01-31";
        assert!(refused(&[("a", day, &[])]).contains("series \"a\""));
        assert!(refused(&[("a", day, &[f32::NAN])]).contains("value that is known"));
        assert!(refused(&[("a", day, &[1.0, f32::INFINITY])]).contains("none beyond 1e30"));
        assert!(refused(&[("a", day, &[1.0]), ("a", day, &[2.0])]).contains("comes twice"));
        assert!(refused(&[("a", "7", &[1.0])]).contains("does not fit"));
        let two = || panel(&[("a", day, &[1.0]), ("b", day, &[2.0])]).unwrap();
        assert!(two().with_static("size", vec![1.0]).is_err());
        let sized = two().with_static("size", vec![1.0, 2.0]).unwrap();
        let twice = sized.with_historic("size", vec![vec![1.0], vec![2.0]]).unwrap_err();
        assert!(twice.to_string().contains("size: is there already"), "{twice}");
        assert!(refused(&[("a", "2024-01-30", &[1.0])]).contains("never comes to"));
        assert!(refused(&[("a", day, &[1e31])]).contains("none beyond 1e30"));
        assert!(two().with_historic("visits", vec![vec![1.0], vec![]]).is_err());
        assert!(two().with_future("price", vec![vec![1.0, 2.0], vec![f32::INFINITY]]).is_err());
        assert!(panel(&[]).unwrap().series().is_empty());
    }
}
