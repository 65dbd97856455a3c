//! Interpolation: knots at equal distances become steps at smaller ones, as PyTorch does it.

use serde::{Deserialize, Serialize};

/// How the steps between knots are filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// On a straight line between the two knots around a step.
    #[default]
    Linear,
    /// The knot before a step.
    Nearest,
    /// On a curve through the four knots around a step.
    Cubic,
}

/// The bend of the cubic curve, PyTorch's.
const BEND: f64 = -0.75;

impl Interpolation {
    /// How much `knot` of `knots` counts at `step` of `steps`. Knots lie in the middle of equal parts;
    /// beyond the ends the first and the last knot are repeated.
    pub(super) fn share(self, knots: usize, steps: usize, step: usize, knot: usize) -> f64 {
        let ratio = knots as f64 / steps as f64;
        let place = (step as f64 + 0.5) * ratio - 0.5;
        let (before, past) = (place.floor(), place - place.floor());
        let at = |offset: i64| (before as i64 + offset).clamp(0, knots as i64 - 1) as usize == knot;
        match self {
            Interpolation::Nearest => {
                // In single precision, as PyTorch does it: a step right where two parts meet is rounded.
                let ratio = knots as f32 / steps as f32;
                let before = ((step as f32 * ratio) as usize).min(knots - 1);
                f64::from(u8::from(before == knot))
            }
            Interpolation::Linear => {
                // Before the first knot there is nothing to go on from.
                let past = if place < 0.0 { 0.0 } else { past };
                let before = place.max(0.0) as usize;
                let after = (before + 1).min(knots - 1);
                let share = |here: usize, weight: f64| if here == knot { weight } else { 0.0 };
                share(before, 1.0 - past) + share(after, past)
            }
            Interpolation::Cubic => {
                let weights = [far(past + 1.0), near(past), near(1.0 - past), far(2.0 - past)];
                let offsets = (-1..=2).zip(weights);
                offsets.filter(|(offset, _)| at(*offset)).map(|(_, weight)| weight).sum()
            }
        }
    }
}

/// The weight of a knot less than one part away.
fn near(x: f64) -> f64 {
    ((BEND + 2.0) * x - (BEND + 3.0)) * x * x + 1.0
}

/// The weight of a knot one to two parts away.
fn far(x: f64) -> f64 {
    ((BEND * x - 5.0 * BEND) * x + 8.0 * BEND) * x - 4.0 * BEND
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Interpolation; 3] =
        [Interpolation::Linear, Interpolation::Nearest, Interpolation::Cubic];

    #[test]
    fn equal_knots_give_equal_steps() {
        for mode in ALL {
            for (knots, steps) in [(1, 1), (1, 5), (3, 12), (4, 7), (6, 6)] {
                for step in 0..steps {
                    let sum: f64 = (0..knots).map(|k| mode.share(knots, steps, step, k)).sum();
                    assert!((sum - 1.0).abs() < 1e-12, "{mode:?} {knots} {steps} {step}: {sum}");
                }
            }
        }
    }

    #[test]
    fn a_step_where_parts_meet_has_pytorchs_knot() {
        // PyTorch's of f32; without rounding each would be the one after.
        for (knots, step, steps, knot) in [(6, 37, 74, 2), (12, 37, 74, 5), (24, 37, 74, 11)] {
            assert_eq!(Interpolation::Nearest.share(knots, steps, step, knot), 1.0);
            assert_eq!(Interpolation::Nearest.share(knots, steps, step, knot + 1), 0.0);
        }
    }

    #[test]
    fn as_many_knots_as_steps_are_the_steps() {
        for mode in ALL {
            for (step, knot) in [(0, 0), (3, 3), (3, 2)] {
                let expected = if step == knot { 1.0 } else { 0.0 };
                assert!((mode.share(5, 5, step, knot) - expected).abs() < 1e-12);
            }
        }
    }
}
