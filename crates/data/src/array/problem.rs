//! What can be wrong with a file of arrays.

/// What is wrong, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArrayProblem {
    /// The file is of another format.
    #[error("is not {format}; {remedy}")]
    NotThis {
        /// The format it should have.
        format: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// An array is asked for that the archive does not hold.
    #[error("there is no such array; the file holds {}", found.join(", "))]
    NoArray {
        /// Those it holds.
        found: Vec<String>,
    },
    /// The header cannot be understood.
    #[error("its header is damaged ({reason}); save it again")]
    Header {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The elements are of a type that is not read.
    #[error("holds elements of type {found}; convert them to one of {known}")]
    ElementType {
        /// The type.
        found: String,
        /// The types that are read.
        known: &'static str,
    },
    /// The first axis is contiguous, where rows are read one after another.
    #[error(
        "is in Fortran order, which cannot be read row by row; save numpy.ascontiguousarray of it"
    )]
    Order,
    /// There are more or fewer bytes than the shape needs.
    #[error("declares the shape {shape:?}, but holds {bytes} bytes of elements; is it cut off?")]
    Size {
        /// The shape declared.
        shape: Vec<usize>,
        /// The bytes there are.
        bytes: usize,
    },
}
