//! Features: columns computed from the values and the times of a series.
//!
//! Each kind is a function over one series in a file of its own; [`Features`] fills columns for all
//! series of a panel at once. Rows are cut into pieces by the shape of the panel alone and a row comes
//! out the same in any piece, so results do not depend on the number of threads.

mod beside;
mod calendar;
mod exponential;
mod feature;
mod fourier;
mod lag;
mod named;
mod panel;
pub mod rolling;
mod turns;

pub use calendar::Calendar;
pub use exponential::exponential_mean;
pub use feature::Feature;
pub use fourier::{Wave, fourier};
pub(crate) use lag::difference_from;
pub use lag::{difference, lag};
pub(crate) use named::known;
pub use panel::Features;
pub use rolling::Window;
