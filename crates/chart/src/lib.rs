//! What people look at: line charts as SVG and PNG, with lines, shaded bands around them, an axis of
//! numbers or of dates; sketches and tables for the terminal.
//!
//! A [`Chart`] is data and words. `layout.rs` turns it into a scene of a few kinds of
//! shapes with places and colours; `svg.rs` writes a scene as text, `png.rs` paints it. Both show the
//! same picture, and need nothing of the machine: the font is part of the program.
//!
//! ```
//! use whimbrel_chart::{Chart, Line};
//! let chart = Chart::new("Loss")
//!     .axes("epoch", "loss")
//!     .line(Line::new("training", [(1.0, 0.9), (2.0, 0.5), (3.0, 0.4)]))
//!     .line(Line::new("validation", [(1.0, 1.0), (2.0, 0.7), (3.0, 0.8)]).best("epoch 2", (2.0, 0.7)));
//! assert!(chart.svg().starts_with("<svg "));
//! assert!(chart.png(2.0).unwrap().starts_with(b"\x89PNG"));
//! ```
//!
//! Start reading at `chart.rs`, then `layout.rs`.
#![forbid(unsafe_code)]

mod chart;
mod dates;
mod font;
mod layout;
mod png;
mod scale;
mod scene;
mod svg;
mod table;
mod terminal;
mod thin;

pub use chart::{Chart, Line};
pub use png::PngError;
pub use table::Table;
pub use terminal::Sketch;
