//! Names of columns: a model's forecast, its median, and the edges of its intervals, as NeuralForecast
//! names them: `NHITS`, `NHITS-median`, `NHITS-lo-90`, `NHITS-hi-90`.

/// What a column holds of a model's forecast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Part {
    /// The forecast itself.
    Point,
    /// The median.
    Median,
    /// The lower edge of an interval that holds so many per cent.
    Low(f32),
    /// The upper edge.
    High(f32),
}

impl Part {
    /// The model a column belongs to, and what it holds of its forecast.
    pub(crate) fn split(column: &str) -> (&str, Part) {
        if let Some(model) = column.strip_suffix("-median") {
            return (model, Part::Median);
        }
        let edge = column.rsplit_once('-').and_then(|(start, level)| {
            let level: f32 = level.parse().ok().filter(|level| (0.0..100.0).contains(level))?;
            let low = start.strip_suffix("-lo").map(|model| (model, Part::Low(level)));
            low.or_else(|| start.strip_suffix("-hi").map(|model| (model, Part::High(level))))
        });
        edge.unwrap_or((column, Part::Point))
    }

    /// The share of values below it; none of a forecast that does not say.
    pub(crate) fn quantile(self) -> Option<f64> {
        let half = |level: f32| f64::from(level) / 200.0;
        match self {
            Part::Point => None,
            Part::Median => Some(0.5),
            Part::Low(level) => Some(0.5 - half(level)),
            Part::High(level) => Some(0.5 + half(level)),
        }
    }

    /// The level of the interval it is an edge of.
    pub(crate) fn level(self) -> Option<f32> {
        match self {
            Part::Low(level) | Part::High(level) => Some(level),
            Part::Point | Part::Median => None,
        }
    }

    /// Its column.
    pub(crate) fn of(self, model: &str) -> String {
        match self {
            Part::Point => model.into(),
            Part::Median => format!("{model}-median"),
            Part::Low(level) => format!("{model}-lo-{level}"),
            Part::High(level) => format!("{model}-hi-{level}"),
        }
    }

    /// What a quantile is: the median, or the edge of the interval it ends.
    pub(crate) fn of_quantile(quantile: f32) -> Part {
        // As many digits as f32 tells apart; those of a quantile near an end are kept, for no interval is whole.
        let level = (f64::from(quantile) - 0.5).abs() * 200.0;
        let level = ((level * 100.0).round() / 100.0).min(99.99) as f32;
        match quantile {
            q if level == 0.0 && q == 0.5 => Part::Median,
            q if q < 0.5 => Part::Low(level),
            _ => Part::High(level),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for part in [Part::Point, Part::Median, Part::Low(90.0), Part::High(97.5)] {
            assert_eq!(Part::split(&part.of("my-model")), ("my-model", part));
        }
        for plain in ["NHITS-lo", "a-lo-x", "a-hi-100", "-5"] {
            assert_eq!(Part::split(plain), (plain, Part::Point));
        }
        for (quantile, name) in [
            (0.5, "M-median"),
            (0.1, "M-lo-80"),
            (0.975, "M-hi-95"),
            (0.841_35, "M-hi-68.27"),
            (1e-6, "M-lo-99.99"),
        ] {
            assert_eq!(Part::of_quantile(quantile).of("M"), name);
        }
    }
}
