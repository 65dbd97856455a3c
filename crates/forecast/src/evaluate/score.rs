//! Scores: what is measured, and what it is called.

use std::fmt;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Score {
    /// The mean absolute error.
    Mae,
    /// The mean squared error.
    Mse,
    /// Its root.
    Rmse,
    /// The mean of `|error| / |y|`, where y is not 0.
    Mape,
    /// The mean of `|error| / (|y| + |forecast|)`, from 0 to 1. The M competitions' sMAPE, in per cent
    /// from 0 to 200, is 200 times that.
    Smape,
    /// The absolute error over that of the seasonal naive forecast in the past of the series.
    Mase,
    /// The same of squared errors, under a root.
    Rmsse,
    /// The mean of sMAPE and MASE, each over that of Naive2.
    Owa,
    /// The continuous ranked probability score, in the unit of the series: twice the mean loss of the
    /// quantiles there are.
    Crps,
    /// The same over the mean of `|y|`.
    ScaledCrps,
    /// The share of right values within the intervals of a level, in per cent.
    Coverage(f32),
}

impl Score {
    /// Those that need forecasts and right values alone.
    pub(super) const POINT: [Score; 5] =
        [Score::Mae, Score::Mse, Score::Rmse, Score::Mape, Score::Smape];
    /// Those that need the past too.
    pub(super) const SCALED: [Score; 3] = [Score::Mase, Score::Rmsse, Score::Owa];
}

impl fmt::Display for Score {
    /// Its name in utilsforecast, where it has one.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Score::Mae => "mae",
            Score::Mse => "mse",
            Score::Rmse => "rmse",
            Score::Mape => "mape",
            Score::Smape => "smape",
            Score::Mase => "mase",
            Score::Rmsse => "rmsse",
            Score::Owa => "owa",
            Score::Crps => "crps",
            Score::ScaledCrps => "scaled_crps",
            Score::Coverage(level) => return write!(f, "coverage_level{level}"),
        })
    }
}
