//! What can stop a forecast: mostly the data, sometimes a setting, rarely the engine.

use crate::{Frequency, Time, Transform};
use whimbrel_data::{DataError, Place};
use whimbrel_engine::EngineError;
use whimbrel_graph::GraphError;
use whimbrel_nn::NnError;

/// A failure between the file and the forecast.
#[derive(Debug, thiserror::Error)]
pub enum ForecastError {
    /// The file is not what it should be.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A time cannot be read.
    #[error(
        "{place}: \"{text}\" is not a time; write dates like 2024-01-31 or 2024-01-31 13:00:00, \
         or whole numbers"
    )]
    BadTime {
        /// Where.
        place: Place,
        /// The field.
        text: String,
    },
    /// Dates and integers in one column.
    #[error("{place}: {found} among {before}; use one kind of time in the whole column")]
    MixedTimes {
        /// Where.
        place: Place,
        /// What this row has.
        found: &'static str,
        /// What the rows before have.
        before: &'static str,
    },
    /// Two rows for one time of one series.
    #[error(
        "{place}: series \"{series}\" already has a row for {time}, in line {first}; remove one"
    )]
    DuplicateTime {
        /// Where the second is.
        place: Place,
        /// The series.
        series: String,
        /// The time.
        time: Time,
        /// The line of the first.
        first: u64,
    },
    /// A row is missing, or the frequency is another.
    #[error(
        "{place}: series \"{series}\": {found} follows {before}, but at frequency {frequency} \
         {expected} does; add the missing rows, or say which frequency it is"
    )]
    Gap {
        /// Where the row after the gap is.
        place: Box<Place>,
        /// The series.
        series: String,
        /// The time before the gap.
        before: Time,
        /// The time after it.
        found: Time,
        /// The time that should have come.
        expected: Time,
        /// The frequency.
        frequency: Frequency,
    },
    /// There are no two rows to tell the frequency from.
    #[error("{file}: no series has two rows, so the frequency cannot be told; say which it is")]
    UnknownFrequency {
        /// The file.
        file: String,
    },
    /// A frequency has no such name.
    #[error(
        "\"{text}\" is not a frequency; use one like h, D, W, MS, ME, QS, YE, 15min, or a whole number"
    )]
    FrequencyName {
        /// What was given.
        text: String,
    },
    /// The frequency counts something else than the time axis.
    #[error("frequency {frequency} does not fit times that are {times}")]
    FrequencyKind {
        /// The frequency.
        frequency: Frequency,
        /// What the times are.
        times: &'static str,
    },
    /// No series is long enough to learn from.
    #[error(
        "no series is long enough to learn from: two rows are needed beside the {held_out} to \
         validate with, the longest (\"{series}\") has {rows}; add rows"
    )]
    NoWindows {
        /// The longest series.
        series: String,
        /// Its rows.
        rows: usize,
        /// Rows kept from learning.
        held_out: usize,
    },
    /// No series reaches back to a cutoff.
    #[error(
        "no series is long enough for {windows} windows: {needed} rows are needed, the longest \
         (\"{series}\") has {rows}; add rows, or ask for fewer windows or a shorter horizon"
    )]
    TooShort {
        /// Windows asked for.
        windows: usize,
        /// Rows they need.
        needed: usize,
        /// The longest series.
        series: String,
        /// Its rows.
        rows: usize,
    },
    /// Forecasts cannot be compared: nothing says what came.
    #[error("the forecasts have no column y with the right values; add it, or give those values")]
    NoActuals,
    /// A forecast cannot be compared: its right value is not there.
    #[error("there is no value of series \"{series}\" at {time} to compare its forecast with")]
    NoActual {
        /// The series.
        series: String,
        /// The time.
        time: Time,
    },
    /// There is nothing to compare.
    #[error("there are no forecasts: the frame has no column of numbers beside y")]
    NoForecasts,
    /// A forecast has no past.
    #[error(
        "series \"{series}\" has forecasts, but no values before them in the data to learn from; \
         add them"
    )]
    NoPast {
        /// The series.
        series: String,
    },
    /// Too little to tell how large errors are.
    #[error(
        "intervals need the errors of {model} in at least two windows of one series; cross-validate \
         over more windows"
    )]
    FewWindows {
        /// The model.
        model: String,
    },
    /// A count is below 0.
    #[error(
        "series \"{series}\" has the value {value}; {loss} is a loss of counts, which are never \
         negative: use another, such as student_t"
    )]
    Negative {
        /// The series.
        series: String,
        /// The value.
        value: f32,
        /// The loss.
        loss: &'static str,
    },
    /// A level is none.
    #[error("level {level}: must be above 0 and below 100 per cent")]
    Level {
        /// The level.
        level: f32,
    },
    /// A value that a transform is not defined for.
    #[error(
        "series \"{series}\"{}: {transform} needs values {must}, found {value}; choose another \
         transform or shift the values",
        time.map_or_else(String::new, |time| format!(", {time}"))
    )]
    Domain {
        /// The series.
        series: String,
        /// The time of the value.
        time: Option<Time>,
        /// The transform.
        transform: Transform,
        /// The value.
        value: f32,
        /// What values must be.
        must: &'static str,
    },
    /// A series with too few values for a transform.
    #[error(
        "series \"{series}\" has {rows} rows, {transform} needs {needs}; leave the series out or \
         choose another transform"
    )]
    TooFewRows {
        /// The series.
        series: String,
        /// Its rows.
        rows: usize,
        /// The transform.
        transform: Transform,
        /// The least number of rows.
        needs: usize,
    },
    /// A setting makes no sense.
    #[error("{name} {value}: {reason}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The forecast would leave the calendar.
    #[error("series \"{series}\" ends at {last}; the forecast would leave the calendar")]
    EndOfTime {
        /// The series.
        series: String,
        /// Its last time.
        last: Time,
    },
    /// The loss left the numbers.
    #[error("training diverged: the loss is {loss} after step {step}; lower the learning rate")]
    Diverged {
        /// The step.
        step: usize,
        /// The loss.
        loss: f32,
    },
    /// A model's graph is wrong; a defect.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A model's settings do not fit together.
    #[error(transparent)]
    Network(#[from] NnError),
    /// The engine cannot run the model.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl ForecastError {
    /// Whether the data or the settings are to blame, rather than the run.
    pub fn is_input(&self) -> bool {
        use ForecastError::{Diverged, Engine, Graph};
        !matches!(self, Diverged { .. } | Engine(_) | Graph(_))
    }
}
