//! What can stop a forecast: mostly the data, sometimes a setting, rarely the engine.

use crate::exogenous::{MissingRows, named};
use crate::{Frequency, Transform, WrittenTime};
use std::path::PathBuf;
use whimbrel_data::{DataError, Place, Position};
use whimbrel_engine::{EngineError, WeightsProblem};
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
    /// Nothing tells which number of a date is the month.
    #[error(
        "{place}: \"{text}\" may have the month first or the day first, and so may all dates of the \
         column; say which, or write dates like 2024-01-31"
    )]
    AmbiguousDate {
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
    /// Times with a zone would be compared with times without one.
    #[error(
        "times of {zoned} have a zone, those of {unzoned} have none; write it, as in \
         2024-01-31 13:00:00+02:00, in both or in neither"
    )]
    ZoneOfOne {
        /// What has times with a zone.
        zoned: String,
        /// What has times without one.
        unzoned: String,
    },
    /// Times of one kind would be compared with times of another.
    #[error(
        "times of {} are {}, those of {} are {}; write them alike, or name the file of these series",
        files[0], kinds[0], files[1], kinds[1]
    )]
    OtherAxis {
        /// The two files.
        files: [String; 2],
        /// What the times of each are.
        kinds: [&'static str; 2],
    },
    /// The file is of a kind that this program does not read, or not so.
    #[error("{file}: {reason}")]
    Format {
        /// The file.
        file: String,
        /// What it is, and the remedy.
        reason: String,
    },
    /// Two rows for one time of one series.
    #[error("{place}: series \"{series}\" already has a row for {time}, in {first}; remove one")]
    DuplicateTime {
        /// Where the second is.
        place: Box<Place>,
        /// The series.
        series: String,
        /// The time.
        time: WrittenTime,
        /// Where the first is.
        first: Position,
    },
    /// A series skips times.
    #[error(
        "{place}: series \"{series}\": {found} follows {before}, but at frequency {frequency} \
         {expected} does; add the missing {}, have {} filled, or say which frequency it is",
        if *missing == 1 { "row".into() } else { format!("{missing} rows") },
        if *missing == 1 { "it" } else { "them" }
    )]
    Gap {
        /// Where the row after the gap is.
        place: Box<Place>,
        /// The series.
        series: String,
        /// The time before the gap.
        before: WrittenTime,
        /// The time after it.
        found: WrittenTime,
        /// The time that should have come.
        expected: WrittenTime,
        /// How many times are missing.
        missing: u64,
        /// The frequency.
        frequency: Frequency,
    },
    /// A gap is longer than any data.
    #[error(
        "{place}: series \"{series}\": between {before} and {found} {missing} rows are missing at \
         frequency {frequency}, too many to fill; is a time mistyped, or the frequency another?"
    )]
    LongGap {
        /// Where the row after the gap is.
        place: Box<Place>,
        /// The series.
        series: String,
        /// The time before the gap.
        before: WrittenTime,
        /// The time after it.
        found: WrittenTime,
        /// How many times are missing.
        missing: u64,
        /// The frequency.
        frequency: Frequency,
    },
    /// A series begins at a time that the frequency never comes to.
    #[error(
        "{place}: series \"{series}\" begins at {found}, but frequency {frequency} comes to {expected}; \
         correct the time, or say which frequency it is"
    )]
    OffAxisFirst {
        /// Where.
        place: Box<Place>,
        /// The series.
        series: String,
        /// The time.
        found: WrittenTime,
        /// A time that would be on the axis.
        expected: WrittenTime,
        /// The frequency.
        frequency: Frequency,
    },
    /// A time is not one that the frequency leads to.
    #[error(
        "{place}: series \"{series}\": {found} follows {before}, but at frequency {frequency} \
         {expected} does; say which frequency it is"
    )]
    OffAxis {
        /// Where.
        place: Box<Place>,
        /// The series.
        series: String,
        /// The time before it.
        before: WrittenTime,
        /// The time.
        found: WrittenTime,
        /// A time that would be on the axis.
        expected: WrittenTime,
        /// The frequency.
        frequency: Frequency,
    },
    /// A row has no value.
    #[error("{place}: series \"{series}\" has no value at {time}; write it, or have it filled")]
    NoValue {
        /// Where.
        place: Box<Place>,
        /// The series.
        series: String,
        /// The time.
        time: WrittenTime,
    },
    /// Values of a series differ by less than single precision tells apart.
    #[error(
        "{place}: series \"{series}\" has values so large and so close together that single precision does not tell them \
         apart, {value} becoming {rounded}; subtract a constant such as the smallest from all of them"
    )]
    Coarse {
        /// Where the first such value is.
        place: Box<Place>,
        /// The series.
        series: String,
        /// The value.
        value: f64,
        /// What it would become.
        rounded: f32,
    },
    /// No row of a series has a value.
    #[error("{place}: series \"{series}\" has no value at all; remove it")]
    NothingKnown {
        /// Where its first row is.
        place: Box<Place>,
        /// The series.
        series: String,
    },
    /// A model that looks at no exogenous columns is given some.
    #[error(
        "{model} looks at no exogenous columns, but {list} names \"{column}\"; leave it out, or take \
         MLP, NHITS, RNN, LSTM, GRU or TCN"
    )]
    TakesNoExogenous {
        /// The model.
        model: String,
        /// The setting.
        list: &'static str,
        /// The first column it names.
        column: String,
    },
    /// A model looks at a column that the data do not have.
    #[error(
        "{list} names \"{column}\", which the data do not have{}",
        if known.is_empty() { String::new() } else { format!("; they have {}", known.join(", ")) }
    )]
    NoExogenous {
        /// The setting.
        list: &'static str,
        /// The column.
        column: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// A column is not known for the steps to forecast.
    #[error(
        "column \"{column}\" is not known ahead: {}; add the rows to {}",
        named(missing),
        file.as_deref().unwrap_or("the file of the future")
    )]
    NotKnownAhead {
        /// The column.
        column: String,
        /// The file that it goes on in, where there is one.
        file: Option<String>,
        /// The rows that are missing.
        missing: Vec<MissingRows>,
    },
    /// Two rows of numbers for one series.
    #[error("{place}: series \"{series}\" already has a row, in {first}; remove one")]
    StaticTwice {
        /// Where the second is.
        place: Box<Place>,
        /// The series.
        series: String,
        /// Where the first is.
        first: Position,
    },
    /// Series without a row of numbers.
    #[error(
        "{file}: has no row for series \"{}\"{}; add {}",
        series.join("\", \""),
        if *count > series.len() { format!(" and {} more", count - series.len()) } else { String::new() },
        if *count == 1 { "it" } else { "them" }
    )]
    NoStatic {
        /// The file.
        file: String,
        /// The first of them.
        series: Vec<String>,
        /// How many.
        count: usize,
    },
    /// A file has more rows than can be counted.
    #[error("{file}: has more than {} rows; split it", u32::MAX)]
    TooManyRows {
        /// The file.
        file: String,
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
    /// There is nothing to validate with.
    #[error(
        "no series has a value that is known among its last {rows}, which are kept to validate with, and before \
         them; keep more, or none"
    )]
    NoValidation {
        /// Rows kept from learning.
        rows: usize,
    },
    /// Intervals of a level are not known.
    #[error("{model} has no intervals of {level} %: {remedy}")]
    NoIntervals {
        /// The model.
        model: String,
        /// The level.
        level: f32,
        /// How it would have them.
        remedy: &'static str,
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
    #[error(
        "there is no value of series \"{series}\" at {time} to compare its forecast with; \
         add it, or leave the forecast out"
    )]
    NoActual {
        /// The series.
        series: String,
        /// The time.
        time: WrittenTime,
    },
    /// There is nothing to compare.
    #[error(
        "there are no forecasts: no column beside those of the series, the times and the right values has numbers"
    )]
    NoForecasts,
    /// A series in memory is none.
    #[error("series \"{series}\": {problem}")]
    InMemory {
        /// The series.
        series: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A forecast has no past.
    #[error(
        "there are no values of series \"{series}\" before its forecasts; add them, or leave the forecasts out"
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
         negative: use another, such as StudentT"
    )]
    Negative {
        /// The series.
        series: String,
        /// The value.
        value: f32,
        /// The loss.
        loss: &'static str,
    },
    /// A model cannot learn on from another.
    #[error(
        "cannot learn on from weights of another network: \"{weight}\" is not in both, or of \
         another size; use the same model, input size and horizon, and as many outputs"
    )]
    OtherNetwork {
        /// The first weight that differs.
        weight: String,
    },
    /// A file holds no model of ours.
    #[error("{}: {problem}", path.display())]
    Saved {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and the remedy.
        problem: String,
    },
    /// A model was learned at another frequency.
    #[error("the model is for series at frequency {learned}; these are at {found}")]
    OtherFrequency {
        /// That of the model.
        learned: String,
        /// That of the data.
        found: Frequency,
    },
    /// There are no series to forecast.
    #[error("there are no series to forecast: a loaded model needs a panel")]
    NoPanel,
    /// A level is none.
    #[error("level {level}: must be above 0 and below 100 per cent, with two decimals at most")]
    Level {
        /// The level.
        level: f32,
    },
    /// A value that a transform is not defined for.
    #[error(
        "series \"{series}\"{}: {transform} needs values {must}, found {value}; choose another \
         transform or shift the values",
        time.as_ref().map_or_else(String::new, |time| format!(", {time}"))
    )]
    Domain {
        /// The series.
        series: String,
        /// The time of the value.
        time: Option<WrittenTime>,
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
    /// A name of a feature that there is not.
    #[error("there is no feature \"{name}\"; there are {}", crate::features::known())]
    NoFeature {
        /// The name.
        name: String,
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
    /// A model has no setting of a name.
    #[error(
        "{model} has no setting \"{name}\"{}",
        if known.is_empty() { String::new() } else { format!("; it has {}", known.join(", ")) }
    )]
    NoSetting {
        /// The model.
        model: &'static str,
        /// The name.
        name: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// A setting cannot have a value.
    #[error("{name} {value}: {reason}")]
    SettingValue {
        /// The setting.
        name: String,
        /// The value.
        value: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The forecast would leave the calendar.
    #[error("series \"{series}\" ends at {last}; the forecast would leave the calendar")]
    EndOfTime {
        /// The series.
        series: String,
        /// Its last time.
        last: WrittenTime,
    },
    /// The loss left the numbers.
    #[error("training diverged: the loss is {loss} after step {step}; lower the learning rate")]
    Diverged {
        /// The step.
        step: usize,
        /// The loss.
        loss: f32,
    },
    /// A weight left the numbers.
    #[error("training diverged: {weight} is not finite at its end; lower the learning rate")]
    NotFinite {
        /// The first such weight.
        weight: String,
    },
    /// No such series among forecasts.
    #[error("there is no series \"{series}\" among the forecasts")]
    NoSeries {
        /// Its name.
        series: String,
    },
    /// No such column of forecasts.
    #[error("there are no forecasts of a model \"{model}\"")]
    NoModel {
        /// Its name.
        model: String,
    },
    /// Who asked for it wanted no more.
    #[error(
        "training was stopped after step {step}, as it was asked to be or would not have ended in time"
    )]
    Stopped {
        /// The step.
        step: usize,
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
        use ForecastError::{Diverged, Engine, Graph, NotFinite, Stopped};
        match self {
            // A file that cannot be read is input; one that cannot be written is not.
            Engine(EngineError::Weights { problem, .. }) => {
                !matches!(problem, WeightsProblem::Write(_))
            }
            Diverged { .. } | NotFinite { .. } | Stopped { .. } => false,
            Engine(_) | Graph(_) => false,
            _ => true,
        }
    }
}
