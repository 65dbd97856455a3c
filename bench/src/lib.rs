//! The benchmark program: every performance claim, with its peers measured in the same run.
//!
//! A suite is one function `run(&mut Context) -> Result<Vec<Row>>` registered by one line in
//! [`suites`]; it describes each measurement as a [`context::Case`] and hands over a closure.
//! [`rounds`] holds the measuring itself, [`machine`] the limits everything is compared with,
//! [`peer`] the live child process on the other side. Start reading at [`suites`].
#![forbid(unsafe_code)]

pub mod allocations;
pub mod args;
pub mod arrays;
pub mod child;
pub mod compare;
pub mod context;
pub mod error;
pub mod fill;
pub mod forecasters;
pub mod html;
pub mod machine;
pub mod models;
pub mod peer;
pub mod rounds;
pub mod row;
pub mod suites;
pub mod table;
