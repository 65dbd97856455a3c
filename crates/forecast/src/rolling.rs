//! Rolling errors: how far forecasts from every point of time in the last part of a panel are off.
//!
//! A cross-validation with a step of 1 says the same, but holds every forecast; here none is kept.

use crate::column::Part;
use crate::source::Source;
use crate::transforms::Prepared;
use crate::windows::Windows;
use crate::{Fitted, ForecastError, Panel};

/// Mean errors of forecasts from every point of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RollingErrors {
    /// Forecasts that were compared with what came, each of a whole horizon.
    pub windows: usize,
    /// The mean absolute error over all steps of all windows.
    pub mae: f64,
    /// The mean squared error.
    pub mse: f64,
}

impl Fitted {
    /// The errors of forecasts of every window whose horizon lies within the last `test_size` values of
    /// its series; windows look back beyond those. Series are scaled as a whole by what comes before
    /// them. Values that are not known do not count; errors are NaN where none are.
    ///
    /// # Errors
    /// If `test_size` is below the horizon, or columns the model looks at are missing.
    pub fn rolling_errors(
        &mut self,
        panel: &Panel,
        test_size: usize,
    ) -> Result<RollingErrors, ForecastError> {
        let model = self.model().clone();
        if test_size < model.horizon {
            let (name, value) = ("test size", test_size.to_string());
            let reason = "must be at least the horizon";
            return Err(ForecastError::Setting { name, value, reason });
        }
        let chosen = model.choose(panel)?;
        let prepared = Prepared::new(&model, panel, test_size)?;
        let windows =
            Windows::to_validate(&prepared.panel, model.input_size, model.horizon, test_size);
        let source =
            Source::new(&prepared.panel, chosen, prepared.scaler, model.scaler_type, test_size);
        let parts = model.parts();
        let point = parts.iter().position(|part| *part == Part::Point);
        let median = || parts.iter().position(|part| *part == Part::Median);
        let point = point.or_else(median).unwrap_or(parts.len() / 2);
        let (mut count, mut absolute, mut squared) = (0u64, 0.0, 0.0);
        self.forecast(&prepared, &source.whole(), &windows, |series, known, columns| {
            let came = panel.series()[series].values().get(known..).unwrap_or_default();
            for (y, forecast) in came.iter().zip(&columns[point]) {
                if !y.is_nan() {
                    let error = f64::from(*y) - f64::from(*forecast);
                    count += 1;
                    absolute += error.abs();
                    squared += error * error;
                }
            }
        })?;
        let mean = |sum: f64| if count > 0 { sum / count as f64 } else { f64::NAN };
        Ok(RollingErrors { windows: windows.len(), mae: mean(absolute), mse: mean(squared) })
    }
}
