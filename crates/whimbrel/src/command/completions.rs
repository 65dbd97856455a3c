//! `whimbrel completions`: what a shell needs to complete our commands and options.

use super::terminal::print;
use crate::cli::{Arguments, Completions};
use crate::failure::Failure;
use clap::CommandFactory;

pub fn run(options: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Arguments::command(), "whimbrel", &mut script);
    print(String::from_utf8_lossy(&script))
}
