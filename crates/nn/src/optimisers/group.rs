//! Group: parameters that are treated otherwise than the rest.

use crate::NnError;
use crate::names::matches;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters by name, and what is different for them. A parameter belongs to the first group that
/// names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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

    /// Refuses a pattern that names none of the parameters.
    pub(super) fn expect_any(&self, names: &[String]) -> Result<(), NnError> {
        if names.iter().any(|name| self.names(name)) {
            return Ok(());
        }
        let reason = format!("no parameter has such a name; there are {}", names.join(", "));
        Err(NnError::setting(self.place(), "parameters", &self.parameters, reason))
    }

    pub(super) fn check(&self) -> Result<(), NnError> {
        let decay = self.weight_decay.unwrap_or(0.0);
        for (field, value) in [("lr_scale", self.lr_scale), ("weight_decay", decay)] {
            if !value.is_finite() || value < 0.0 {
                let reason = "must be a number not below 0";
                return Err(NnError::setting(self.place(), field, value, reason));
            }
        }
        Ok(())
    }

    /// How messages call it.
    fn place(&self) -> String {
        format!("group \"{}\"", self.parameters)
    }
}
