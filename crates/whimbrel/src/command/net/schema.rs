//! `whimbrel net schema`: the JSON schema of network files.

use crate::command::terminal::print;
use crate::failure::Failure;
use whimbrel::nn::file::schema;

pub fn run() -> Result<(), Failure> {
    print(format_args!("{:#}\n", schema()))
}
