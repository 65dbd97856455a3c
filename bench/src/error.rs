//! What can go wrong in a benchmark run; messages are for the person at the terminal.

use std::path::PathBuf;

/// The error of every fallible function in this program.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line makes no sense; the text says why.
    #[error("{0}\n\n{usage}", usage = crate::args::USAGE)]
    Usage(String),
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file of rows does not hold rows.
    #[error("{path} holds no benchmark rows: {source}")]
    Rows {
        /// The file.
        path: PathBuf,
        /// What the parser said.
        source: serde_json::Error,
    },
    /// The peer process failed or answered nonsense.
    #[error("peer `{suite}` with {threads} threads: {what} (its messages: {log})")]
    Peer {
        /// The suite it serves.
        suite: String,
        /// The threads it may use.
        threads: usize,
        /// What happened.
        what: String,
        /// The file that holds its messages.
        log: PathBuf,
    },
    /// Our answer and the peer's differ, so their times must not be compared.
    #[error(
        "{suite} {case}: answers differ from {peer_name} by {distance:.2e} (allowed {allowed:.0e})"
    )]
    Answer {
        /// The suite.
        suite: String,
        /// The case.
        case: String,
        /// The peer and its form.
        peer_name: String,
        /// The distance found, relative to the size of the answer.
        distance: f64,
        /// The largest distance allowed.
        allowed: f64,
    },
    /// A suite could not do its work; the text says why.
    #[error("{suite}: {what}")]
    Suite {
        /// The suite.
        suite: &'static str,
        /// What happened.
        what: String,
    },
}

/// A result of this program.
pub type Result<T> = std::result::Result<T, Error>;
