//! Weights that follow their slopes after an epoch. RPROP and Quickprop have a memory, and rules that are each one function
//! of one weight.

use super::batch;
use super::quickprop::Quickprop;
use super::rprop::Rprop;
use crate::parameters::{Algorithm, TrainParameters};
use crate::real::{LANES, Real};
use whimbrel_kernels::simd::{Kernel, Simd, run};

/// Numbers of some weights, as many of each.
#[derive(Debug)]
pub struct Weights<'a, T> {
    /// The weights.
    pub weights: &'a mut [T],
    /// Their slopes.
    pub slopes: &'a mut [T],
    /// Their last steps.
    pub prev_steps: &'a mut [T],
    /// Their last slopes.
    pub prev_slopes: &'a mut [T],
}

/// The numbers of one weight.
pub(super) struct Numbers<T> {
    pub weight: T,
    pub slope: T,
    pub prev_step: T,
    pub prev_slope: T,
}

/// How a weight follows its slope; implementations are `#[inline(always)]` and have no branches.
pub(super) trait Rule<T> {
    /// The weight after its step, the step, and the slope to be remembered.
    fn follow(&self, numbers: Numbers<T>) -> (T, T, T);
}

impl<T: Real> Weights<'_, T> {
    /// Lets every weight take a step, and sets the slopes to 0.
    pub(super) fn follow(self, rule: impl Rule<T>) {
        run(&mut Steps { rule, weights: self });
    }

    /// Within a kernel, lets every weight take the step of the algorithm in use, where steps follow epochs and are not
    /// annealed, `W` weights at a time; in other algorithms nothing happens. Sets the slopes to 0 where it `CLEARS` them, and always in batch training, which
    /// remembers nothing.
    #[inline(always)]
    pub(crate) fn step_by<const W: usize, const CLEARS: bool>(
        self,
        training: &TrainParameters<T>,
        samples: usize,
    ) {
        match training.training_algorithm {
            Algorithm::Batch => {
                batch::follow(batch::rate(training, samples), self.weights, self.slopes);
            }
            Algorithm::Rprop => self.follow_by::<W, CLEARS>(&Rprop::new(training)),
            Algorithm::Quickprop => {
                self.follow_by::<W, CLEARS>(&Quickprop::new(training, samples));
            }
            Algorithm::Incremental | Algorithm::Sarprop => {}
        }
    }

    /// [`follow`](Weights::follow) within a kernel, `W` weights at a time.
    #[inline(always)]
    fn follow_by<const W: usize, const CLEARS: bool>(self, rule: &impl Rule<T>) {
        let Weights { weights, slopes, prev_steps, prev_slopes } = self;
        let (weights, last_weights) = weights.as_chunks_mut::<W>();
        let (slopes, last_slopes) = slopes.as_chunks_mut::<W>();
        let (steps, last_steps) = prev_steps.as_chunks_mut::<W>();
        let (before, last_before) = prev_slopes.as_chunks_mut::<W>();
        let blocks = weights.iter_mut().zip(slopes).zip(steps.iter_mut().zip(before));
        for ((weights, slopes), (steps, before)) in blocks {
            // All are read before any is written: nothing has to be proved about where they lie.
            let (mut own, mut last): ([T; W], [T; W]) = (*weights, *steps);
            let (now, mut kept): ([T; W], [T; W]) = (*slopes, *before);
            for i in 0..W {
                let (weight, slope, prev_step, prev_slope) = (own[i], now[i], last[i], kept[i]);
                (own[i], last[i], kept[i]) =
                    rule.follow(Numbers { weight, slope, prev_step, prev_slope });
            }
            (*weights, *steps, *before) = (own, last, kept);
            if CLEARS {
                *slopes = [T::ZERO; W];
            }
        }
        let rest = last_weights.iter_mut().zip(last_slopes);
        for ((weight, slope), (step, before)) in rest.zip(last_steps.iter_mut().zip(last_before)) {
            let (prev_step, prev_slope) = (*step, *before);
            (*weight, *step, *before) =
                rule.follow(Numbers { weight: *weight, slope: *slope, prev_step, prev_slope });
            if CLEARS {
                *slope = T::ZERO;
            }
        }
    }
}

struct Steps<'a, T, R> {
    rule: R,
    weights: Weights<'a, T>,
}

/// By reference: what a kernel brings along is copied on its way in.
impl<T: Real, R: Rule<T>> Kernel for &mut Steps<'_, T, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Weights { weights, slopes, prev_steps, prev_slopes } = &mut self.weights;
        Weights { weights, slopes, prev_steps, prev_slopes }.follow_by::<LANES, true>(&self.rule);
    }
}
