//! Training data files, `.data`: numbers of rows, inputs and outputs, then each row's inputs and outputs.

use super::number::Number;
use super::scan::Scanner;
use crate::data::TrainData;
use crate::error::{Error, Result};
use crate::real::Real;
use std::fmt::Write;
use std::path::Path;

impl<T: Real> TrainData<T> {
    /// Reads a `.data` file.
    ///
    /// # Errors
    /// [`Error::CantOpenConfigR`], as libfann says it for data files too, and [`Error::CantReadTd`] with the line.
    pub fn load(path: impl AsRef<Path>) -> Result<TrainData<T>> {
        let path = path.as_ref();
        TrainData::from_bytes(&path.display().to_string(), &super::read(path)?)
    }

    /// Reads the bytes of a `.data` file, which errors call `file`.
    ///
    /// # Errors
    /// [`Error::CantReadTd`] with the line.
    pub fn from_bytes(file: &str, mut bytes: &[u8]) -> Result<TrainData<T>> {
        TrainData::from_front(file, &mut bytes)
    }

    /// Reads data from the front of bytes, which are cut down to those behind them.
    ///
    /// # Errors
    /// [`Error::CantReadTd`] with the line.
    pub fn from_front(file: &str, bytes: &mut &[u8]) -> Result<TrainData<T>> {
        let mut scanner = Scanner::new(bytes);
        let bad = |line: usize| Error::CantReadTd { file: file.into(), line };
        let mut count = || scanner.unsigned().map(|n| n as usize).ok_or_else(|| bad(1));
        let (len, num_input, num_output) = (count()?, count()?, count()?);
        // Rows of nothing could be any number of them.
        if num_input == 0 && num_output == 0 && len > 0 {
            return Err(bad(1));
        }
        // A number takes a digit and a blank, so that more than these are not there.
        let most = scanner.left() / 2 + 1;
        let room = |width: usize| Vec::with_capacity(len.saturating_mul(width).min(most));
        let (mut inputs, mut outputs) = (room(num_input), room(num_output));
        for row in 0..len {
            for (values, width, line) in
                [(&mut inputs, num_input, 2 * row + 2), (&mut outputs, num_output, 2 * row + 3)]
            {
                for _ in 0..width {
                    let value = f64::scan(&mut scanner).ok_or_else(|| bad(line))?;
                    values.push(T::of(value));
                }
            }
        }
        scanner.space();
        *bytes = &bytes[bytes.len() - scanner.left()..];
        TrainData::from_parts(len, (num_input, num_output), inputs, outputs)
    }

    /// Writes the rows to a `.data` file that libfann reads.
    ///
    /// # Errors
    /// [`Error::CantOpenTdW`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        write_data(path.as_ref(), &self.to_text())
    }

    /// The text of the `.data` file. Numbers look as FANN writes them, with more digits where those would not do.
    pub fn to_text(&self) -> String {
        self.print(|x| {
            let number = x.f64();
            let text = if number.fract() == 0.0 && number.abs() < 2e9 {
                format!("{}", number as i64)
            } else {
                format!("{number:.6}").to_lowercase()
            };
            let same = text.parse::<f64>().is_ok_and(|read| T::of(read) == x);
            if same || number.is_nan() { text } else { format!("{x:e}") }
        })
    }

    /// Writes the rows in fixed point, times two to the power of `decimal_point`.
    ///
    /// # Errors
    /// [`Error::CantOpenTdW`].
    pub fn save_to_fixed(&self, path: impl AsRef<Path>, decimal_point: u32) -> Result<()> {
        write_data(path.as_ref(), &self.to_fixed_text(decimal_point))
    }

    /// The text of the rows in fixed point.
    pub fn to_fixed_text(&self, decimal_point: u32) -> String {
        let multiplier = T::of_f32(2f32.powi(decimal_point.min(30) as i32));
        self.print(|x| format!("{}", (x * multiplier).f64() as i32))
    }

    fn print(&self, number: impl Fn(T) -> String) -> String {
        let (len, inputs, outputs) = (self.len(), self.num_input(), self.num_output());
        let mut text = format!("{len} {inputs} {outputs}\n");
        let samples = self.samples();
        for row in 0..len {
            for values in [samples.input(row), samples.output(row)] {
                for x in values {
                    // Writing to a string cannot fail.
                    let _ = write!(text, "{} ", number(*x));
                }
                text.push('\n');
            }
        }
        text
    }
}

fn write_data(path: &Path, text: &str) -> Result<()> {
    super::replace(path, text.as_bytes()).map_err(|error| Error::CantOpenTdW {
        file: path.display().to_string(),
        reason: error.to_string(),
    })
}
