//! Draw: which windows each step of a training learns from.
//!
//! Usually in rounds over all of them. As in NeuralForecast a step may also draw its windows from some
//! series only; every series is among those as often as any other, however long it is.

use crate::permutation::Rounds;
use crate::windows::Windows;
use std::ops::Range;
use whimbrel_nn::random;

/// The windows of one step after another.
#[derive(Clone, Debug)]
pub(crate) enum Draw {
    /// From all series together.
    All(Rounds),
    /// From some series a step.
    Some(SomeSeries),
}

/// The same of as many series a step.
#[derive(Clone, Debug)]
pub(crate) struct SomeSeries {
    seed: u64,
    step: u64,
    /// The windows of each series.
    series: Vec<Range<usize>>,
    rounds: Rounds,
    /// Those of the step.
    chosen: Vec<usize>,
    /// Windows of the chosen ones up to each, itself included.
    ends: Vec<usize>,
}

impl Draw {
    /// Draws from windows, those of `batch_size` series a step, if so many are asked for and there are more.
    pub(crate) fn new(windows: &Windows, batch_size: Option<usize>, seed: u64) -> Draw {
        let more = |size: &usize| windows.of_series().nth(*size).is_some();
        let Some(batch_size) = batch_size.filter(more) else {
            return Draw::All(Rounds::new(windows.len(), seed));
        };
        let series: Vec<Range<usize>> = windows.of_series().collect();
        Draw::Some(SomeSeries {
            // Series and windows are not to follow one another.
            seed: random(seed, 2),
            step: 0,
            rounds: Rounds::new(series.len(), seed),
            series,
            chosen: vec![0; batch_size],
            ends: vec![0; batch_size],
        })
    }

    /// Fills `batch` with the numbers of the windows of the next step. None comes twice unless there are
    /// not enough of them.
    pub(crate) fn fill(&mut self, batch: &mut [usize]) {
        match self {
            Draw::All(rounds) => rounds.fill(batch),
            Draw::Some(some) => some.fill(batch),
        }
    }
}

impl SomeSeries {
    fn fill(&mut self, batch: &mut [usize]) {
        self.rounds.fill(&mut self.chosen);
        let mut count = 0;
        for (end, &number) in self.ends.iter_mut().zip(&self.chosen) {
            count += self.series[number].len();
            *end = count;
        }
        self.step += 1;
        Rounds::new(count, random(self.seed ^ self.step, 1)).fill(batch);
        for number in batch {
            let at = self.ends.partition_point(|end| *end <= *number);
            let series = &self.series[self.chosen[at]];
            *number = series.end - (self.ends[at] - *number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::NLinear;
    use crate::{Columns, Model, Panel};
    use std::collections::BTreeSet;

    /// Windows of series of these lengths; a series has one less than it has values.
    fn windows(lengths: &[usize]) -> Windows {
        let mut csv = String::from("unique_id,ds,y\n");
        for (series, &length) in lengths.iter().enumerate() {
            (0..length).for_each(|t| csv += &format!("s{series:03},{t},{t}\n"));
        }
        let panel = Panel::from_csv("t", csv.as_bytes(), &Columns::default(), None).unwrap();
        let model = Model { input_size: 1, ..Model::new(NLinear {}, 1) };
        Windows::to_learn(&panel, &model).unwrap()
    }

    #[test]
    fn few_series_are_drawn_from_in_rounds_over_all_their_windows() {
        let windows = windows(&[6, 4]);
        let mut draw = Draw::new(&windows, Some(2), 1);
        let mut batch = vec![0; windows.len()];
        for _ in 0..3 {
            draw.fill(&mut batch);
            assert!(batch.iter().copied().collect::<BTreeSet<_>>().into_iter().eq(0..8));
        }
    }

    #[test]
    fn a_step_draws_from_some_series_and_each_comes_as_often() {
        let lengths = [3, 11, 5, 41, 4, 9];
        let windows = windows(&lengths);
        let mut draw = Draw::new(&windows, Some(2), 1);
        let (mut batch, mut times) = (vec![0; 200], [0; 6]);
        for _ in 0..3 * 10 {
            draw.fill(&mut batch);
            let of = |number: &usize| windows.place(*number).series;
            let series: BTreeSet<usize> = batch.iter().map(of).collect();
            // The series of a step may be the same one twice, from two rounds; here rounds fit.
            assert_eq!(series.len(), 2);
            // With windows enough for all of them, each comes.
            let all: usize = series.iter().map(|&one| lengths[one] - 1).sum();
            assert_eq!(batch.iter().collect::<BTreeSet<_>>().len(), all);
            series.into_iter().for_each(|one| times[one] += 1);
        }
        assert_eq!(times, [10; 6]);
    }

    #[test]
    fn no_window_comes_twice_in_a_step_where_there_are_enough() {
        let windows = windows(&[30; 9]);
        let mut draw = Draw::new(&windows, Some(3), 7);
        let (mut batch, mut seen) = (vec![0; 60], BTreeSet::new());
        for _ in 0..30 {
            draw.fill(&mut batch);
            assert_eq!(batch.iter().collect::<BTreeSet<_>>().len(), 60);
            seen.extend(batch.iter().copied());
        }
        assert!(seen.into_iter().eq(0..9 * 29));
    }
}
