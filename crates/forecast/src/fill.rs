//! Fill: what becomes of times without a value.

use crate::ForecastError;
use std::str::FromStr;

/// What becomes of times without a value: those a series skips, and those whose field is empty or NaN.
///
/// The same is done to exogenous columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fill {
    /// They are an error.
    #[default]
    Error,
    /// The straight line between the known values around them; at the ends, the nearest known value.
    Interpolate,
    /// The last known value; before the first one, that.
    Forward,
    /// Zero.
    Zero,
    /// They stay unknown: models see a mask, and learn nothing from them.
    Mask,
}

impl Fill {
    /// All of them by their names.
    pub const NAMES: [(&str, Fill); 5] = [
        ("error", Fill::Error),
        ("interpolate", Fill::Interpolate),
        ("forward", Fill::Forward),
        ("zero", Fill::Zero),
        ("mask", Fill::Mask),
    ];

    /// Fills what is NaN. Values of which none is known stay so, unless they are to be zero.
    pub fn apply(self, values: &mut [f32]) {
        match self {
            Fill::Error | Fill::Mask => {}
            Fill::Zero => values.iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = 0.0),
            Fill::Forward | Fill::Interpolate => fill_between(values, self == Fill::Interpolate),
        }
    }
}

/// Fills holes by the value before them, or on a line to the value after them.
fn fill_between(values: &mut [f32], line: bool) {
    let mut known = None;
    for at in 0..values.len() {
        if values[at].is_nan() {
            continue;
        }
        let hole = known.map_or(0, |before| before + 1)..at;
        let (end, length) = (f64::from(values[at]), (hole.len() + 1) as f64);
        let start = known.map_or(end, |before: usize| f64::from(values[before]));
        for (step, value) in values[hole].iter_mut().enumerate() {
            let part = if line { (step + 1) as f64 / length } else { 0.0 };
            *value = (start + (end - start) * part) as f32;
        }
        known = Some(at);
    }
    if let Some(last) = known {
        let value = values[last];
        values[last..].fill(value);
    }
}

impl FromStr for Fill {
    type Err = ForecastError;

    fn from_str(text: &str) -> Result<Fill, ForecastError> {
        let found = Fill::NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, fill)| *fill).ok_or_else(|| ForecastError::Setting {
            name: "fill",
            value: text.into(),
            reason: "is not one of error, interpolate, forward, zero, mask",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: f32 = f32::NAN;

    fn filled<const N: usize>(name: &str, mut values: [f32; N]) -> [f32; N] {
        name.parse::<Fill>().unwrap().apply(&mut values);
        values
    }

    #[test]
    fn holes_are_filled_as_asked() {
        let holes = [X, 1.0, X, X, 4.0, X];
        assert_eq!(filled("interpolate", holes), [1.0, 1.0, 2.0, 3.0, 4.0, 4.0]);
        assert_eq!(filled("forward", holes), [1.0, 1.0, 1.0, 1.0, 4.0, 4.0]);
        assert_eq!(filled("zero", holes), [0.0, 1.0, 0.0, 0.0, 4.0, 0.0]);
        for kept in ["mask", "error"] {
            assert_eq!(filled(kept, holes).map(f32::to_bits), holes.map(f32::to_bits));
        }
        assert_eq!(filled("forward", [X, X]).map(f32::to_bits), [X, X].map(f32::to_bits));
        assert_eq!(filled("interpolate", [3e38, X, -3e38]), [3e38, 0.0, -3e38]);
        Fill::Forward.apply(&mut []);
        assert!("linear".parse::<Fill>().is_err());
    }
}
