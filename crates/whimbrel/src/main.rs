//! The `whimbrel` binary: arguments in, exit code out.
//!
//! 0 done, 1 the run failed, 2 bad input or usage. Start reading at `cli.rs`, then `command/`.
#![forbid(unsafe_code)]

mod cli;
mod command;
mod failure;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = cli::Arguments::read();
    match command::run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
