//! What can be wrong with a graph, with the facts a person needs to mend it.

use crate::Type;
use std::fmt;
use std::panic::Location;

/// One operand as an error names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The name given by the author, or `%12`.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// Operands in the order of the operation's inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operands(pub Vec<Operand>);

impl fmt::Display for Operands {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (i, operand) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}\"{}\" {}", operand.name, operand.ty)?;
        }
        Ok(())
    }
}

/// A mistake found while a graph is built or verified.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// The operands do not fit the operation.
    #[error("{op}: {reason}: {operands} at {at}")]
    Mismatch {
        /// Name of the operation.
        op: &'static str,
        /// What does not fit.
        reason: String,
        /// The operands with their shapes.
        operands: Operands,
        /// The line that built the operation.
        at: &'static Location<'static>,
    },
    /// Two inputs or two state values share a name.
    #[error("the name \"{name}\" is taken already, at {at}")]
    DuplicateName {
        /// The name.
        name: String,
        /// The line that declared it the second time.
        at: &'static Location<'static>,
    },
    /// A value belongs to another builder.
    #[error("{op}: an operand belongs to another graph, at {at}")]
    ForeignValue {
        /// Name of the operation.
        op: &'static str,
        /// The line that mixed them.
        at: &'static Location<'static>,
    },
    /// The operation has no derivative but one is needed.
    #[error(
        "{op} of \"{value}\" cannot be differentiated; stop_gradient() before it if it need not be"
    )]
    NoGradient {
        /// Name of the operation.
        op: &'static str,
        /// Its first output.
        value: String,
    },
    /// The graph breaks a rule every graph keeps; a defect of a pass.
    #[error("malformed graph: {0}")]
    Malformed(String),
}
