//! Group: parameters that are treated otherwise than the rest.

use super::expect_not_negative;
use crate::NnError;
use serde::{Deserialize, Serialize};

/// Parameters by name, and what is different for them. A parameter belongs to the first group that
/// names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// A pattern of names, in which `*` stands for anything: `*.bias`, `encoder.*`.
    pub parameters: String,
    /// By what the learning rate is multiplied; 0 keeps the parameters as they are.
    #[serde(default = "one")]
    pub lr_scale: f64,
    /// Another weight decay.
    #[serde(default)]
    pub weight_decay: Option<f64>,
}

fn one() -> f64 {
    1.0
}

impl Group {
    /// Parameters of this pattern, not yet treated otherwise.
    pub fn new(parameters: &str) -> Group {
        Group { parameters: parameters.into(), lr_scale: 1.0, weight_decay: None }
    }

    /// Whether a parameter belongs here.
    pub fn names(&self, parameter: &str) -> bool {
        matches(&self.parameters, parameter)
    }

    pub(super) fn check(&self) -> Result<(), NnError> {
        expect_not_negative("group", "lr_scale", self.lr_scale)?;
        expect_not_negative("group", "weight_decay", self.weight_decay.unwrap_or(0.0))
    }
}

/// Whether `name` is as `pattern` says: its pieces between the stars, in order.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let pieces: Vec<&str> = rest.split('*').collect();
    let Some((end, middle)) = pieces.split_last() else { return true };
    for piece in middle {
        // The earliest place leaves the most for the pieces after it.
        let Some(at) = name.find(piece) else { return false };
        name = &name[at + piece.len()..];
    }
    name.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name, expected) in [
            ("0.weight", "0.weight", true),
            ("0.weight", "10.weight", false),
            ("*.bias", "0.bias", true),
            ("*.bias", "0.bias_ih_l0", false),
            ("*bias*", "0.bias_ih_l0", true),
            ("encoder.*.weight", "encoder.3.linear.weight", true),
            ("encoder.*.weight", "decoder.3.weight", false),
            ("*", "anything", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
