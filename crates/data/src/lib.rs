//! Readers and writers of the files Whimbrel takes and makes.
//!
//! Everything streams: a reader holds one record at a time. Whatever the bytes are, a reader
//! answers with records or with an error that names file, line, column and remedy.
//!
//! ```
//! use whimbrel_data::csv;
//! # fn main() -> Result<(), csv::CsvError> {
//! let mut reader = csv::Reader::new("sales.csv", &b"unique_id,y\nlemons,12\npears,7.5\n"[..])?;
//! let (id, y) = (reader.column("unique_id")?, reader.column("y")?);
//! let mut sold = Vec::new();
//! while let Some(record) = reader.next_record()? {
//!     sold.push((record.text(id).to_string(), record.number(y)?));
//! }
//! assert_eq!(sold, [("lemons".to_string(), 12.0), ("pears".to_string(), 7.5)]);
//! # Ok(())
//! # }
//! ```
//!
//! Start reading at [`csv`].
#![forbid(unsafe_code)]

pub mod csv;
