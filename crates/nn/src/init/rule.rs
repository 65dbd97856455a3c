//! InitRule: which parameters begin otherwise than their layer would have it.

use super::Initialiser;
use crate::NnError;
use crate::names::matches;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use whimbrel_graph::Builder;

/// Parameters by name, and how they begin. The first rule that names a parameter decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InitRule {
    /// A pattern of names, in which `*` stands for anything: `*.weight`, `0.*`.
    pub parameters: String,
    /// How they begin.
    pub with: Initialiser,
}

impl InitRule {
    /// Parameters of this pattern, and how they begin.
    pub fn new(parameters: &str, with: Initialiser) -> InitRule {
        InitRule { parameters: parameters.into(), with }
    }

    /// Whether a parameter belongs here.
    pub fn names(&self, parameter: &str) -> bool {
        matches(&self.parameters, parameter)
    }

    /// Refuses rules with settings that cannot be, and those that name none of the parameters declared.
    pub(crate) fn check(rules: &[InitRule], g: &Builder) -> Result<(), NnError> {
        let names: Vec<String> = g.parameters().iter().map(|&value| g.label(value)).collect();
        for rule in rules {
            let place = format!("init \"{}\"", rule.parameters);
            rule.with.check(&place)?;
            if !names.iter().any(|name| rule.names(name)) {
                let reason =
                    format!("no parameter has such a name; there are {}", names.join(", "));
                return Err(NnError::setting(place, "parameters", &rule.parameters, reason));
            }
        }
        Ok(())
    }
}
