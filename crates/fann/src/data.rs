//! Training data: rows of inputs and of the outputs wanted for them.

use crate::error::{Error, Result};
use crate::random::Random;
use crate::real::Real;

/// Rows of inputs and outputs, `struct fann_train_data`.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainData<T> {
    inputs: Vec<T>,
    outputs: Vec<T>,
    num_input: usize,
    num_output: usize,
    len: usize,
}

/// Rows of inputs and outputs that lie somewhere else; what training takes.
#[derive(Clone, Copy, Debug)]
pub struct Samples<'a, T> {
    inputs: &'a [T],
    outputs: &'a [T],
    num_input: usize,
    num_output: usize,
    len: usize,
}

impl<'a, T: Real> Samples<'a, T> {
    /// `len` rows that lie one after another.
    ///
    /// # Errors
    /// [`Error::TrainDataMismatch`] where the slices have other lengths than the numbers say.
    pub fn new(
        len: usize,
        (num_input, num_output): (usize, usize),
        inputs: &'a [T],
        outputs: &'a [T],
    ) -> Result<Samples<'a, T>> {
        let fits = |n: usize, slice: &[T]| n.checked_mul(len) == Some(slice.len());
        if !fits(num_input, inputs) || !fits(num_output, outputs) {
            return Err(Error::TrainDataMismatch);
        }
        Ok(Samples { inputs, outputs, num_input, num_output, len })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The inputs of a row and of all that follow.
    #[inline(always)]
    pub(crate) fn inputs_from(&self, row: usize) -> &'a [T] {
        &self.inputs[row * self.num_input..]
    }

    /// The outputs of a row and of all that follow.
    #[inline(always)]
    pub(crate) fn outputs_from(&self, row: usize) -> &'a [T] {
        &self.outputs[row * self.num_output..]
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Inputs of a row.
    pub fn num_input(&self) -> usize {
        self.num_input
    }

    /// Outputs of a row.
    pub fn num_output(&self) -> usize {
        self.num_output
    }

    /// The inputs of all rows, one after another.
    pub fn inputs(&self) -> &'a [T] {
        self.inputs
    }

    /// The outputs of all rows, one after another.
    pub fn outputs(&self) -> &'a [T] {
        self.outputs
    }

    /// The inputs of a row.
    #[inline(always)]
    pub fn input(&self, row: usize) -> &'a [T] {
        &self.inputs[row * self.num_input..][..self.num_input]
    }

    /// The outputs of a row.
    #[inline(always)]
    pub fn output(&self, row: usize) -> &'a [T] {
        &self.outputs[row * self.num_output..][..self.num_output]
    }
}

impl<'a, T: Real> From<&'a TrainData<T>> for Samples<'a, T> {
    fn from(data: &'a TrainData<T>) -> Self {
        let TrainData { inputs, outputs, num_input, num_output, len } = data;
        Samples { inputs, outputs, num_input: *num_input, num_output: *num_output, len: *len }
    }
}

impl<T: Real> TrainData<T> {
    /// `len` rows of zeros.
    ///
    /// # Errors
    /// [`Error::CantAllocateMem`] where there is no memory for them.
    pub fn new(len: usize, num_input: usize, num_output: usize) -> Result<TrainData<T>> {
        let zeros = |width: usize| {
            let mut zeros = Vec::new();
            let len = width.checked_mul(len).ok_or(Error::CantAllocateMem)?;
            zeros.try_reserve_exact(len).map_err(|_| Error::CantAllocateMem)?;
            zeros.resize(len, T::ZERO);
            Ok(zeros)
        };
        let (inputs, outputs) = (zeros(num_input)?, zeros(num_output)?);
        Ok(TrainData { inputs, outputs, num_input, num_output, len })
    }

    /// The rows a function fills: it is given the row's number, its inputs and its outputs.
    ///
    /// # Errors
    /// [`Error::CantAllocateMem`] where there is no memory for them.
    pub fn from_function(
        len: usize,
        num_input: usize,
        num_output: usize,
        mut fill: impl FnMut(usize, &mut [T], &mut [T]),
    ) -> Result<TrainData<T>> {
        let mut data = TrainData::new(len, num_input, num_output)?;
        for row in 0..len {
            let inputs = &mut data.inputs[row * num_input..][..num_input];
            let outputs = &mut data.outputs[row * num_output..][..num_output];
            fill(row, inputs, outputs);
        }
        Ok(data)
    }

    /// The given rows of inputs and outputs.
    ///
    /// # Errors
    /// [`Error::TrainDataMismatch`] where rows differ in length.
    pub fn from_rows(rows: &[(&[T], &[T])]) -> Result<TrainData<T>> {
        let (num_input, num_output) = rows.first().map_or((0, 0), |(i, o)| (i.len(), o.len()));
        if rows.iter().any(|(i, o)| i.len() != num_input || o.len() != num_output) {
            return Err(Error::TrainDataMismatch);
        }
        let inputs = rows.iter().flat_map(|row| row.0).copied().collect();
        let outputs = rows.iter().flat_map(|row| row.1).copied().collect();
        Ok(TrainData { inputs, outputs, num_input, num_output, len: rows.len() })
    }

    /// Rows that lie one after another.
    ///
    /// # Errors
    /// [`Error::TrainDataMismatch`] where lengths are no multiples of the widths or give different numbers of rows.
    pub fn from_parts(
        len: usize,
        (num_input, num_output): (usize, usize),
        inputs: Vec<T>,
        outputs: Vec<T>,
    ) -> Result<TrainData<T>> {
        Samples::new(len, (num_input, num_output), &inputs, &outputs)?;
        Ok(TrainData { inputs, outputs, num_input, num_output, len })
    }

    /// The rows, for training.
    pub fn samples(&self) -> Samples<'_, T> {
        self.into()
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Inputs of a row.
    pub fn num_input(&self) -> usize {
        self.num_input
    }

    /// Outputs of a row.
    pub fn num_output(&self) -> usize {
        self.num_output
    }

    /// The inputs of all rows, one after another.
    pub fn inputs(&self) -> &[T] {
        &self.inputs
    }

    /// The inputs of all rows, to be changed.
    pub fn inputs_mut(&mut self) -> &mut [T] {
        &mut self.inputs
    }

    /// The outputs of all rows, one after another.
    pub fn outputs(&self) -> &[T] {
        &self.outputs
    }

    /// The outputs of all rows, to be changed.
    pub fn outputs_mut(&mut self) -> &mut [T] {
        &mut self.outputs
    }

    /// The inputs of a row, if it is there.
    pub fn input(&self, row: usize) -> Option<&[T]> {
        (row < self.len).then(|| self.samples().input(row))
    }

    /// The outputs of a row, if it is there.
    pub fn output(&self, row: usize) -> Option<&[T]> {
        (row < self.len).then(|| self.samples().output(row))
    }

    /// Puts the rows in random order, in FANN's way: each row in turn changes places with a random one.
    pub fn shuffle(&mut self, random: &mut Random) {
        for row in 0..self.len {
            let other = random.below(self.len);
            swap_rows(&mut self.inputs, self.num_input, row, other);
            swap_rows(&mut self.outputs, self.num_output, row, other);
        }
    }

    /// These rows, then those of `other`.
    ///
    /// # Errors
    /// [`Error::TrainDataMismatch`] where they differ in their numbers of inputs or outputs.
    pub fn merge(&self, other: &TrainData<T>) -> Result<TrainData<T>> {
        if (self.num_input, self.num_output) != (other.num_input, other.num_output) {
            return Err(Error::TrainDataMismatch);
        }
        Ok(TrainData {
            inputs: [&self.inputs[..], &other.inputs].concat(),
            outputs: [&self.outputs[..], &other.outputs].concat(),
            len: self.len + other.len,
            ..*self
        })
    }

    /// `length` rows from row `pos` on.
    ///
    /// # Errors
    /// [`Error::TrainDataSubset`] where they reach past the end.
    pub fn subset(&self, pos: usize, length: usize) -> Result<TrainData<T>> {
        let end = pos.checked_add(length).filter(|end| *end <= self.len);
        let Some(end) = end else {
            return Err(Error::TrainDataSubset { pos, length, len: self.len });
        };
        Ok(TrainData {
            inputs: self.inputs[pos * self.num_input..end * self.num_input].to_vec(),
            outputs: self.outputs[pos * self.num_output..end * self.num_output].to_vec(),
            len: length,
            ..*self
        })
    }

    /// Maps all inputs linearly so that they reach from `min` to `max`.
    pub fn scale_inputs(&mut self, min: T, max: T) {
        scale(&mut self.inputs, min, max);
    }

    /// Maps all outputs linearly so that they reach from `min` to `max`.
    pub fn scale_outputs(&mut self, min: T, max: T) {
        scale(&mut self.outputs, min, max);
    }

    /// [`scale_inputs`](TrainData::scale_inputs) and [`scale_outputs`](TrainData::scale_outputs).
    pub fn scale(&mut self, min: T, max: T) {
        self.scale_inputs(min, max);
        self.scale_outputs(min, max);
    }
}

fn swap_rows<T>(rows: &mut [T], width: usize, a: usize, b: usize) {
    let (low, high) = (a.min(b), a.max(b));
    if low != high {
        let (left, right) = rows.split_at_mut(high * width);
        left[low * width..][..width].swap_with_slice(&mut right[..width]);
    }
}

/// Maps numbers linearly onto a range. Numbers that are all the same have no image and become `min`, or NaN where FANN
/// makes them NaN.
fn scale<T: Real>(numbers: &mut [T], min: T, max: T) {
    let Some(first) = numbers.first().copied() else { return };
    let (mut low, mut high) = (first, first);
    for &x in numbers.iter() {
        if x < low {
            low = x;
        } else if x > high {
            high = x;
        }
    }
    let factor = (max - min) / (high - low);
    for x in numbers {
        let scaled = (*x - low) * factor + min;
        *x = if scaled < min { min } else { scaled };
        *x = if scaled > max { max } else { *x };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers() -> TrainData<f32> {
        TrainData::from_function(6, 2, 1, |row, i, o| {
            i.copy_from_slice(&[row as f32, -(row as f32)]);
            o[0] = row as f32 * 10.0;
        })
        .unwrap()
    }

    #[test]
    fn shuffling_keeps_inputs_with_their_outputs() {
        let mut data = numbers();
        data.shuffle(&mut Random::seeded(3));
        assert_ne!(data, numbers());
        let mut seen: Vec<f32> = (0..6).map(|row| data.input(row).unwrap()[0]).collect();
        for row in 0..6 {
            let x = data.input(row).unwrap()[0];
            assert_eq!((data.input(row).unwrap()[1], data.output(row).unwrap()[0]), (-x, x * 10.0));
        }
        seen.sort_by(f32::total_cmp);
        assert_eq!(seen, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    }

    #[test]
    fn subsets_merge_to_the_whole() {
        let data = numbers();
        let merged = data.subset(0, 2).unwrap().merge(&data.subset(2, 4).unwrap()).unwrap();
        assert_eq!(merged, data);
        let error = data.subset(4, 3).unwrap_err();
        assert_eq!(error.code(), 16);
        assert_eq!(
            error.to_string(),
            "Subset from 4 of length 3 not valid in training set of length 6."
        );
        assert_eq!(data.merge(&TrainData::new(1, 3, 1).unwrap()), Err(Error::TrainDataMismatch));
    }

    #[test]
    fn scaling_reaches_both_ends() {
        let mut data = numbers();
        data.scale(-1.0, 1.0);
        assert_eq!(data.input(5).unwrap(), [1.0, -1.0]);
        let wanted = [-1.0, -0.6, -0.2, 0.2, 0.6, 1.0];
        assert!(data.outputs().iter().zip(wanted).all(|(x, y)| (x - y).abs() < 1e-6));
    }

    #[test]
    fn sizes_beyond_memory_are_refused() {
        assert_eq!(TrainData::<f32>::new(usize::MAX, 2, 1), Err(Error::CantAllocateMem));
        assert_eq!(TrainData::<f32>::new(1 << 50, 1, 1), Err(Error::CantAllocateMem));
    }
}
