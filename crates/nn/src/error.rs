//! What can be wrong with a network, said with its place, the facts and the remedy.

use whimbrel_graph::{GraphError, Type};

/// A mistake found while a network, a loss or an optimiser is written into a graph.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NnError {
    /// A layer or a loss was given a value it cannot work with.
    #[error("{place}: {problem}, but was given {given}; {remedy}")]
    Shape {
        /// The layer with its name, or the loss.
        place: String,
        /// What it needs.
        problem: String,
        /// What it was given.
        given: Box<Type>,
        /// What to change.
        remedy: String,
    },
    /// A setting has a value that cannot be.
    #[error("{place}: {field} is {value}, but {reason}")]
    Setting {
        /// The layer with its name, or the loss, or the optimiser.
        place: String,
        /// The field.
        field: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        reason: String,
    },
    /// A layer needs something the scope does not have.
    #[error("{place}: {problem}; {remedy}")]
    Missing {
        /// The layer with its name, or the loss.
        place: String,
        /// What is missing.
        problem: String,
        /// Where to get it from.
        remedy: String,
    },
    /// The graph refused an operation of a layer.
    #[error("{place}: {source}")]
    InLayer {
        /// The layer with its name.
        place: String,
        /// What the graph says.
        source: GraphError,
    },
    /// The graph refused an operation.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

impl NnError {
    /// The same error with the place of the layer it arose in, where it does not have one yet.
    pub(crate) fn at(self, place: impl FnOnce() -> String) -> NnError {
        match self {
            NnError::Graph(source) => NnError::InLayer { place: place(), source },
            known => known,
        }
    }

    /// Where it arose: `layer 2.0 (linear)`, `loss mse`, `optimiser adam`; none outside of them.
    pub fn place(&self) -> Option<&str> {
        match self {
            NnError::Shape { place, .. }
            | NnError::Setting { place, .. }
            | NnError::Missing { place, .. }
            | NnError::InLayer { place, .. } => Some(place),
            NnError::Graph(_) => None,
        }
    }

    /// The setting it is about, if it is about one.
    pub fn field(&self) -> Option<&'static str> {
        match self {
            NnError::Setting { field, .. } => Some(field),
            _ => None,
        }
    }

    /// A setting that cannot be.
    pub fn setting(
        place: impl Into<String>,
        field: &'static str,
        value: impl ToString,
        reason: impl Into<String>,
    ) -> NnError {
        let (place, reason) = (place.into(), reason.into());
        NnError::Setting { place, field, value: value.to_string(), reason }
    }

    /// Refuses a setting unless it fits its range.
    pub(crate) fn unless(
        fits: bool,
        place: impl FnOnce() -> String,
        field: &'static str,
        value: impl ToString,
        range: &str,
    ) -> Result<(), NnError> {
        match fits {
            true => Ok(()),
            false => Err(NnError::setting(place(), field, value, format!("must be {range}"))),
        }
    }
}
