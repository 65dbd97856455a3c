//! Readers and writers of the files Whimbrel takes and makes.
//!
//! Tables come from [`csv`] and from [`Columnar`] files, whole, or streamed where they are larger than
//! memory; arrays from [`npy`](array::npy), [`npz`](array::npz) and [`idx`](array::idx). Whatever the
//! bytes are, a reader answers with data or with an error that names the place and the remedy.
//!
//! ```
//! use whimbrel_data::csv::{self, Options, Request};
//! use whimbrel_data::{DataError, Kind, Values};
//! # fn main() -> Result<(), DataError> {
//! let text = b"unique_id,ds,y\nlemons,2024-01-31,12\npears,2024-01-31,7.5\n";
//! let wanted = Options::columns([Request::of("y", Kind::Float).required()]);
//! let table = csv::read_bytes("sales.csv", text, &wanted)?;
//! assert_eq!(table.column("y")?.values(), &Values::Float(vec![12.0, 7.5]));
//! # Ok(())
//! # }
//! ```
//!
//! Start reading at [`table`], then [`csv`]; or at [`array`](mod@array).
#![forbid(unsafe_code)]

pub mod array;
mod columnar;
pub mod csv;
mod encode;
mod error;
mod kind;
mod place;
mod source;
pub mod table;
pub mod time;

pub use array::Array;
pub use columnar::{Columnar, Tables};
pub use encode::{encode, has_known_ending};
pub use error::{DataError, Problem};
pub use kind::Kind;
pub use place::{Place, Position};
pub use table::{Column, Table, Text, Values};
