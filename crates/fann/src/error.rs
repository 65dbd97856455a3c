//! What can go wrong, with FANN's numbers and FANN's words.

use std::fmt;

/// An error of FANN.
///
/// [`Error::code`] is the value of `enum fann_errno_enum`; the message is what `fann_get_errstr` holds, without the
/// line break at its end.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A network file cannot be opened for reading.
    CantOpenConfigR {
        /// The file.
        file: String,
    },
    /// A network file cannot be opened for writing, or not be written.
    CantOpenConfigW {
        /// The file.
        file: String,
        /// What the system says; empty where it says nothing.
        reason: String,
    },
    /// A network file begins with no version known.
    WrongConfigVersion {
        /// The file.
        file: String,
    },
    /// A parameter is missing in a network file, or has a value it cannot have.
    CantReadConfig {
        /// The parameter.
        parameter: String,
        /// The file.
        file: String,
    },
    /// The neurons of a network file cannot be read, or describe no network.
    CantReadNeuron {
        /// The file.
        file: String,
    },
    /// The connections of a network file cannot be read, or come from neurons that are not there.
    CantReadConnections {
        /// The file.
        file: String,
    },
    /// A data file cannot be opened for writing, or not be written.
    CantOpenTdW {
        /// The file.
        file: String,
        /// What the system says; empty where it says nothing.
        reason: String,
    },
    /// A data file cannot be read: its header is wrong, a number is none, or rows are missing.
    CantReadTd {
        /// The file.
        file: String,
        /// The line, counted as FANN does: the header is line 1, each row of inputs or outputs one more.
        line: usize,
    },
    /// There is no memory for what was asked, or what was asked cannot be.
    CantAllocateMem,
    /// An activation function has no derivative.
    CantTrainActivation,
    /// Fixed point arithmetic lacks an activation function.
    CantUseActivation,
    /// Two sets of training data differ in their numbers of inputs or outputs, or a set does not fit the network.
    TrainDataMismatch,
    /// The training algorithm cannot be used here.
    CantUseTrainAlg,
    /// A part of a set of training data lies outside it.
    TrainDataSubset {
        /// The first row asked for.
        pos: usize,
        /// The rows asked for.
        length: usize,
        /// The rows there are.
        len: usize,
    },
    /// A layer or neuron that is not there.
    IndexOutOfBound {
        /// The number asked for.
        index: i64,
    },
    /// The network has no scaling parameters.
    ScaleNotPresent,
    /// Network and data differ in their numbers of inputs.
    InputNoMatch {
        /// Inputs of the network.
        network: usize,
        /// Inputs of the data.
        data: usize,
    },
    /// Network and data differ in their numbers of outputs.
    OutputNoMatch {
        /// Outputs of the network.
        network: usize,
        /// Outputs of the data.
        data: usize,
    },
}

/// The result of what can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The number FANN gives it, a value of `enum fann_errno_enum`.
    pub fn code(&self) -> i32 {
        match self {
            Error::CantOpenConfigR { .. } => 1,
            Error::CantOpenConfigW { .. } => 2,
            Error::WrongConfigVersion { .. } => 3,
            Error::CantReadConfig { .. } => 4,
            Error::CantReadNeuron { .. } => 5,
            Error::CantReadConnections { .. } => 6,
            Error::CantOpenTdW { .. } => 8,
            Error::CantReadTd { .. } => 10,
            Error::CantAllocateMem => 11,
            Error::CantTrainActivation => 12,
            Error::CantUseActivation => 13,
            Error::TrainDataMismatch => 14,
            Error::CantUseTrainAlg => 15,
            Error::TrainDataSubset { .. } => 16,
            Error::IndexOutOfBound { .. } => 17,
            Error::ScaleNotPresent => 18,
            Error::InputNoMatch { .. } => 19,
            Error::OutputNoMatch { .. } => 20,
        }
    }

    /// Why a file could not be written, in the words of the system. FANN's message does not say it.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Error::CantOpenConfigW { reason, .. } | Error::CantOpenTdW { reason, .. } => {
                Some(reason.as_str()).filter(|reason| !reason.is_empty())
            }
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::CantOpenConfigR { file } => {
                write!(f, "Unable to open configuration file \"{file}\" for reading.")
            }
            Error::CantOpenConfigW { file, .. } => {
                write!(f, "Unable to open configuration file \"{file}\" for writing.")
            }
            Error::WrongConfigVersion { file } => write!(
                f,
                "Wrong version of configuration file, aborting read of configuration file \"{file}\"."
            ),
            Error::CantReadConfig { parameter, file } => {
                write!(f, "Error reading \"{parameter}\" from configuration file \"{file}\".")
            }
            Error::CantReadNeuron { file } => {
                write!(f, "Error reading neuron info from configuration file \"{file}\".")
            }
            Error::CantReadConnections { file } => {
                write!(f, "Error reading connections from configuration file \"{file}\".")
            }
            Error::CantOpenTdW { file, .. } => {
                write!(f, "Unable to open train data file \"{file}\" for writing.")
            }
            Error::CantReadTd { file, line } => {
                write!(f, "Error reading info from train data file \"{file}\", line: {line}.")
            }
            Error::CantAllocateMem => f.write_str("Unable to allocate memory."),
            Error::CantTrainActivation => {
                f.write_str("Unable to train with the selected activation function.")
            }
            Error::CantUseActivation => {
                f.write_str("Unable to use the selected activation function.")
            }
            Error::TrainDataMismatch => {
                f.write_str("Training data must be of equivalent structure.")
            }
            Error::CantUseTrainAlg => f.write_str("Unable to use the selected training algorithm."),
            Error::TrainDataSubset { pos, length, len } => write!(
                f,
                "Subset from {pos} of length {length} not valid in training set of length {len}."
            ),
            Error::IndexOutOfBound { index } => write!(f, "Index {index} is out of bound."),
            Error::ScaleNotPresent => f.write_str("Scaling parameters not present."),
            Error::InputNoMatch { network, data } => write!(
                f,
                "The number of input neurons in the ann ({network}) and data ({data}) don't match"
            ),
            Error::OutputNoMatch { network, data } => write!(
                f,
                "The number of output neurons in the ann ({network}) and data ({data}) don't match"
            ),
        }
    }
}

impl std::error::Error for Error {}
