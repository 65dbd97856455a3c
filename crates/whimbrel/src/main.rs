//! The `whimbrel` binary.

fn main() {}
