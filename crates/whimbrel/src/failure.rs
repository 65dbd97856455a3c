//! How the binary fails: one message, a hint where an option would help, an exit code.

use std::borrow::Cow;
use std::fmt::Display;
use std::process::ExitCode;
use whimbrel::{DataError, ForecastError, IsaError, Problem};

/// Why a command stopped.
#[derive(Debug)]
pub struct Failure {
    code: u8,
    message: String,
    hint: Option<Cow<'static, str>>,
}

impl Failure {
    /// The input or the usage is to blame.
    pub fn input(message: impl Display) -> Failure {
        Failure { code: 2, message: message.to_string(), hint: None }
    }

    /// The run is to blame.
    pub fn run(message: impl Display) -> Failure {
        Failure { code: 1, message: message.to_string(), hint: None }
    }

    /// What is wrong with a file of a name, where the error does not say it.
    pub fn of_file(name: &str, error: ForecastError) -> Failure {
        let failure = Failure::from(error);
        Failure { message: format!("{name}: {}", failure.message), ..failure }
    }

    /// The same failure with what would help.
    pub fn with_hint(self, hint: impl Into<Cow<'static, str>>) -> Failure {
        Failure { hint: Some(hint.into()), ..self }
    }

    /// Says it on standard error and gives the exit code.
    pub fn report(self) -> ExitCode {
        use std::io::Write;
        let hint = self.hint.map(|hint| format!("\nhelp: {hint}")).unwrap_or_default();
        // Nothing is left to be said to when standard error is closed.
        let _ = writeln!(std::io::stderr(), "error: {}{hint}", self.message);
        ExitCode::from(self.code)
    }
}

impl From<ForecastError> for Failure {
    fn from(error: ForecastError) -> Failure {
        let mut failure =
            if error.is_input() { Failure::input(&error) } else { Failure::run(&error) };
        failure.hint = hint(&error).map(Cow::Borrowed);
        failure
    }
}

impl From<IsaError> for Failure {
    fn from(error: IsaError) -> Failure {
        Failure::input(error)
    }
}

/// The options that help.
fn hint(error: &ForecastError) -> Option<&'static str> {
    Some(match error {
        ForecastError::Data(DataError { problem: Problem::MissingColumn { .. }, .. }) => {
            "--id-col, --time-col and --target-col name the columns to read, --futr-exog and --hist-exog those \
             beside; without --futr-exog every column of --future is read from both files"
        }
        ForecastError::Gap { .. } => {
            "--fill says what becomes of missing rows (interpolate, forward, zero, mask), \
             --freq the frequency, for example --freq D"
        }
        ForecastError::AmbiguousDate { .. } => {
            "--date-order says which it is: mdy where the month is first, dmy where the day is"
        }
        ForecastError::NotKnownAhead { .. } => "--future names the file that goes on with it",
        ForecastError::NoExogenous { .. } => {
            "--features computes columns; --hist-exog, --futr-exog, --future and --static name those of files"
        }
        ForecastError::TakesNoExogenous { .. } => "--model names the models to learn",
        ForecastError::NoValue { .. } => {
            "--fill says what becomes of missing values: interpolate, forward, zero, mask"
        }
        ForecastError::DuplicateTime { time, .. } if time.is_local() => {
            "--id-col names the column that tells the series apart; local times which clocks repeat in \
             autumn need their offset, as 2024-10-27T02:00+01:00"
        }
        ForecastError::DuplicateTime { .. } => {
            "--id-col names the column that tells the series apart"
        }
        ForecastError::UnknownFrequency { .. }
        | ForecastError::LongGap { .. }
        | ForecastError::OffAxis { .. }
        | ForecastError::OffAxisFirst { .. }
        | ForecastError::FrequencyKind { .. } => {
            "--freq says the frequency, for example --freq D or --freq MS"
        }
        ForecastError::TooShort { .. } => {
            "--n-windows, --step-size and --horizon say how much of the past is needed"
        }
        ForecastError::Negative { .. } => "--loss names the loss, for example --loss studentt",
        ForecastError::NoActuals => "--actual names a file with the right values",
        ForecastError::Stopped { .. } => "--budget says how many seconds trying models may take",
        ForecastError::Network(error) if error.field() == Some("seasonality") => {
            "--input-size says how far to look back, --season-length after how many steps series repeat; \
             --set seasonality=1 compares with the value before"
        }
        ForecastError::Diverged { .. } | ForecastError::NotFinite { .. } => {
            "--learning-rate sets the learning rate"
        }
        _ => return None,
    })
}
